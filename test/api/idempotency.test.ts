import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { request as open } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { sealRequest } from '../../src/accounts/idempotency/sealed-request.ts';
import { dumpAccounts } from '../attack/victim.ts';
import { engines } from '../harness/databases.ts';
import { startService, type TestService, type TestSession } from '../harness/service.ts';
import { openShop, type Shop } from '../harness/shop.ts';
import { until } from '../harness/until.ts';

const KEYS = '/api/v1/api-keys';
const CHECKOUT = '/api/v1/billing/checkout';
const PORTAL = '/api/v1/billing/portal';
const DAY = 86_400_000;

for (const engine of engines) {
  describe(`Idempotency-Key on ${engine}`, () => {
    let shop: Shop;
    let service: TestService;
    /** A second server on the same database. */
    let second: TestService;
    before(async () => {
      shop = await openShop(engine);
      service = shop.service;
      second = await startSecond();
    });
    after(async () => {
      await second?.[Symbol.asyncDispose]();
      await shop[Symbol.asyncDispose]();
    });

    const startSecond = () => {
      const { clock, database } = service;
      const env = { PUBLIC_URL: service.url };
      return startService(engine, { clock, env, database: { ...database, remove: async () => undefined } });
    };
    const post = (path: string, { headers }: TestSession, key: string, body?: object, to = service) =>
      to.client.request('POST', path, {
        headers: {
          ...headers,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          'idempotency-key': key,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    const create = (session: TestSession, key: string, name = 'production', to = service) =>
      post(KEYS, session, key, { name }, to);
    /** The webhook secret of the shop is that of its provider, so plans are granted by the other server. */
    const signInPaid = () => second.signIn({ plan: 'business' });
    const listNames = async ({ account }: TestSession) =>
      (await service.services.apiKeys.list(account.accountId)).map(({ name }) => name);
    const isReplay = ({ headers }: { headers: Headers }) => headers.get('idempotent-replayed');

    test('200 equal parallel requests to two servers make one key, and all get the same reply', async () => {
      const session = await service.signIn({ plan: 'free' });
      const key = randomUUID();
      const replies = await Promise.all(
        Array.from({ length: 200 }, (_, at) => create(session, key, 'production', at % 2 ? second : service)),
      );
      assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([201]));
      assert.equal(new Set(replies.map(({ text }) => text)).size, 1);
      assert.equal(replies.filter((reply) => isReplay(reply) === null).length, 1, 'one of them made the key');
      assert.equal(replies.filter((reply) => isReplay(reply) === 'true').length, 199);
      assert.deepEqual(await listNames(session), ['production']);
      const { secret } = replies[0]?.body.data ?? {};
      const used = await service.client.get('/api/v1/countries', { headers: { 'x-api-key': secret } });
      assert.equal(used.status, 200);
    });

    test('a server that started later repeats the reply, for 24 hours, at the key limit and after the key was used', async () => {
      const session = await service.signIn({ plan: 'free' });
      const key = randomUUID();
      const first = await create(session, key);
      assert.deepEqual([first.status, isReplay(first)], [201, null]);
      await service.client.get('/api/v1/countries', { headers: { 'x-api-key': first.body.data.secret } });
      service.clock.advance(DAY - 1);
      {
        await using restarted = await startSecond();
        const again = await create(session, `"${key}"`, ' production ', restarted);
        assert.deepEqual([again.status, again.text, isReplay(again)], [201, first.text, 'true']);
      }
      service.clock.advance(1);
      const late = await create(session, key);
      assert.deepEqual([late.status, late.body.error.code], [409, 'api_key_limit_reached'], 'the key is new again');
      await service.services.apiKeys.revoke(session.account.accountId, first.body.data.id);
      const renewed = await create(session, key);
      assert.deepEqual([renewed.status, isReplay(renewed)], [201, null], 'an error is not kept');
      assert.notEqual(renewed.body.data.secret, first.body.data.secret);
    });

    test('the same key with another body: 422, and nothing changes', async () => {
      const session = await signInPaid();
      const key = randomUUID();
      await create(session, key);
      for (const to of [service, second]) {
        const reply = await create(session, key, 'staging', to);
        assert.deepEqual([reply.status, reply.body.error.code], [422, 'idempotency_key_reused']);
      }
      assert.deepEqual(await listNames(session), ['production']);
    });

    test('a key belongs to one account and one operation', async () => {
      const [anna, ben] = [await service.signIn({ plan: 'free' }), await service.signIn({ plan: 'free' })];
      const key = randomUUID();
      const [hers, his] = [await create(anna, key), await create(ben, key)];
      assert.deepEqual([hers.status, his.status, isReplay(his)], [201, 201, null]);
      assert.notEqual(hers.body.data.secret, his.body.data.secret);
      const pages = [await post(CHECKOUT, anna, key, { plan: 'pro' }), await post(PORTAL, anna, key)];
      assert.deepEqual(pages.map(isReplay), [null, null]);
      assert.notEqual(pages[0]?.body.data.url, pages[1]?.body.data.url);
    });

    test('an invalid key: 400, and nothing changes', async () => {
      const session = await signInPaid();
      for (const key of ['', 'short', 'x'.repeat(256), 'with spaces in the middle', '"']) {
        for (const [path, body] of [[KEYS, { name: 'a' }], [CHECKOUT, { plan: 'pro' }], [PORTAL]] as const) {
          const reply = await post(path, session, key, body);
          assert.deepEqual([reply.status, reply.body.error.code], [400, 'invalid_request'], `${path} ${key}`);
          assert.match(reply.body.error.message, /^The Idempotency-Key header /);
        }
      }
      const sent = open(service.url + KEYS, {
        method: 'POST',
        headers: {
          ...session.headers,
          'content-type': 'application/json',
          'idempotency-key': [randomUUID(), randomUUID()],
        },
      }).end('{"name":"a"}');
      const body = await new Promise<string>((resolve, reject) => {
        sent.on('error', reject).on('response', (response) => resolve(text(response)));
      });
      assert.match(body, /The Idempotency-Key header was sent more than once: send it once\./);
      assert.deepEqual(await listNames(session), []);
    });

    test('a stolen database and the log reveal neither the secret nor the key', async () => {
      const session = await service.signIn({ plan: 'free' });
      const key = randomUUID();
      const { secret } = (await create(session, key)).body.data;
      const page = await post(CHECKOUT, session, key, { plan: 'pro' });
      const texts = [await dumpAccounts(service.services.accountsDb), service.logLines].map((each) => each.join('\n'));
      assert.ok(texts[0]?.includes('idempotent_replies'), 'nothing is stored');
      // What is stored for the API key, as someone sees it who has the client's key.
      const request = { accountId: session.account.accountId, operation: 'createApiKey', key, body: 'production' };
      const { id, unseal } = sealRequest(request);
      const stored = await service.services.accountsDb.one<{ reply: string }>(
        'SELECT reply FROM idempotent_replies WHERE id = $1',
        [id],
      );
      const unsealed = unseal(stored?.reply ?? '');
      assert.ok(unsealed.includes('"salt"') && !unsealed.includes(secret.slice(15)), unsealed);
      for (const hidden of [secret.slice(15), key, page.body.data.url]) {
        for (const form of [hidden, Buffer.from(hidden).toString('base64url'), Buffer.from(hidden).toString('hex')]) {
          for (const stored of texts) assert.ok(!stored.includes(form), `${hidden} is stored`);
        }
      }
    });

    for (const [path, body] of [[CHECKOUT, { plan: 'business' }], [PORTAL]] as const) {
      test(`${path}: 50 equal parallel requests open one page; repeated requests get it again`, async () => {
        const session = await service.signIn({ plan: 'free' });
        const key = randomUUID();
        const countAnswers = () =>
          Object.keys(shop.sandbox.readState().answers).filter((name) => !name.startsWith('customer-')).length;
        const before = countAnswers();
        const replies = await Promise.all(Array.from({ length: 50 }, () => post(path, session, key, body)));
        assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
        assert.equal(new Set(replies.map((reply) => reply.body.data.url)).size, 1);
        assert.equal(replies.filter((reply) => isReplay(reply) === null).length, 1);
        assert.equal(countAnswers() - before, 1, 'the provider was asked more than once');
        // The second server has no provider: it answers from what is stored.
        const elsewhere = await post(path, session, key, body, second);
        assert.deepEqual([elsewhere.text, isReplay(elsewhere)], [replies[0]?.text, 'true']);
        const other = await post(path, session, randomUUID(), body);
        assert.notEqual(other.body.data.url, replies[0]?.body.data.url);
      });
    }

    test('a repeated request for a key that was revoked since: 409, without the secret', async () => {
      const session = await service.signIn({ plan: 'free' });
      const key = randomUUID();
      const first = await create(session, key);
      const { headers } = session;
      await second.client.request('DELETE', `${KEYS}/${first.body.data.id}`, { headers });
      for (const to of [service, second]) {
        const again = await create(session, key, 'production', to);
        assert.deepEqual([again.status, again.body.error.code], [409, 'api_key_revoked']);
        assert.ok(!again.text.includes(first.body.data.secret));
      }
      assert.equal((await create(session, randomUUID())).status, 201);
    });

    test('the portal is repeated while its address works, and then opened again, once', async () => {
      const session = await service.signIn({ plan: 'free' });
      const key = randomUUID();
      const first = await post(PORTAL, session, key);
      service.clock.advance(5 * 60_000 - 1_000);
      const early = await post(PORTAL, session, key);
      assert.deepEqual([early.text, isReplay(early)], [first.text, 'true']);
      const urls = new Set([first.body.data.url]);
      for (const pause of [1_000, 20 * 3_600_000]) {
        service.clock.advance(pause);
        const late = await Promise.all(Array.from({ length: 5 }, () => post(PORTAL, session, key)));
        assert.equal(new Set(late.map(({ text }) => text)).size, 1);
        assert.equal(late.filter((reply) => isReplay(reply) === null).length, 1);
        const { url } = late[0]?.body.data ?? {};
        assert.equal(urls.has(url), false, 'an address that no longer works was repeated');
        urls.add(url);
        assert.equal((await fetch(url)).status, 200);
      }
    });

    test('a checkout is repeated until it expires', async () => {
      const session = await service.signIn({ plan: 'free' });
      const key = randomUUID();
      const first = await post(CHECKOUT, session, key, { plan: 'pro' });
      service.clock.advance(DAY - 2_000);
      const early = await post(CHECKOUT, session, key, { plan: 'pro' });
      assert.deepEqual([early.text, isReplay(early)], [first.text, 'true']);
      const { expires_at: expiresAt } = Object.values(shop.sandbox.readState().checkouts).at(-1)?.session ?? {};
      service.clock.advance((expiresAt ?? 0) * 1_000 - service.clock.now());
      const late = await post(CHECKOUT, session, key, { plan: 'pro' });
      assert.equal(isReplay(late), null);
      assert.notEqual(late.body.data.url, first.body.data.url);
    });

    test('checkout of another plan with the same key: 422; a failed checkout can be repeated with its key', async () => {
      const session = await service.signIn({ plan: 'free' });
      const key = randomUUID();
      const unavailable = await post(CHECKOUT, session, key, { plan: 'pro' }, second);
      assert.deepEqual([unavailable.status, unavailable.body.error.code], [503, 'billing_unavailable']);
      assert.equal((await post(CHECKOUT, session, key, { plan: 'pro' })).status, 200);
      const reply = await post(CHECKOUT, session, key, { plan: 'business' });
      assert.deepEqual([reply.status, reply.body.error.code], [422, 'idempotency_key_reused']);
    });

    test('after a crash between the provider and our database, a repeated request gets the same page', async () => {
      const session = await service.signIn({ plan: 'free' });
      const key = randomUUID();
      const first = await post(CHECKOUT, session, key, { plan: 'pro' });
      await service.services.accountsDb.run('DELETE FROM idempotent_replies');
      const again = await post(CHECKOUT, session, key, { plan: 'pro' });
      assert.deepEqual([again.text, isReplay(again)], [first.text, null]);
    });

    test('without the header, each request is carried out', async () => {
      const session = await signInPaid();
      const headers = { ...session.headers, 'content-type': 'application/json' };
      for (let at = 0; at < 2; at++) {
        const reply = await service.client.request('POST', KEYS, { headers, body: '{"name":"same"}' });
        assert.deepEqual([reply.status, isReplay(reply)], [201, null]);
      }
      assert.deepEqual(await listNames(session), ['same', 'same']);
    });
  });
}

test('a running server deletes expired replies in the background', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  await using service = await startService('sqlite');
  const { accountsDb } = service.services;
  const sql = 'INSERT INTO idempotent_replies (id, request_hash, reply, expires_at) VALUES ($1, $2, $3, $4)';
  for (const expiresAt of [service.clock.now(), service.clock.now() + 1]) {
    await accountsDb.run(sql, [String(expiresAt), '', '', expiresAt]);
  }
  t.mock.timers.tick(600_000);
  const count = async () => (await accountsDb.one<{ n: number }>('SELECT count(*) AS n FROM idempotent_replies'))?.n;
  await until('only the valid reply is left', async () => (await count()) === 1);
});
