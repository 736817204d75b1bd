import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type Freshness, judgeFreshness, judgeTogether, periodOf, type Rhythm } from '../../src/core/freshness.ts';

const DAY = 86_400_000;
const RHYTHMS: readonly Rhythm[] = ['daily', 'weekly', 'twice a month', 'monthly', 'quarterly'];
const ORDER: readonly Freshness[] = ['fresh', 'due', 'overdue'];

describe('freshness', () => {
  test('data is due one period after the end of its day, and overdue after two', () => {
    const asOf = '2026-09-01';
    const end = Date.parse('2026-09-02');
    const judge = (age: number) => judgeFreshness('weekly', { asOf, importedAt: end + 30 * DAY }, end + age);
    assert.deepEqual([judge(-DAY), judge(7 * DAY), judge(7 * DAY + 1)], ['fresh', 'fresh', 'due']);
    assert.deepEqual([judge(14 * DAY), judge(14 * DAY + 1)], ['due', 'overdue']);
  });

  test('data without a day counts as of its import', () => {
    const judge = (age: number) => judgeFreshness('daily', { asOf: null, importedAt: 5 * DAY }, 5 * DAY + age);
    assert.deepEqual([judge(DAY), judge(2 * DAY), judge(2 * DAY + 1)], ['fresh', 'due', 'overdue']);
  });

  test('nothing is judged without data or without a rhythm', () => {
    assert.equal(judgeFreshness('daily', { asOf: null, importedAt: null }, 0), null);
    assert.equal(judgeFreshness('unknown', { asOf: '2026-09-01', importedAt: 0 }, 0), null);
    assert.equal(periodOf('unknown'), null);
  });

  test('several publishers together: the worst state and the oldest day', () => {
    const now = Date.parse('2026-09-10');
    const [daily, monthly] = [
      { rhythm: 'daily', asOf: '2026-09-07', importedAt: 0 },
      { rhythm: 'monthly', asOf: '2026-09-01', importedAt: 0 },
    ] as const;
    const undated = { rhythm: 'unknown', asOf: null, importedAt: 0 } as const;
    assert.deepEqual(judgeTogether([monthly, daily, undated], now), { freshness: 'due', asOf: '2026-09-01' });
    assert.deepEqual(judgeTogether([monthly], now), { freshness: 'fresh', asOf: '2026-09-01' });
    assert.deepEqual(judgeTogether([undated], now), { freshness: null, asOf: null });
    assert.deepEqual(judgeTogether([], now), { freshness: null, asOf: null });
  });

  test('data never gets fresher by waiting', () => {
    const times = fc.tuple(fc.nat(400 * DAY), fc.nat(400 * DAY));
    const check = (rhythm: Rhythm, importedAt: number, [one, other]: [number, number]) => {
      const judge = (now: number) => ORDER.indexOf(judgeFreshness(rhythm, { asOf: null, importedAt }, now) ?? 'fresh');
      assert.ok(judge(Math.min(one, other)) <= judge(Math.max(one, other)));
    };
    fc.assert(fc.property(fc.constantFrom(...RHYTHMS), fc.nat(400 * DAY), times, check));
  });
});
