import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { createSharedClock } from '../../src/base/db/shared-clock.ts';
import { engines } from '../harness/databases.ts';
import { startService } from '../harness/service.ts';

const DAY = 24 * 3_600_000;

describe('the shared clock', () => {
  const START = Date.parse('2026-03-15T12:00:00.000Z');
  /** A database whose answers take some time, on this machine's clock. */
  function createWorld({ offset = 0, latencyMs = 0 }) {
    const world = { now: START, offset, latencyMs, isDown: false, lines: [] as unknown[] };
    const keep = (...line: unknown[]) => void world.lines.push(line);
    const clock = createSharedClock({
      local: { now: () => world.now },
      log: { info: keep, warn: keep },
      db: {
        engine: 'postgres',
        async one<R extends object>() {
          if (world.isDown) throw new Error('down');
          const time = world.now + world.offset;
          world.now += world.latencyMs;
          return { time } as R;
        },
      },
    });
    return { world, clock };
  }

  test('a slow answer and a small difference are no reason to correct', async () => {
    for (const [offset, latencyMs] of [
      [0, 0],
      [999, 0],
      [-999, 0],
      [0, 30_000],
      [900, 30_000],
    ] as const) {
      const { world, clock } = createWorld({ offset, latencyMs });
      await clock.measure();
      assert.equal(clock.now(), world.now);
      assert.deepEqual(world.lines, []);
    }
  });

  test('corrects by what is certain, keeps it while it fits, and drops it when the machine is right again', async () => {
    const { world, clock } = createWorld({ offset: DAY, latencyMs: 2_000 });
    await clock.measure();
    assert.equal(clock.now(), world.now + DAY - 2_000, 'the answer arrived two seconds after it was true');
    world.latencyMs = 100;
    await clock.measure();
    assert.ok(Math.abs(clock.now() - world.now - DAY) <= 2_000);
    const corrected = clock.now() - world.now;
    await clock.measure();
    assert.equal(clock.now() - world.now, corrected, 'no jitter');
    world.isDown = true;
    await assert.rejects(clock.measure());
    assert.equal(clock.now() - world.now, corrected, 'an outage changes nothing');
    Object.assign(world, { isDown: false, offset: 0 });
    await clock.measure();
    assert.equal(clock.now(), world.now);
  });

  test('on SQLite, the machine is the only one, and nothing is asked', async () => {
    const local = { now: () => START };
    const db = { engine: 'sqlite' as const, one: () => assert.fail('asked') };
    const clock = createSharedClock({ db, local, log: { info: () => undefined, warn: () => undefined } });
    await clock.measure();
    assert.equal(clock.now(), START);
  });

  if (engines.includes('postgres')) {
    test('a service whose machine is a day behind uses the time of PostgreSQL, and its log says so once', async () => {
      const localClock = { now: () => systemClock.now() - DAY };
      await using service = await startService('postgres', { localClock });
      // The correction is off by at most the time of the question.
      assert.ok(Math.abs(service.clock.now() - systemClock.now()) < 60_000);
      const warnings = service.logLines.filter((line) => line.includes('check NTP'));
      const seconds = warnings.map((line) => (JSON.parse(line) as { seconds: number }).seconds);
      assert.equal(seconds.length, 1);
      assert.ok(Math.abs((seconds[0] ?? 0) - DAY / 1_000) < 60, `${seconds[0]} s`);
    });
  }
});
