import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { readUpdateTimes } from '../../src/config/update-times.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const pad = (number: number) => String(number).padStart(2, '0');
const moment = fc.integer({ min: Date.parse('2026-01-01T00:00:00Z'), max: Date.parse('2029-12-31T00:00:00Z') });

describe('times of updates', () => {
  test('daily@HH:MM is that minute of every day in UTC, in leap years and when clocks change', () => {
    fc.assert(
      fc.property(fc.nat(23), fc.nat(59), moment, (hour, minute, now) => {
        const times = readUpdateTimes(`daily@${pad(hour)}:${pad(minute)}`) ?? assert.fail();
        const latest = times.findLatest(now);
        assert.equal(new Date(latest).toISOString().slice(11), `${pad(hour)}:${pad(minute)}:00.000Z`);
        assert.ok(latest <= now && now < latest + DAY);
        assert.equal(times.findLatest(latest), latest);
        assert.equal(times.findLatest(latest - 1), latest - DAY);
      }),
    );
  });

  test('a cron expression is read in UTC', () => {
    const times = readUpdateTimes('30 3 * * 1-5') ?? assert.fail();
    const latest = (now: string) => new Date(times.findLatest(Date.parse(now))).toISOString();
    assert.equal(latest('2026-11-16T03:29:59.999Z'), '2026-11-13T03:30:00.000Z');
    assert.equal(latest('2026-11-16T03:30:00.000Z'), '2026-11-16T03:30:00.000Z');
  });
});
