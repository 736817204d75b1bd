import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { parseUpdateTimes } from '../../src/base/config/update-times.ts';
import type { Db } from '../../src/base/db/db.ts';
import { createLease } from '../../src/base/db/lease.ts';
import { loadMigrations, migrate } from '../../src/base/db/migrate.ts';
import { openStore } from '../../src/base/db/open.ts';
import { createUpdateSchedule, type ScheduleOptions } from '../../src/import/update/schedule/schedule.ts';
import type { UpdateRun } from '../../src/import/update/schedule/update-process.ts';
import { describeUpdate, type UpdateOutcome } from '../../src/import/update/update.ts';
import { listChecks, recordFailure, recordSuccess } from '../../src/registry/records/imports/store.ts';
import { testClock } from '../harness/clock.ts';
import { createDatabase, type TestDatabase } from '../harness/databases.ts';
import { until } from '../harness/until.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const times = parseUpdateTimes('daily@03:00') ?? assert.fail();

describe('schedule of updates', () => {
  let database: TestDatabase;
  let registryDb: Db;
  let accountsDb: Db;
  before(async () => {
    database = await createDatabase('sqlite');
    registryDb = openStore('registry', database);
    accountsDb = openStore('accounts', database);
    await migrate(registryDb, loadMigrations('registry'), clock);
    await migrate(accountsDb, loadMigrations('accounts'), clock);
  });
  afterEach(async () => {
    await registryDb.run('DELETE FROM source_checks');
    await expireLease();
    clock.set('2026-03-15T12:00:00Z');
    lines.length = 0;
  });
  after(async () => {
    await registryDb.close();
    await accountsDb.close();
    await database[Symbol.asyncDispose]();
  });

  const clock = testClock();
  const lines: { readonly fields: Record<string, unknown>; readonly text: string }[] = [];
  const write = (fields: object | string, text = String(fields)) => void lines.push({ fields: Object(fields), text });
  /** As if its owner had not renewed it for a minute, and no record of its machine were left. */
  const expireLease = () => accountsDb.run('DELETE FROM leases');

  type Run = ScheduleOptions['runUpdate'];

  /** A server with its own schedule. It keeps two registers up to date. */
  function open(machine: string, runUpdate: Run, more: Partial<ScheduleOptions> = {}) {
    return createUpdateSchedule({
      times,
      lease: createLease({ db: accountsDb, name: 'updates', machine, renewMs: 5 }),
      db: registryDb,
      clock,
      log: { info: write, warn: write },
      listRegisters: async () => ['ee', 'gb'].map((id) => ({ id, rhythm: 'daily', freshness: 'fresh' })),
      runUpdate,
      count: () => undefined,
      machine,
      ...more,
    });
  }

  /** What the update process does to one register. */
  async function attempt(id: string, outcome: UpdateOutcome) {
    if (outcome === 'unchanged') await recordSuccess(registryDb, id, clock.now());
    if (outcome === 'failed') await recordFailure(registryDb, id, 'It failed.', clock.now());
    return describeUpdate(id, outcome, { message: outcome === 'failed' ? 'It failed.' : null });
  }
  const finish = async (id: string, outcome: UpdateOutcome = 'unchanged'): Promise<UpdateRun> => {
    return { result: await attempt(id, outcome), ending: 'exit code 0' };
  };
  const recordRuns = (runs: string[], outcome?: UpdateOutcome): Run => {
    return (id) => {
      runs.push(id);
      return finish(id, outcome);
    };
  };

  test('of three servers one updates all registers once per scheduled time', async () => {
    const runs: string[] = [];
    const servers = ['a', 'b', 'c'].map((machine) => open(machine, recordRuns(runs)));
    for (let round = 0; round < 5; round++) await Promise.all(servers.map((server) => server.step()));
    assert.deepEqual(runs, ['ee', 'gb']);
    clock.set('2026-03-16T02:59:59Z');
    for (const server of servers) await server.step();
    assert.equal(runs.length, 2);
    clock.set('2026-03-16T03:00:00Z');
    for (let round = 0; round < 5; round++) await Promise.all(servers.map((server) => server.step()));
    assert.equal(runs.length, 4);
  });

  test('exports are made after an update that changed data, under its lease, and not after one that changed nothing', async () => {
    const made: string[] = [];
    const openExporting = (machine: string, outcome: UpdateOutcome) =>
      open(machine, recordRuns([], outcome), {
        exports: {
          areMissing: async () => false,
          async make(signal) {
            const lease = await accountsDb.one<{ owner: string }>("SELECT owner FROM leases WHERE name = 'updates'");
            made.push(`${machine} ${lease?.owner.includes('a')} ${signal.aborted}`);
          },
        },
      });
    await openExporting('a', 'unchanged').step();
    assert.deepEqual(made, []);
    clock.set('2026-03-17T03:00:00Z');
    await openExporting('a', 'updated').step();
    assert.deepEqual(made, ['a true false']);
  });

  test('an export that failed is made at the next scheduled time, without new data, and not before', async () => {
    const runs: string[] = [];
    let [made, isMissing] = [0, true];
    const exports: ScheduleOptions['exports'] = {
      areMissing: async () => isMissing,
      async make() {
        made++;
        if (made === 2) isMissing = false;
      },
    };
    // Also if no register is due.
    const server = open('a', recordRuns(runs), { exports, listRegisters: async () => [] });
    await server.step();
    await server.step();
    assert.equal(made, 1, 'what failed waits');
    clock.set('2026-03-16T02:59:59Z');
    await server.step();
    assert.equal(made, 1);
    clock.set('2026-03-16T03:00:00Z');
    await server.step();
    assert.equal(made, 2);
    clock.set('2026-03-17T03:00:00Z');
    await server.step();
    assert.deepEqual([made, runs], [2, []], 'nothing is missing any more');
  });

  test('if the server that updates is killed, another one continues with what is left', async () => {
    const finishOne: Run = async () => {
      await attempt('ee', 'unchanged');
      return new Promise(() => undefined);
    };
    // A killed server does not renew its lease.
    const lease = createLease({ db: accountsDb, name: 'updates', machine: 'a', renewMs: 2 ** 31 - 1 });
    const killed = open('a', finishOne, { lease });
    const isDone = async () => (await listChecks(registryDb)).length === 1;
    void killed.step();
    await until('one register is updated', isDone);
    const runs: string[] = [];
    const other = open('b', recordRuns(runs));
    await other.step();
    assert.deepEqual(runs, [], 'the lease is still held');
    await expireLease();
    await other.step();
    await other.step();
    assert.deepEqual(runs, ['gb']);
  });

  test('what an update that succeeded has to say is logged', async () => {
    const outcomes = { ee: 'updated', gb: 'unchanged' } as const;
    const run: Run = async (id) => ({
      result: describeUpdate(id, outcomes[id as 'ee' | 'gb'], { message: 'Look at it.' }),
      ending: 'exit code 0',
    });
    await open('a', run).step();
    const notices = lines.flatMap(({ text, fields }) => ('notice' in fields ? [[text, fields.notice]] : []));
    assert.deepEqual(notices, [
      ['register updated', 'Look at it.'],
      ['register is up to date', 'Look at it.'],
    ]);
  });

  test('a failed register is logged with what to do, counted, and retried after an hour', async () => {
    const runs: string[] = [];
    const outcomes: string[] = [];
    const server = open('a', recordRuns(runs, 'failed'), { count: (outcome) => void outcomes.push(outcome) });
    await server.step();
    clock.advance(HOUR - 1);
    await server.step();
    assert.equal(runs.length, 2);
    clock.advance(1);
    await server.step();
    assert.equal(runs.length, 4);
    assert.deepEqual(outcomes, ['failed', 'failed', 'failed', 'failed']);
    assert.deepEqual(
      lines.filter(({ text }) => text.includes('could not')).map(({ fields }) => fields),
      [1, 1, 2, 2].map((failures, at) => {
        const register = at % 2 === 0 ? 'ee' : 'gb';
        return { register, failures, retryInHours: failures, problem: 'It failed.' };
      }),
    );
  });

  test('a process that crashes counts as a failure of its register, and the others are updated', async () => {
    const runs: string[] = [];
    const server = open('a', async (id) => {
      runs.push(id);
      return id === 'gb' ? { result: undefined, ending: 'signal SIGKILL' } : finish(id);
    });
    await server.step();
    await server.step();
    assert.deepEqual(runs, ['ee', 'gb']);
    const checks = await listChecks(registryDb);
    assert.deepEqual(
      checks.map(({ register, failures, problem }) => [register, failures, problem]),
      [
        ['ee', 0, null],
        ['gb', 1, 'The update process ended early (signal SIGKILL): see the log of the server.'],
      ],
    );
  });

  test('a register that another process updates is left alone for ten minutes', async () => {
    const runs: string[] = [];
    const server = open('a', recordRuns(runs, 'busy'));
    await server.step();
    clock.advance(10 * MINUTE - 1);
    await server.step();
    assert.equal(runs.length, 2);
    clock.advance(1);
    await server.step();
    assert.equal(runs.length, 4);
  });

  test('the machine that has the files gets a head start of a minute', async () => {
    await open('a', (id) => finish(id)).step();
    clock.set('2026-03-16T03:00:00Z');
    let time = 0;
    const runs: string[] = [];
    const other = open('b', recordRuns(runs), { measure: () => time });
    await other.step();
    time = MINUTE - 1;
    await other.step();
    assert.deepEqual(runs, []);
    time = MINUTE;
    await other.step();
    assert.deepEqual(runs, ['ee', 'gb']);
  });

  for (const [title, interrupt] of [
    ['a server that stops', (server: ReturnType<typeof open>) => void server.stop()],
    ['a server that loses its lease', () => void accountsDb.run("UPDATE leases SET owner = 'other x'")],
  ] as const) {
    test(`${title} stops its update, and does not count it as a failure`, async () => {
      const started = Promise.withResolvers<void>();
      const server = open('a', async (_id, signal) => {
        started.resolve();
        await until('the update is stopped', () => signal.aborted);
        return { result: undefined, ending: 'exit code 1' };
      });
      const step = server.step();
      await started.promise;
      interrupt(server);
      await step;
      assert.deepEqual(await listChecks(registryDb), []);
      assert.ok(lines.some(({ text }) => text.startsWith('update stopped')));
    });
  }
});
