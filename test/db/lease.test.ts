import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Db } from '../../src/base/db/db.ts';
import { createLease, SHORT_LEASE_MS } from '../../src/base/db/lease.ts';
import { engines, useStore } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';
import { describeOn } from '../harness/describe-on.ts';
import { until } from '../harness/until.ts';

const NAME = 'updates';
const MINUTE = 60_000;

describeOn(engines, 'lease', (engine) => {
  const { db } = useStore(engine, 'accounts');

  /** Lets time pass for the lease: it expires that much earlier. */
  const pass = (ms: number) => db.run('UPDATE leases SET expires_at = expires_at - $1', [ms]);
  const clear = () => db.run('DELETE FROM leases');
  const open = (machine: string, more = {}) => createLease({ db, name: NAME, machine, renewMs: 2 ** 31 - 1, ...more });

  test('a lease that was lost stops the work, and is not taken back', async () => {
    await clear();
    const other = open('b');
    let stopped = false;
    const ran = await open('a', { renewMs: 5 }).hold(async (signal) => {
      await pass(2 * MINUTE);
      await db.run("UPDATE leases SET owner = 'b x', expires_at = $1", [2 ** 52]);
      await until('the work is stopped', () => signal.aborted);
      stopped = true;
    });
    assert.ok(ran && stopped);
    assert.equal(await other.readLastMachine(), 'b');
    assert.equal(await other.hold(() => Promise.reject(new Error('someone else has the lease'))), false);
  });

  for (const leaseMs of [MINUTE, SHORT_LEASE_MS]) {
    test(`of ${leaseMs / 1_000} s: work is stopped after two thirds if the database does not respond, and another takes over`, async () => {
      await clear();
      let time = 0;
      let isDown = false;
      const broken = {
        engine: db.engine,
        run: db.run,
        one: ((...args) => (isDown ? Promise.reject(new Error('down')) : db.one(...args))) as Db['one'],
      };
      const lease = createLease({ db: broken, name: NAME, machine: 'a', leaseMs, renewMs: 5, measure: () => time });
      await lease.hold(async (signal) => {
        isDown = true;
        time = (leaseMs * 2) / 3 - 1_000;
        for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
        assert.equal(signal.aborted, false);
        time += 1_000;
        await until('the work is stopped', () => signal.aborted);
        await pass(leaseMs);
        assert.equal(await open('b').hold(async () => undefined), true);
      });
    });
  }

  test('it is renewed while work goes on, and released at its end, even after an error', async () => {
    await clear();
    const lease = open('a', { renewMs: 5 });
    await assert.rejects(
      lease.hold(async (signal) => {
        await pass(MINUTE / 2);
        const { row } = await readRow();
        await until('it is renewed', async () => ((await readRow()).row?.expires ?? 0) > (row?.expires ?? 0) + 1);
        assert.equal(signal.aborted, false);
        throw new Error('the work failed');
      }),
      /the work failed/,
    );
    assert.equal((await readRow()).row?.expires, 0);
    assert.equal(await lease.readLastMachine(), 'a');
  });

  async function readRow() {
    const row = await db.one<{ expires: number }>('SELECT expires_at AS expires FROM leases WHERE name = $1', [NAME]);
    return { row };
  }

  /** Half a minute each, so that the time that the test takes does not matter. */
  const duration = fc.integer({ min: 1, max: 4 }).map((halves) => (halves * MINUTE) / 2);
  const owner = fc.nat(2);
  const step = fc.oneof(
    fc.record({
      kind: fc.constant('ask' as const),
      owner,
      skew: fc.integer({ min: -10 * MINUTE, max: 10 * MINUTE }),
    }),
    fc.record({ kind: fc.constant('end' as const), owner }),
    fc.record({ kind: fc.constant('crash' as const), owner }),
    fc.record({ kind: fc.constant('pass' as const), duration }),
  );

  test('whichever owners crash and however wrong their clocks are, there are never two, and one takes over', async (t) => {
    const realNow = Date.now;
    let skew = 0;
    t.mock.method(Date, 'now', () => realNow() + skew);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        await clear();
        const leases = ['a', 'b', 'c'].map((machine) => open(machine));
        let held: { readonly by: number; end(): void; readonly ended: Promise<boolean> } | undefined;
        let expiresIn = 0;
        for (const action of steps) {
          if (action.kind === 'pass') {
            await pass(action.duration);
            expiresIn -= action.duration;
          } else if (action.kind === 'ask') {
            skew = action.skew;
            const started = Promise.withResolvers<true>();
            const { promise, resolve } = Promise.withResolvers<void>();
            const ended = (leases[action.owner] ?? assert.fail()).hold(() => {
              started.resolve(true);
              return promise;
            });
            const isTaken = await Promise.race([started.promise, ended]);
            assert.equal(isTaken, expiresIn <= 0, 'it is taken exactly if it is free or has expired');
            if (isTaken) {
              held = { by: action.owner, end: resolve, ended };
              expiresIn = MINUTE;
            }
          } else if (held?.by === action.owner) {
            if (action.kind === 'end') {
              held.end();
              await held.ended;
              expiresIn = 0;
            }
            held = undefined;
          }
        }
        await pass(MINUTE);
        assert.equal(await open('d').hold(async () => undefined), true, 'another process takes over');
      }),
      { numRuns: runs(30, 150) },
    );
  });
});
