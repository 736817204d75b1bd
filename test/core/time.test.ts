import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type Freshness, judgeFreshness, judgeTogether, periodOf, type Rhythm } from '../../src/base/freshness.ts';
import { addMonths, billingPeriod, minuteWindow } from '../../src/base/plans.ts';

const at = (text: string) => Date.parse(text);
const show = ({ start, end }: { start: number; end: number }) =>
  [start, end].map((instant) => new Date(instant).toISOString().replace('T00:00:00.000Z', ''));

const period = (anchor: string | null, now: string, end: string | null = null) =>
  show(billingPeriod({ periodAnchor: anchor && at(anchor), periodEnd: end && at(end) } as never, at(now)));

describe('the minute window', () => {
  test('is the clock minute', () => {
    const first = minuteWindow(at('2026-03-15T12:00:00.000Z'));
    assert.deepEqual([first.start, first.end], [at('2026-03-15T12:00:00Z'), at('2026-03-15T12:01:00Z')]);
    assert.deepEqual(minuteWindow(at('2026-03-15T12:00:59.999Z')), first);
    assert.equal(minuteWindow(at('2026-03-15T12:01:00.000Z')).start, first.end);
  });
});

describe('the free period is the calendar month, UTC', () => {
  test('changes at the first instant of a month', () => {
    assert.deepEqual(period(null, '2026-02-28T23:59:59.999Z'), ['2026-02-01', '2026-03-01']);
    assert.deepEqual(period(null, '2026-03-01T00:00:00Z'), ['2026-03-01', '2026-04-01']);
    assert.deepEqual(period(null, '2026-12-31T23:59:59.999Z'), ['2026-12-01', '2027-01-01']);
  });

  test('February has 29 days in leap years, including 2000 and excluding 2100', () => {
    assert.deepEqual(period(null, '2028-02-29T12:00:00Z'), ['2028-02-01', '2028-03-01']);
    assert.equal(at('2000-03-01') - at('2000-02-01'), 29 * 86_400_000);
    assert.deepEqual(period(null, '2100-02-28T23:59:59.999Z'), ['2100-02-01', '2100-03-01']);
  });
});

describe('the paid period is a month counted from its anchor', () => {
  test('the same day and time of each month', () => {
    const [start, end] = period('2026-01-15T08:30:00Z', '2026-06-15T08:29:59.999Z');
    assert.deepEqual([start, end], ['2026-05-15T08:30:00.000Z', '2026-06-15T08:30:00.000Z']);
    assert.equal(period('2026-01-15T08:30:00Z', '2026-06-15T08:30:00Z')[0], end);
  });

  test('an anchor on the 31st becomes the last day of shorter months, and the 31st again afterwards', () => {
    const months = ['2026-01-31', '2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31', '2026-06-30', '2026-07-31'];
    for (const [index, start] of months.slice(0, -1).entries()) {
      assert.deepEqual(period('2026-01-31', `${start}T12:00:00Z`), [start, months[index + 1]]);
    }
    assert.deepEqual(period('2028-01-31', '2028-02-29'), ['2028-02-29', '2028-03-31'], 'in a leap year');
  });

  test('an anchor on 29 February becomes the 28th in other years and the 29th in all other months', () => {
    assert.deepEqual(period('2028-02-29', '2028-03-28'), ['2028-02-29', '2028-03-29']);
    assert.deepEqual(period('2028-02-29', '2029-02-28'), ['2029-02-28', '2029-03-29']);
    assert.deepEqual(period('2028-02-29', '2032-02-29'), ['2032-02-29', '2032-03-29']);
  });

  test('a reported end is used as it is, and months continue from there', () => {
    assert.deepEqual(period('2026-01-10', '2026-01-20', '2026-01-25'), ['2026-01-10', '2026-01-25']);
    assert.deepEqual(period('2026-01-10', '2026-01-25', '2026-01-25'), ['2026-01-25', '2026-02-25']);
    // Stripe clamps in the same way: a subscription from the 31st in its February period.
    assert.deepEqual(period('2026-02-28', '2026-03-30', '2026-03-31'), ['2026-02-28', '2026-03-31']);
    assert.deepEqual(period('2026-02-28', '2026-05-01', '2026-03-31'), ['2026-04-30', '2026-05-31']);
    assert.deepEqual(
      period('2026-01-31', '2026-03-01', '2026-02-28'),
      ['2026-02-28', '2026-03-31'],
      'the 31st is used again',
    );
    assert.deepEqual(
      period('2026-01-10', '2026-02-20', '2026-01-10'),
      ['2026-02-10', '2026-03-10'],
      'an end before the start is ignored',
    );
  });
});

const instant = fc.date({ min: new Date('1971-01-01'), max: new Date('2199-12-31'), noInvalidDate: true });
const moment = instant.map((date) => date.getTime());
const DAY = 86_400_000;
const terms = fc.record({
  periodAnchor: fc.option(moment),
  length: fc.option(fc.oneof(fc.integer({ min: -5 * DAY, max: 400 * DAY }), fc.constantFrom(28, 29, 30, 31))),
});

describe('for any anchor and end', () => {
  const toTerms = ({ periodAnchor, length }: { periodAnchor: number | null; length: number | null }) => ({
    periodAnchor,
    periodEnd: periodAnchor === null || length === null ? null : periodAnchor + length,
  });

  test('every instant is in exactly one period: no gaps and no overlaps', () => {
    fc.assert(
      fc.property(terms, moment, (given, now) => {
        const known = toTerms(given);
        const span = billingPeriod(known, now);
        assert.ok(span.start <= now && now < span.end);
        assert.deepEqual(billingPeriod(known, span.start), span);
        assert.deepEqual(billingPeriod(known, span.end - 1), span);
        assert.equal(billingPeriod(known, span.end).start, span.end);
        assert.equal(billingPeriod(known, span.start - 1).end, span.start);
      }),
      { numRuns: 5_000 },
    );
  });

  test('without a reported end, a paid period is a month that starts on the day of the anchor or the last day of the month', () => {
    fc.assert(
      fc.property(moment, moment, (periodAnchor, now) => {
        const { start, end } = billingPeriod({ periodAnchor, periodEnd: null }, now);
        assert.ok(end - start >= 28 * DAY && end - start <= 31 * DAY);
        const [wanted, got] = [new Date(periodAnchor), new Date(start)];
        const lastDay = new Date(Date.UTC(got.getUTCFullYear(), got.getUTCMonth() + 1, 0)).getUTCDate();
        assert.equal(got.getUTCDate(), Math.min(wanted.getUTCDate(), lastDay));
        assert.equal(start % DAY, periodAnchor % DAY, 'the time of day does not change');
      }),
      { numRuns: 2_000 },
    );
  });

  test('months are counted from one instant, so that the day does not drift', () => {
    fc.assert(
      fc.property(moment, fc.integer({ min: -600, max: 600 }), (from, months) => {
        assert.ok(addMonths(from, months) < addMonths(from, months + 1));
        assert.equal(addMonths(from, 0), from);
      }),
    );
  });
});

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
