import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import pg from 'pg';
import '../harness/impatient.ts';
import { useHeldService } from '../harness/held-service.ts';
import { until } from '../harness/until.ts';

/** Only the searches of the attacker have this filter, so that only they are held. */
const SLOW = '/api/v1/entities?activity=62012';
const SLOW_STATEMENT = /&& ARRAY/;
const SIMPLE = '/api/v1/entities?q=alpha';
/** A quarter of ten connections. */
const PER_ACCOUNT = 2;

describe('SEARCH_ENGINE=postgres: searches that do not end', () => {
  const started = useHeldService();

  test('one account with 100 of them in flight, in the API and on pages, keeps two connections; others are answered', async () => {
    const { held, service } = started();
    const attacker = await service.signIn();
    const { accountId } = attacker.account;
    const { secret } = await service.services.apiKeys.create(accountId, 'attack');
    const other = { headers: { 'x-api-key': await service.createKey() } };
    const release = held.hold(SLOW_STATEMENT);
    const attack = Array.from({ length: 100 }, (_, index) =>
      index % 4 === 0
        ? fetch(`${service.url}/explore?activity=62012`, { headers: { cookie: attacker.headers.cookie ?? '' } })
        : fetch(service.url + SLOW, { headers: { 'x-api-key': secret } }),
    );
    const ended = Promise.all(attack.map(async (reply) => (await reply).status));
    await until('the bound is reached', () => held.peak() >= PER_ACCOUNT);
    await until('another account is answered', async () => (await service.client.get(SIMPLE, other)).status === 200);
    const statuses = await ended;
    // The next search may start just before the connection of the previous one is closed.
    assert.ok(held.peak() <= 2 * PER_ACCOUNT, `${held.peak()} searches of one account ran at the same time`);
    release();
    assert.deepEqual(new Set(statuses), new Set([503]));
    const readUsed = async () => {
      const sql = 'SELECT used FROM quotas WHERE account_id = $1';
      return (await service.services.accountsDb.one<{ used: number }>(sql, [accountId]))?.used;
    };
    await until('nothing is charged', async () => (await readUsed()) === 0);
    const headers = { 'x-api-key': secret };
    await until(
      'the account is answered again',
      async () => (await service.client.get(SLOW, { headers })).status === 200,
    );
  });

  test('the server stops a search at the deadline of its request, and the connection is used again', async () => {
    const { service, database } = started();
    const admin = new pg.Client({ connectionString: database.databaseUrl });
    await admin.connect();
    const list = async (condition: string) => {
      const sql = `SELECT pid FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'firmament registry' AND ${condition} ORDER BY pid`;
      return (await admin.query<{ pid: number }>(sql)).rows.map(({ pid }) => pid);
    };
    /** Returns whether the server has stopped the search before the request timed out, and all connections are kept. */
    async function searchLocked(): Promise<boolean> {
      await until('search answers', async () => (await service.client.get(SIMPLE)).status === 200);
      const before = await list('true');
      await admin.query('BEGIN; LOCK TABLE registry.entities IN ACCESS EXCLUSIVE MODE');
      const { status, body } = await service.client.get(SIMPLE);
      assert.equal(status, 503);
      const isLocked = "query LIKE '%matching%' AND wait_event_type = 'Lock'";
      await until('it is stopped', async () => (await list(isLocked)).length === 0);
      await admin.query('ROLLBACK');
      const now = new Set(await list('true'));
      return /takes too long/.test(body.error.message) && before.every((pid) => now.has(pid));
    }
    try {
      // On a busy machine, the time-out of the client may be noticed before the answer of the server.
      let isKept = false;
      for (let tries = 0; tries < 5 && !isKept; tries++) isKept = await searchLocked();
      assert.ok(isKept, 'the search is not stopped in time, or connections are dropped');
    } finally {
      await admin.end();
    }
  });
});
