import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import '../harness/impatient.ts';
import { type TestDatabase, useServer } from '../harness/databases.ts';
import { boundMs } from '../harness/depth.ts';
import { type Office, openOffice } from '../harness/keys.ts';
import { of, SEARCH, type ServerSet, startServers } from '../harness/load.ts';
import { paymentEnv } from '../harness/payment-events.ts';
import { createPostgresServer, type PostgresServer } from '../harness/postgres-server.ts';
import { until } from '../harness/until.ts';
import { startPressure } from './pressure.ts';

/** test/db/outage.deep.test.ts stops, pauses and locks PostgreSQL, and requires every answer within two seconds. */
const paths = [SEARCH, '/api/v1/countries'];
const allowed = ['503 service_unavailable'];
/** The recovery time promised to operators, counted from when the database accepts connections again. */
const RECOVERED_MS = boundMs(5_000);
/** And until requests are refused. */
const PAUSE_MS = 5_000;

describe('PostgreSQL is killed or paused under load, with payment events arriving', () => {
  let postgres: PostgresServer;
  let database: TestDatabase;
  let office: Office;
  let servers: ServerSet;
  before(async () => {
    postgres = await createPostgresServer();
    database = useServer(postgres);
    office = openOffice(database);
    await office.createAccount();
    servers = await startServers(database, 2, paymentEnv);
  });
  after(async () => {
    await servers?.close();
    await office?.[Symbol.asyncDispose]();
    await postgres?.destroy();
    await database?.[Symbol.asyncDispose]();
  });

  const childrenOf = (pid: number) =>
    execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(pid)], { encoding: 'utf8' })
      .trim()
      .split('\n');
  const isGone = (pid: number) => {
    try {
      return !process.kill(pid, 0);
    } catch {
      return true;
    }
  };

  /** The fault lasts until `noticed` resolves. A short one may end before a request notices it. */
  async function endure(happens: (noticed: () => Promise<void>) => Promise<void>): Promise<string> {
    await using pressure = await startPressure({ office, urls: () => servers.urls, paths, allowed });
    await happens(() => until('requests are refused', () => of(503, pressure.answers).length > 0));
    const recovered = await pressure.untilServed();
    assert.ok(recovered < RECOVERED_MS, `recovery took ${recovered} ms`);
    const { summary } = await pressure.end();
    return `${summary}, served again after ${recovered} ms`;
  }

  test('kill -9 of the server, which starts again two seconds later', async (t) => {
    const kill = async (noticed: () => Promise<void>) => {
      const pids = childrenOf(postgres.pid).map((line) => Number.parseInt(line, 10));
      process.kill(postgres.pid, 'SIGKILL');
      // A new server refuses to start before the child processes have noticed and exited.
      await until('all its processes are gone', () => pids.every(isGone));
      await sleep(2_000);
      await noticed();
      await postgres.start();
    };
    t.diagnostic(await endure(kill));
  });

  test('kill -9 of one connection: PostgreSQL drops all others and recovers', async (t) => {
    const kill = async () => {
      const connections = childrenOf(postgres.pid).filter((line) => /firmament|127\.0\.0\.1/.test(line));
      const pids = connections.map((line) => Number.parseInt(line, 10));
      const [victim] = connections;
      assert.ok(victim, 'there is no connection');
      process.kill(Number.parseInt(victim, 10), 'SIGKILL');
      await until('PostgreSQL has dropped all connections', () => pids.every(isGone));
    };
    t.diagnostic(await endure(kill));
  });

  test(`paused for at least ${PAUSE_MS / 1_000} seconds`, async (t) => {
    const pause = async (noticed: () => Promise<void>) => {
      const pids = [...childrenOf(postgres.pid).map((line) => Number.parseInt(line, 10)), postgres.pid];
      for (const pid of pids) process.kill(pid, 'SIGSTOP');
      try {
        await sleep(PAUSE_MS);
        await noticed();
      } finally {
        for (const pid of pids) process.kill(pid, 'SIGCONT');
      }
    };
    t.diagnostic(await endure(pause));
  });
});
