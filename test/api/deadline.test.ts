import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import '../harness/impatient.ts';
import type { Db } from '../../src/db/db.ts';
import { openStore } from '../../src/db/open.ts';
import { isDeep, runs } from '../harness/depth.ts';
import { importCompanies } from '../harness/entities.ts';
import { useHeldService } from '../harness/held-service.ts';
import { startService, type TestService } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { company } from '../registry/gb-file.ts';
import { codeOf, DETAIL, UNKNOWN } from './metered-service.ts';

const SEARCH = '/api/v1/entities?q=alpha';

/** A new account, whose key is not cached yet. */
async function createAccount({ signIn, services }: TestService) {
  const { accountId } = (await signIn()).account;
  const { secret } = await services.apiKeys.create(accountId, 'test');
  const sql = 'SELECT used FROM quotas WHERE account_id = $1';
  return {
    headers: { 'x-api-key': secret },
    readUsed: async (db: Db) => (await db.one<{ used: number }>(sql, [accountId]))?.used ?? 0,
  };
}

/** The database does not answer at this step of the request, for as long as the request lasts. */
interface Step {
  readonly name: string;
  readonly statement: RegExp;
  readonly path: string;
  readonly expected: string;
}

const TIMED_OUT = '503 service_unavailable';
const steps: readonly Step[] = [
  { name: 'the lookup of the key', statement: /FROM api_keys k/, path: SEARCH, expected: TIMED_OUT },
  { name: 'the rate window', statement: /INTO rate_windows/, path: SEARCH, expected: TIMED_OUT },
  { name: 'the commit of the charge', statement: /^COMMIT/, path: SEARCH, expected: TIMED_OUT },
  { name: 'the record', statement: /FROM generation g/, path: DETAIL, expected: TIMED_OUT },
  { name: 'the list of countries', statement: /FROM country_holdings/, path: '/api/v1/countries', expected: TIMED_OUT },
  { name: 'the search', statement: /WITH matching/, path: SEARCH, expected: TIMED_OUT },
  // The answer is known by then. It is sent, and the refund continues.
  { name: 'the refund', statement: /UPDATE quotas SET/, path: UNKNOWN, expected: '404 entity_not_found' },
];

/** Whatever the database does, a client waits at most two seconds. On a busy machine it takes longer, so only `test:deep` checks it. */
async function getInTime({ client }: TestService, path: string, headers: Record<string, string>) {
  const sentAt = performance.now();
  const reply = await client.get(path, { headers });
  const ms = performance.now() - sentAt;
  if (isDeep) assert.ok(ms < 2_000, `answered after ${ms} ms`);
  return reply;
}

/** A conditional request is not taken by the data lane. */
const ways = [
  { by: 'by the data lane', headers: {} },
  { by: 'by Fastify', headers: { 'if-none-match': '"x"' } },
].slice(0, runs(1, 2));

describe('a request has one deadline: PostgreSQL does not answer', () => {
  /** Not behind the proxy. */
  let accounts: Db;
  after(() => accounts?.close());
  const started = useHeldService();
  before(async () => {
    accounts = openStore('accounts', started().database);
    // The client compiles the contract with its first reply, which would count in the time of the first test.
    await started().service.client.get('/api/v1/plans');
  });

  const cases = steps.flatMap((step) => ways.map((way) => ({ ...step, way })));
  for (const { name, statement, path, expected, way } of cases) {
    test(`${name} hangs: the request is answered ${way.by} and costs nothing`, async () => {
      const { held, service } = started();
      const { headers, readUsed } = await createAccount(service);
      const release = held.hold(statement);
      try {
        // The client checks the body against the contract.
        const reply = await getInTime(service, path, { ...headers, ...way.headers });
        assert.equal(`${reply.status} ${reply.body?.error?.code}`, expected);
        assert.ok(held.held() > 0, 'the statement was not held');
        if (expected === TIMED_OUT) assert.ok(Number(reply.headers.get('retry-after')) >= 1);
      } finally {
        release();
      }
      await until('nothing is charged', async () => (await readUsed(accounts)) === 0);
      // Requests are served again, on connections that work.
      await until('the service recovers', async () => (await service.client.get(SEARCH, { headers })).status === 200);
      await until('only the served request is charged', async () => (await readUsed(accounts)) === 1);
    });
  }

  // The same without waiting, on both databases: test/http/data-lane-failures.test.ts.
  test('every step takes 600 ms: together they take too long', { skip: !isDeep && 'only in test:deep' }, async () => {
    const { held, service } = started();
    const { headers, readUsed } = await createAccount(service);
    let isAnswered = false;
    const answering = getInTime(service, DETAIL, headers).finally(() => {
      isAnswered = true;
    });
    while (!isAnswered) {
      const release = held.hold(/FROM api_keys k|INTO rate_windows|FROM generation g/);
      await sleep(600);
      release();
    }
    assert.equal(codeOf(await answering), TIMED_OUT);
    await until('nothing is charged', async () => (await readUsed(accounts)) === 0);
  });
});

test('SQLite is locked by another process: the request is answered while it is, and costs nothing', async () => {
  await using service = await startService('sqlite');
  await importCompanies(service, [company('00000001', 'ALPHA LTD')]);
  const { headers, readUsed } = await createAccount(service);
  const file = join(service.database.dataDir, 'accounts.db');
  using holder = new DatabaseSync(file);
  holder.exec('BEGIN IMMEDIATE');
  for (const path of [SEARCH, DETAIL, '/api/v1/countries']) {
    const reply = await getInTime(service, path, headers);
    assert.equal(`${reply.status} ${reply.body?.error?.code}`, TIMED_OUT);
    assert.ok(Number(reply.headers.get('retry-after')) >= 1);
  }
  holder.exec('ROLLBACK');
  assert.equal((await service.client.get(SEARCH, { headers })).status, 200);
  await until('only the served request is charged', async () => (await readUsed(service.services.accountsDb)) === 1);
});
