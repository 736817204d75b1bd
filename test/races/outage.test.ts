import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import '../harness/impatient.ts';
import { createDatabase, useServer } from '../harness/databases.ts';
import { boundMs, isDeep, runs } from '../harness/depth.ts';
import type { Office, TestAccount } from '../harness/keys.ts';
import { type Answer, of, SEARCH, type ServerSet, startTraffic, tally } from '../harness/load.ts';
import { createPostgresServer, type PostgresServer, silence } from '../harness/postgres-server.ts';
import { useServers } from '../harness/server-set.ts';
import { until } from '../harness/until.ts';

/** Data endpoints answer 503 with Retry-After within this time instead of hanging. */
const WITHIN_MS = boundMs(2_000);
const RECOVERED_MS = boundMs(5_000);
/** Each server notices an outage by itself. */
const SERVERS = runs(1, 2);
/** Enough that requests arrive at every moment, even while others are blocked. */
const CALLERS = runs(40, 60);
/** An outage lasts at least this long, and until this many requests were refused. */
const OUTAGE_MS = runs(500, 3_500);
const MANY = 20;
/** Shorter than requests wait for the database. */
const SHORT_MS = runs(300, 700);

type Refused = () => Promise<void>;

interface Outage {
  readonly servers: ServerSet;
  readonly office: Office;
  readonly account: TestAccount;
  readonly paths: readonly string[];
  /** Breaks the database, waits until requests were refused, and restores it. */
  readonly happens: (refused: Refused) => Promise<void>;
}

interface Course {
  readonly answers: readonly Answer[];
  readonly during: readonly Answer[];
}

/** Sends traffic before, during and after an outage, and checks what must hold for every outage. */
async function endure({ servers, office, account, paths, happens }: Outage): Promise<Course> {
  const usedBefore = (await office.readUsed(account.accountId)).quota;
  const traffic = startTraffic({
    urls: servers.urls,
    paths,
    keys: account.keys,
    callers: CALLERS,
    pauseMs: runs(500, 120),
  });
  await until('there is load', () => of(200, traffic.answers).length > 2 * CALLERS);
  const began = performance.now();
  const refusedSince = () => of(503, traffic.answers).filter(({ sentAt }) => sentAt >= began).length;
  await happens(async () => {
    await sleep(OUTAGE_MS);
    await until('requests are refused', () => refusedSince() > MANY);
  });
  const ended = performance.now();
  await untilServed(traffic.answers, servers.urls, ended);
  const recovered = performance.now();
  await until('there is load again', () => countSince(traffic.answers, recovered) > CALLERS);
  const answers = await traffic.stop();

  const asked = (from: number, to = Number.POSITIVE_INFINITY) =>
    answers.filter(({ sentAt }) => sentAt >= from && sentAt < to);
  const kinds = Object.keys(tally(answers)).toSorted();
  assert.deepEqual(
    kinds.filter((kind) => !['200', '404 entity_not_found', '503 service_unavailable'].includes(kind)),
    [],
    JSON.stringify(tally(answers)),
  );
  const answeredBefore = answers.filter(({ sentAt, ms }) => sentAt + ms < began);
  assertServed(answeredBefore, 'refused before the outage');
  for (const { headers } of of(503, answers)) assert.ok(Number(headers['retry-after']) >= 1);
  for (const path of paths) {
    const slowest = Math.max(...answers.filter((answer) => answer.path === path).map(({ ms }) => ms));
    assert.ok(slowest < WITHIN_MS, `${path} took ${Math.round(slowest)} ms`);
  }
  assert.ok(recovered - ended < RECOVERED_MS, `recovery took ${Math.round(recovered - ended)} ms`);
  assertServed(asked(recovered + 200), 'refused after it had recovered');

  const readCharged = async () => (await office.readUsed(account.accountId)).quota - usedBefore;
  const served = of(200, answers).length;
  // Only requests in flight at the moment of the failure may be charged in vain; others are refunded.
  await until(`hardly more than the ${served} served requests are charged`, async () => {
    return (await readCharged()) <= served + CALLERS;
  });
  assert.ok((await readCharged()) >= served, `${served} were served and ${await readCharged()} charged`);
  return { answers, during: asked(began, ended) };
}

const countSince = (answers: readonly Answer[], from: number) => answers.filter(({ sentAt }) => sentAt > from).length;

/** On a busy machine, a few requests time out without an outage. */
function assertServed(answers: readonly Answer[], message: string): void {
  const refused = of(503, answers).length;
  assert.ok(refused <= (isDeep ? 0 : answers.length / 5), `${message}: ${JSON.stringify(tally(answers))}`);
}

