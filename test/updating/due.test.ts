import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parseUpdateTimes } from '../../src/base/config/update-times.ts';
import { type Freshness, periodOf, type Rhythm } from '../../src/base/freshness.ts';
import { findPause, listDue } from '../../src/import/update/schedule/schedule.ts';
import type { SourceCheck } from '../../src/registry/records/imports/store.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.parse('2026-03-15T12:00:00Z');

const rhythms: readonly Rhythm[] = ['daily', 'weekly', 'twice a month', 'monthly', 'quarterly', 'unknown'];
const freshnesses: readonly (Freshness | null)[] = ['fresh', 'due', 'overdue', null];
const register = fc.record({
  id: fc.constant('gb'),
  rhythm: fc.constantFrom(...rhythms),
  freshness: fc.constantFrom(...freshnesses),
});
const age = fc.integer({ min: 0, max: 200 * DAY });
const succeeded = (at: number): SourceCheck => {
  return { register: 'gb', attemptedAt: at, checkedAt: at, failures: 0, problem: null };
};
const failed = (at: number, failures: number): SourceCheck => {
  return { register: 'gb', attemptedAt: at, checkedAt: null, failures, problem: 'It failed.' };
};
const isDue = (kept: Parameters<typeof listDue>[0][0], check: SourceCheck | undefined, now: number, tick: number) =>
  listDue([kept], check === undefined ? [] : [check], { now, tick }).length === 1;

describe('which registers are due', () => {
  test('a register that was never checked is due', () => {
    fc.assert(fc.property(register, age, (kept, sinceTick) => isDue(kept, undefined, NOW, NOW - sinceTick)));
  });

  test('a successful check is not repeated before the next scheduled time, whatever the rhythm', () => {
    fc.assert(
      fc.property(register, age, age, (kept, sinceTick, later) => {
        const tick = NOW - sinceTick;
        return !isDue(kept, succeeded(tick + Math.min(later, sinceTick)), NOW, tick);
      }),
    );
  });

  test('a register stays due until it is attempted', () => {
    fc.assert(
      fc.property(register, age, age, age, fc.nat(8), (kept, checked, tickAge, later, failures) => {
        const at = NOW - checked;
        const check = failures === 0 ? succeeded(at) : failed(at, failures);
        const tick = NOW - tickAge;
        fc.pre(isDue(kept, check, NOW, tick));
        return isDue(kept, check, NOW + later, tick) && isDue(kept, check, NOW + later, tick + later);
      }),
    );
  });

  test('with a daily schedule no publisher is asked twice within half a day, and all are asked within a period', () => {
    fc.assert(
      fc.property(
        register,
        fc.integer({ min: 0, max: DAY }),
        fc.integer({ min: 0, max: 3 * HOUR }),
        (kept, hour, took) => {
          const period = periodOf(kept.rhythm) ?? 7 * DAY;
          let last: number | undefined;
          for (let tick = NOW + hour; tick < NOW + 120 * DAY; tick += DAY) {
            if (!isDue(kept, last === undefined ? undefined : succeeded(last), tick, tick)) continue;
            const at = tick + took;
            if (last !== undefined) {
              assert.ok(at - last >= DAY / 2);
              assert.ok(at - last <= Math.max(period, DAY) + 3 * HOUR);
              if (kept.freshness === 'due' || kept.freshness === 'overdue') assert.ok(at - last <= DAY + 3 * HOUR);
            }
            last = at;
          }
          assert.ok(last !== undefined);
        },
      ),
    );
  });

  test('a failed register is tried again after pauses that grow from an hour to a day, independent of the schedule', () => {
    assert.deepEqual(
      [1, 2, 3, 4, 5, 6, 7, 1_000].map((failures) => findPause(failures) / HOUR),
      [1, 2, 4, 8, 16, 24, 24, 24],
    );
    fc.assert(
      fc.property(register, fc.integer({ min: 1, max: 2_000 }), age, age, (kept, failures, since, tickAge) => {
        const due = isDue(kept, failed(NOW - since, failures), NOW, NOW - tickAge);
        return due === since >= findPause(failures);
      }),
    );
  });

  test('the order of the registers is kept, and checks of others are ignored', () => {
    const kept = ['lv', 'ee', 'gb'].map((id) => ({ id, rhythm: 'daily' as const, freshness: null }));
    const checks = [
      { ...succeeded(NOW - 1), register: 'ee' },
      { ...failed(NOW, 1), register: 'no' },
    ];
    assert.deepEqual(listDue(kept, checks, { now: NOW, tick: NOW - HOUR }), ['lv', 'gb']);
  });
});

const pad = (number: number) => String(number).padStart(2, '0');
const moment = fc.integer({ min: Date.parse('2026-01-01T00:00:00Z'), max: Date.parse('2029-12-31T00:00:00Z') });

describe('times of updates', () => {
  test('daily@HH:MM is that minute of every day in UTC, in leap years and when clocks change', () => {
    fc.assert(
      fc.property(fc.nat(23), fc.nat(59), moment, (hour, minute, now) => {
        const times = parseUpdateTimes(`daily@${pad(hour)}:${pad(minute)}`) ?? assert.fail();
        const latest = times.findLatest(now);
        assert.equal(new Date(latest).toISOString().slice(11), `${pad(hour)}:${pad(minute)}:00.000Z`);
        assert.ok(latest <= now && now < latest + DAY);
        assert.equal(times.findLatest(latest), latest);
        assert.equal(times.findLatest(latest - 1), latest - DAY);
      }),
    );
  });

  test('a cron expression is read in UTC', () => {
    const times = parseUpdateTimes('30 3 * * 1-5') ?? assert.fail();
    const latest = (now: string) => new Date(times.findLatest(Date.parse(now))).toISOString();
    assert.equal(latest('2026-11-16T03:29:59.999Z'), '2026-11-13T03:30:00.000Z');
    assert.equal(latest('2026-11-16T03:30:00.000Z'), '2026-11-16T03:30:00.000Z');
  });
});
