import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Failure } from '../../src/core/errors.ts';
import { type Cursor, readCursor, writeCursor } from '../../src/registry/journal/feed/cursor.ts';
import { runs } from '../harness/depth.ts';

const version = fc
  .tuple(fc.integer({ min: 0, max: 999_999_999_999_999 }), fc.integer({ min: 0, max: 4_102_444_800_000 }))
  .map(([generation, publishedAt]) => `${generation}-${publishedAt.toString(36)}`);
const cursor: fc.Arbitrary<Cursor> = fc.record({ version, seen: fc.integer({ min: 0, max: 999_999_999_999_999 }) });

describe('cursors', () => {
  test('any cursor is read as it was written', () => {
    fc.assert(fc.property(cursor, (given) => assert.deepEqual(readCursor(writeCursor(given)), { ...given })));
  });

  test('any other text is rejected: what is read is always exactly what was written', () => {
    const changed = fc
      .tuple(cursor.map(writeCursor), fc.nat(), fc.constantFrom('', 'A', '-', '=', '.', 'é'))
      .map(([text, at, with_]) => text.slice(0, at % text.length) + with_ + text.slice((at % text.length) + 1));
    const decoded = fc.string().map((text) => Buffer.from(text).toString('base64url'));
    const anything = fc.oneof(changed, decoded, fc.string(), fc.string({ unit: 'binary' }));
    const isRead = (text: string) => {
      try {
        return writeCursor(readCursor(text)) === text;
      } catch (error) {
        return error instanceof Failure && error.code === 'invalid_request';
      }
    };
    fc.assert(fc.property(anything, isRead), { numRuns: runs(2_000, 200_000) });
  });
});
