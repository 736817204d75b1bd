import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { planCompaction, planUpdate } from '../../src/search/memory/update/merge-policy.ts';

const sizes = fc.array(fc.integer({ min: 1, max: 300_000 }), { maxLength: 7 });
const added = fc.oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 60_000 }));
const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

describe('which segments are merged', () => {
  test('by an update: no more documents than it adds, or 4,096', () => {
    fc.assert(
      fc.property(sizes, added, (before, count) => {
        const kept = planUpdate(before, count);
        assert.ok(sum(before.slice(kept)) <= Math.max(count, 4_096));
        // One more would be too many.
        if (kept > 0) assert.ok(sum(before.slice(kept - 1)) > Math.max(count, 4_096));
      }),
    );
  });

  test('afterwards: until each segment is much larger than all after it, and nothing is left to merge', () => {
    fc.assert(
      fc.property(sizes, (before) => {
        const kept = planCompaction(before);
        const merged = kept === before.length ? before : [...before.slice(0, kept), sum(before.slice(kept))];
        for (const [at, size] of merged.entries()) {
          const after = sum(merged.slice(at + 1));
          assert.ok(after < 4_096 || size > 8 * after, `${merged}`);
        }
        assert.equal(planCompaction(merged), merged.length);
      }),
    );
  });

  test('in the long run: few segments, and each document is built a few times', () => {
    for (const count of [10, 1_000, 50_000]) {
      let segments: number[] = [];
      let built = 0;
      let most = 0;
      const merge = (kept: number, more: number) => {
        built += sum(segments.slice(kept)) + more;
        segments = [...segments.slice(0, kept), sum(segments.slice(kept)) + more];
      };
      const total = 500_000;
      for (let changed = 0; changed < total; changed += count) {
        merge(planUpdate(segments, count), count);
        most = Math.max(most, segments.length);
        const kept = planCompaction(segments);
        if (kept < segments.length) merge(kept, 0);
        assert.ok(segments.length <= 4, `${segments}`);
      }
      assert.ok(most <= 5);
      // With 10 changes per update, the last 4,096 documents are built again and again.
      assert.ok(built < total * (count === 10 ? 250 : 16), `${count}: ${built / total}`);
    }
  });

  test('by an update, too, if nothing has been merged for long', () => {
    const many = Array.from({ length: 8 }, () => 50_000);
    assert.equal(planUpdate(many, 50_000), 0);
  });
});
