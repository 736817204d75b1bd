import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createDatabase, engines } from '../harness/databases.ts';
import { type Answer, countdown, fire, inOneMinute, numbersOf, of, startTraffic, tally } from '../harness/load.ts';
import { useServers } from '../harness/server-set.ts';
import { until } from '../harness/until.ts';

const PROCESSES = 3;
/** Several server processes on one database, and more callers than the limit allows. */
for (const engine of engines) {
  describe(`limits over ${PROCESSES} processes on ${engine}`, () => {
    const set = useServers({ count: PROCESSES, createDatabase: () => createDatabase(engine) });

    for (const how of ['one key', 'one key per server', 'three keys']) {
      test(`200 parallel callers on a quota of 150: exactly 150 succeed, ${how}`, async () => {
        const account = await set.office.createAccount({ left: 150, keys: how === 'one key' ? 1 : 3 });
        const { urls } = set.servers;
        // Requests with one key compete for its rate window first; those with different keys only for the quota.
        const answers =
          how === 'one key per server'
            ? await Promise.all(
                urls.map((url, index) => {
                  const count = Math.floor((200 + index) / PROCESSES);
                  return fire(count, { urls: [url], keys: account.keys.slice(index, index + 1), callers: count });
                }),
              ).then((parts) => parts.flat())
            : await fire(200, { urls, keys: account.keys, callers: 200 });
        assert.deepEqual(tally(answers), { 200: 150, '429 monthly_quota_exceeded': 50 });
        assert.deepEqual(numbersOf('x-monthly-quota-remaining', of(200, answers)), countdown(150));
        assert.deepEqual(new Set(numbersOf('x-monthly-quota-remaining', of(429, answers))), new Set([0]));
        assert.ok(of(429, answers).every(({ headers }) => Number(headers['retry-after']) >= 1));
        assert.ok(urls.every((url) => of(200, answers).some((answer) => answer.url === url)));
        const used = await set.office.readUsed(account.accountId);
        assert.deepEqual(used, { quota: account.quota, daily: 150 });
      });
    }

    test('200 parallel callers on a window of 60: exactly 60 succeed', async () => {
      const { account, minute, answers } = await inOneMinute(async (minute) => {
        const account = await set.office.createAccount({ plan: 'free' });
        const answers = await fire(200, { urls: set.servers.urls, keys: account.keys, callers: 200 });
        return { account, minute, answers };
      });
      assert.deepEqual(tally(answers), { 200: 60, '429 rate_limit_exceeded': 140 });
      assert.deepEqual(numbersOf('x-ratelimit-remaining', of(200, answers)), countdown(60));
      for (const { headers } of of(429, answers)) {
        assert.equal(headers['x-ratelimit-remaining'], '0');
        assert.equal(headers['x-ratelimit-reset'], String((minute + 1) * 60));
        assert.ok(Number(headers['retry-after']) >= 1 && Number(headers['retry-after']) <= 60);
      }
      assert.deepEqual(await set.office.readUsed(account.accountId), { quota: 60, daily: 60 });
    });

    testChanges(set);
  });
}

/** A revoked key or changed plan takes effect immediately on the machine that changed it, and here on all others. */
const WITHIN_MS = 1_000;

/** Registers the tests of changes under load. */
function testChanges(set: ReturnType<typeof useServers>): void {
  /** Makes a change under load and returns the answers to requests sent before and well after it. */
  async function changeUnderLoad(keys: readonly string[], change: () => Promise<void>) {
    const traffic = startTraffic({ urls: set.servers.urls, keys, callers: 6, pauseMs: 30 });
    await until('every server has load', () => set.servers.urls.every((url) => from(url, traffic.answers).length > 40));
    const asked = performance.now();
    await change();
    const changed = performance.now();
    // The second starts at the change, which is never later than its reply.
    const isLater = ({ sentAt }: Answer) => sentAt > changed + WITHIN_MS;
    await until('every server has load later', () =>
      set.servers.urls.every((url) => from(url, traffic.answers).filter(isLater).length > 5),
    );
    const answers = await traffic.stop();
    const before = answers.filter(({ sentAt, ms }) => sentAt + ms < asked);
    return { changed, before, later: answers.filter(isLater), answers };
  }

  const from = (url: string, answers: readonly Answer[]) => answers.filter((answer) => answer.url === url);

  test('a revoked key is refused immediately by the process that revoked it, and within a second by the others', async () => {
    const account = await set.office.createAccount({ keys: 2 });
    const [key = '', other = ''] = account.keys;
    const [here = '', ...elsewhere] = set.servers.urls;
    const { changed, before, later, answers } = await changeUnderLoad([key], async () => {
      const headers = { cookie: account.cookie, origin: here };
      const reply = await fetch(`${here}/api/v1/api-keys/${account.keyIds[0]}`, { method: 'DELETE', headers });
      assert.equal(reply.status, 204);
    });
    assert.deepEqual(Object.keys(tally(before)), ['200']);
    for (const url of set.servers.urls) assert.ok(from(url, before).length > 5, 'there was no load');
    const sentHere = from(here, answers).filter(({ sentAt }) => sentAt > changed);
    assert.ok(sentHere.length > 0);
    assert.deepEqual(tally(sentHere), { '401 invalid_api_key': sentHere.length });
    for (const url of elsewhere) {
      const its = from(url, later);
      assert.deepEqual(tally(its), { '401 invalid_api_key': its.length });
    }
    // Refused requests are not charged, and the other key of the account still works.
    const used = await set.office.readUsed(account.accountId);
    assert.equal(used.quota, of(200, answers).length);
    for (const url of set.servers.urls) {
      const reply = await fetch(`${url}/api/v1/countries`, { headers: { 'x-api-key': other } });
      assert.equal(reply.status, 200);
    }
  });

  test('a higher plan takes effect in every process within a second', async () => {
    const { before, later } = await inOneMinute(async () => {
      const account = await set.office.createAccount({ plan: 'free' });
      return changeUnderLoad(account.keys, () => set.office.setPlan(account.accountId, 'pro'));
    });
    assert.deepEqual(limitsOf(before), ['60']);
    for (const url of set.servers.urls) {
      const its = from(url, later);
      assert.deepEqual(limitsOf(its), ['600']);
      // The window of 60 was used up; the window of 600 is not.
      assert.deepEqual(tally(its), { 200: its.length });
    }
  });
}

function limitsOf(answers: readonly Answer[]): unknown[] {
  return [...new Set(answers.map(({ headers }) => headers['x-ratelimit-limit']))];
}
