import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ListHits } from '../../src/search/memory/answer/hits.ts';
import { createPageMerger, walkHits } from '../../src/search/memory/answer/merge-page.ts';
import type { IndexState } from '../../src/search/memory/overlay.ts';
import { sharedNumbers, shareNumbers } from '../../src/search/memory/shared-arrays.ts';
import { runs } from '../harness/depth.ts';

/** Documents in result order that are all in the same index: 0 is the base. `every` n-th of them is a hit. */
const stretch = fc.record({
  part: fc.constantFrom(0, 0, 0, 1, 2, 3),
  length: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 1_500 })),
  every: fc.constantFrom(1, 1, 2, 3, 50, 1_000),
});

test('any page of the hits of a base and three segments, however they are spread', () => {
  fc.assert(
    fc.property(
      fc.array(stretch, { minLength: 1, maxLength: 40, size: 'max' }),
      fc.integer({ min: 1, max: 100 }),
      (stretches, pageSize) => {
        const { state, hits, expected } = layOut(stretches);
        const takePage = createPageMerger(state);
        for (let from = 0; from < expected.length + 2 * pageSize; from += pageSize) {
          const { docs, parts } = takePage(hits, from, pageSize);
          const page = Array.from(docs, (doc, at) => `${parts[at]}:${doc}`);
          assert.deepEqual(page, expected.slice(from, from + pageSize));
        }
      },
    ),
    { numRuns: runs(100, 3_000) },
  );
});

test('a walk through all hits, however many are taken at once', () => {
  fc.assert(
    fc.property(
      fc.array(stretch, { minLength: 1, maxLength: 40, size: 'max' }),
      fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 5 }),
      (stretches, counts) => {
        const { state, hits, expected } = layOut(stretches);
        const takeNext = walkHits(state, hits);
        const walked: string[] = [];
        for (let step = 0; walked.length < expected.length; step++) {
          const count = counts[step % counts.length] as number;
          const { docs, parts } = takeNext(count);
          assert.equal(docs.length, Math.min(count, expected.length - walked.length));
          walked.push(...Array.from(docs, (doc, at) => `${parts[at]}:${doc}`));
        }
        assert.deepEqual(walked, expected);
        assert.equal(takeNext(10).docs.length, 0);
      },
    ),
    { numRuns: runs(100, 3_000) },
  );
});

interface Stretch {
  readonly part: number;
  readonly length: number;
  readonly every: number;
}

function layOut(stretches: readonly Stretch[]) {
  const docs = [0, 0, 0, 0];
  const found: number[][] = [[], [], [], []];
  const ranks: number[][] = [[], [], [], []];
  const places: number[] = [];
  const expected: string[] = [];
  for (const { part, length, every } of stretches) {
    for (let at = 0; at < length; at++) {
      const doc = docs[part] as number;
      docs[part] = doc + 1;
      if (part > 0) {
        ranks[part]?.push(places.length);
        places.push(docs[0] as number);
      }
      if (at % every !== 0) continue;
      found[part]?.push(doc);
      expected.push(`${part}:${doc}`);
    }
  }
  const live = { size: 0, bits: sharedNumbers(0), counts: sharedNumbers(0) };
  const index = { entities: docs[0] } as IndexState['base'];
  const segments = ranks.slice(1).map((list) => ({ index, live, ranks: shareNumbers(Uint32Array.from(list)) }));
  const overlay = { live, segments, places: shareNumbers(Uint32Array.from(places)) };
  const state: IndexState = { version: '1-0', base: index, overlay };
  return { state, hits: found.map((list) => new ListHits(Uint32Array.from(list))), expected };
}