/** Waits until each server has served a request that was sent after the outage. */
async function untilServed(answers: readonly Answer[], urls: readonly string[], ended: number): Promise<void> {
  const serves = (url: string) =>
    answers.some((answer) => answer.url === url && answer.status === 200 && answer.sentAt > ended);
  await until('every server serves again', () => urls.every(serves));
}

function describeCourse({ answers, during }: Course): string {
  const slowest = Math.max(...answers.map(({ ms }) => ms));
  return `all ${JSON.stringify(tally(answers))}, during ${JSON.stringify(tally(during))}, slowest ${Math.round(slowest)} ms`;
}

const UNKNOWN = '/api/v1/entities/00000000-0000-5000-8000-000000000000';
const ALL_ENDPOINTS = [SEARCH, '/api/v1/countries', UNKNOWN];
const loads = { 'all endpoints': ALL_ENDPOINTS, ...(isDeep && { search: [SEARCH] }) };

describe('PostgreSQL fails during traffic', () => {
  let postgres: PostgresServer;
  let account: TestAccount;
  const set = useServers({
    count: SERVERS,
    createDatabase: async () => {
      postgres = await createPostgresServer();
      return useServer(postgres);
    },
    prepare: async (office) => {
      account = await office.createAccount({ keys: 20 });
    },
  });
  after(() => postgres?.destroy());

  for (const [name, paths] of Object.entries(loads)) {
    test(`it crashes and restarts: ${name}`, async (t) => {
      const happens = async (refused: Refused) => {
        await postgres.stop('immediate');
        await refused();
        await postgres.start();
      };
      t.diagnostic(describeCourse(await endure({ ...set, account, paths, happens })));
    });

    test(`it hangs and resumes: ${name}`, async (t) => {
      const happens = (refused: Refused) => {
        const wake = silence(postgres.pid);
        return refused().finally(wake);
      };
      t.diagnostic(describeCourse(await endure({ ...set, account, paths, happens })));
    });
  }

  /** Locks tables so that every statement on them hangs, while the rest of the database works. */
  async function lockTables(tables: string, refused: Refused): Promise<void> {
    const holder = new pg.Client({ connectionString: postgres.url });
    await holder.connect();
    try {
      await holder.query(`BEGIN; LOCK TABLE ${tables} IN ACCESS EXCLUSIVE MODE`);
      await refused();
    } finally {
      await holder.end();
    }
  }

  test('only the meter hangs: no request is served uncharged', async (t) => {
    const happens = (refused: Refused) => lockTables('accounts.quotas', refused);
    t.diagnostic(describeCourse(await endure({ ...set, account, paths: ALL_ENDPOINTS, happens })));
  });

  test('only the records hang: requests for them are refunded', async (t) => {
    const before = (await set.office.readUsed(account.accountId)).quota;
    const tables = 'registry.entities, registry.holdings, registry.generation';
    const happens = (refused: Refused) => lockTables(tables, refused);
    const course = await endure({ ...set, account, paths: ALL_ENDPOINTS, happens });
    t.diagnostic(describeCourse(course));
    // Search answers from memory and is not affected.
    const searches = course.during.filter(({ path }) => path === SEARCH);
    assertServed(searches, 'searches were refused');
    assert.equal((await set.office.settle(account.accountId)).quota - before, of(200, course.answers).length);
  });

  test('it crashes several times in quick succession', async (t) => {
    const happens = async () => {
      for (let crash = 0; crash < runs(3, 5); crash++) {
        await postgres.stop('immediate');
        await postgres.start();
        await sleep(150 + 50 * crash);
      }
    };
    t.diagnostic(describeCourse(await endure({ ...set, account, paths: ALL_ENDPOINTS, happens })));
  });
});

describe('SQLite is locked by another process during traffic', () => {
  let account: TestAccount;
  const set = useServers({
    count: SERVERS,
    createDatabase: () => createDatabase('sqlite'),
    prepare: async (office) => {
      account = await office.createAccount({ keys: 20 });
    },
  });

  async function lockUntil(wait: () => Promise<unknown>): Promise<void> {
    const holder = new DatabaseSync(join(set.database.dataDir, 'accounts.db'), { timeout: 20_000 });
    try {
      holder.exec('BEGIN IMMEDIATE');
      await wait();
      holder.exec('ROLLBACK');
    } finally {
      holder.close();
    }
  }

  for (const [name, paths] of Object.entries(loads)) {
    test(`for long: requests are answered with 503 in time: ${name}`, async (t) => {
      t.diagnostic(describeCourse(await endure({ ...set, account, paths, happens: lockUntil })));
    });
  }

  test(`for ${SHORT_MS} ms: all requests wait and are served`, async (t) => {
    const course = await endure({
      ...set,
      account,
      paths: ALL_ENDPOINTS,
      happens: () => lockUntil(() => sleep(SHORT_MS)),
    });
    t.diagnostic(describeCourse(course));
    assertServed(course.answers, 'refused');
  });
});
