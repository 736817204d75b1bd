import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRange } from '../../src/http/charged/byte-range.ts';

const ALL = undefined;
const NONE = 'unsatisfiable';
const part = (first: number, last: number) => ({ first, last });
const HUGE = '9'.repeat(400);

const CASES: readonly [string | undefined, number, ReturnType<typeof readRange>][] = [
  [undefined, 10, ALL],
  ['bytes=0-9', 10, part(0, 9)],
  ['bytes=0-0', 10, part(0, 0)],
  ['bytes=9-', 10, part(9, 9)],
  ['bytes=2-100', 10, part(2, 9)],
  ['BYTES= 2-3 ', 10, part(2, 3)],
  [`bytes=2-${HUGE}`, 10, part(2, 9)],
  ['bytes=-3', 10, part(7, 9)],
  ['bytes=-100', 10, part(0, 9)],
  ['bytes=10-', 10, NONE],
  ['bytes=10-20', 10, NONE],
  [`bytes=${HUGE}-`, 10, NONE],
  ['bytes=-0', 10, NONE],
  ['bytes=0-', 0, NONE],
  ['bytes=-5', 0, ALL],
  // Not valid, or not supported: the header is ignored.
  ['bytes=3-2', 10, ALL],
  ['bytes=-', 10, ALL],
  ['bytes=', 10, ALL],
  ['bytes', 10, ALL],
  ['bytes=a-b', 10, ALL],
  ['bytes=1', 10, ALL],
  ['bytes=+1-2', 10, ALL],
  ['bytes=0x1-2', 10, ALL],
  ['bytes=1.0-2', 10, ALL],
  ['bytes=0-1,3-4', 10, ALL],
  ['lines=0-1', 10, ALL],
  ['bytes=--1', 10, ALL],
];

for (const [header, size, expected] of CASES) {
  test(`Range: ${header?.slice(0, 30)} of ${size} bytes`, () => assert.deepEqual(readRange(header, size), expected));
}
