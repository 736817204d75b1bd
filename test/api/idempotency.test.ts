import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { serializeItem } from 'structured-headers';
import { IdempotencyHeaders, readIdempotencyKey } from '../../src/api/serving/account-operation.ts';
import { Failure } from '../../src/base/errors.ts';
import { dumpAccounts } from '../attack/victim.ts';
import { usualEngines } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';
import { describeOn } from '../harness/describe-on.ts';
import { startService, type TestService, type TestSession } from '../harness/service.ts';

const KEYS = '/api/v1/api-keys';
const LINKS = '/api/v1/reconcile-links';
const MONITORS = '/api/v1/monitors';
const ENDPOINTS = '/api/v1/webhook-endpoints';
const DAY = 86_400_000;
const NEW_ENDPOINT = { url: 'https://example.com/hook' };

describeOn(usualEngines, 'Idempotency-Key', (engine) => {
  let service: TestService;
  /** A second server on the same database. */
  let second: TestService;
  before(async () => {
    const env = { WEBHOOK_KEY: Buffer.alloc(32, 1).toString('base64') };
    service = await startService(engine, { env });
    const { clock, database } = service;
    const elsewhere = { ...env, PUBLIC_URL: service.url };
    second = await startService(engine, {
      clock,
      env: elsewhere,
      database: { ...database, [Symbol.asyncDispose]: async () => undefined },
    });
  });
  after(async () => {
    await second?.[Symbol.asyncDispose]();
    await service?.[Symbol.asyncDispose]();
  });

  const post = (path: string, { headers }: TestSession, key: string, json: object, to = service) =>
    to.client.request('POST', path, { headers: { ...headers, 'idempotency-key': key }, json });
  const create = (session: TestSession, key: string, name = 'production', to = service) =>
    post(KEYS, session, key, { name }, to);
  const listNames = async ({ account }: TestSession) =>
    (await service.services.apiKeys.list(account.accountId)).map(({ name }) => name);

  for (const [path, body, plan] of [
    [KEYS, { name: 'a' }, 'free'],
    [LINKS, { name: 'a' }, 'free'],
    [MONITORS, { name: 'a', entities: [] }, 'pro'],
    [ENDPOINTS, NEW_ENDPOINT, 'pro'],
  ] as const) {
    test(`POST ${path}: a repeated key is 409 and names what was made, which can then be removed`, async () => {
      const session = await service.signIn({ plan });
      const key = randomUUID();
      const first = await post(path, session, key, body);
      assert.equal(first.status, 201, first.text);
      const { id } = first.body.data;
      for (const [again, to] of [
        [body, second],
        [{ ...body, ...('name' in body ? { name: 'another' } : {}) }, service],
      ] as const) {
        const { status, body: reply, text } = await post(path, session, `"${key}"`, again, to);
        assert.equal(status, 409, text);
        assert.deepEqual([status, reply.error.code, reply.error.resourceId], [409, 'idempotency_key_reused', id]);
        assert.ok(reply.error.message.includes(id), reply.error.message);
      }
      const { headers } = session;
      assert.equal((await service.client.request('DELETE', `${path}/${id}`, { headers })).status, 204);
      assert.equal((await post(path, session, key, body)).status, 409, 'also after it was removed');
      assert.equal((await post(path, session, randomUUID(), body)).status, 201);
    });
  }

  test('a key is new again after 24 hours, and after a request that failed', async () => {
    const session = await service.signIn({ plan: 'free' });
    const key = randomUUID();
    const first = await create(session, key);
    const refused = await create(session, randomUUID());
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'api_key_limit_reached']);
    service.clock.advance(DAY - 1);
    assert.equal((await create(session, key)).body.error.code, 'idempotency_key_reused');
    service.clock.advance(1);
    assert.equal((await create(session, key)).body.error.code, 'api_key_limit_reached');
    await service.services.apiKeys.revoke(session.account.accountId, first.body.data.id);
    const renewed = await create(session, key);
    assert.equal(renewed.status, 201);
    assert.notEqual(renewed.body.data.secret, first.body.data.secret);
  });

  test('an invalid key: 400, and nothing changes', async () => {
    const session = await service.signIn({ plan: 'business' });
    const reply = await create(session, 'short');
    assert.deepEqual([reply.status, reply.body.error.code], [400, 'invalid_request']);
    assert.match(reply.body.error.message, /^The Idempotency-Key header /);
    assert.deepEqual(await listNames(session), []);
  });

  test('the database and the log have neither the secret nor the key, nor anything else that the request returned', async () => {
    const session = await service.signIn({ plan: 'free' });
    const key = randomUUID();
    const { secret } = (await create(session, key)).body.data;
    const texts = [await dumpAccounts(service.services.accountsDb), service.logLines].map((each) => each.join('\n'));
    assert.ok(texts[0]?.includes('idempotency_keys'), 'nothing is stored');
    for (const hidden of [secret.slice(15), key]) {
      for (const form of [hidden, Buffer.from(hidden).toString('base64url'), Buffer.from(hidden).toString('hex')]) {
        for (const stored of texts) assert.ok(!stored.includes(form), `${hidden} is stored`);
      }
    }
    const rows = await service.services.accountsDb.all<object>('SELECT * FROM idempotency_keys');
    assert.deepEqual(Object.keys(rows[0] ?? {}), ['id', 'resource_id', 'expires_at']);
  });
});

/** Node joins the fields of several headers. */
const read = (...fields: string[]) => readIdempotencyKey(fields.join(', '));

const PRINTABLE = fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code));
const UUID = '6f1c2c1e-4a0d-4d5e-9b57-3c2f0f4a8e11';

describe('the Idempotency-Key header', () => {
  test('every string of 16 to 255 characters can be sent as a structured field', () => {
    fc.assert(
      fc.property(fc.string({ unit: PRINTABLE, minLength: 16, maxLength: 255 }), (key) => {
        assert.equal(read(serializeItem(key)), key);
      }),
    );
  });

  test('a bare value, as clients of Stripe send it, is the same key as the quoted one', () => {
    for (const key of [UUID, 'KG5LxwFBepaKHyUD', 'order_1234567890.retry:7/a+b=c~']) {
      assert.equal(read(key), key);
      assert.equal(read(`"${key}"`), key);
    }
  });

  test('the contract accepts exactly the same values', () => {
    const { 'Idempotency-Key': schema } = IdempotencyHeaders.properties;
    const isAllowed = new Ajv2020({ strict: false }).compile(schema);
    const part = fc.oneof(PRINTABLE, fc.constantFrom('"', '\\"', '\\\\', 'é', ',', ';'));
    const text = fc.oneof(
      fc.string({ unit: part, maxLength: 30 }),
      fc.constantFrom(0, 1, 15, 16, 255, 256).map((length) => 'x'.repeat(length)),
      fc.constantFrom(15, 16, 255, 256).map((length) => '\\"'.repeat(length)),
    );
    fc.assert(
      fc.property(text, fc.boolean(), (given, isQuoted) => {
        const field = isQuoted ? `"${given}"` : given;
        const isRead = (() => {
          try {
            return read(field) !== undefined;
          } catch {
            return false;
          }
        })();
        assert.equal(isAllowed(field), isRead, field);
      }),
      { numRuns: runs(1_000, 100_000) },
    );
  });

  test('without the header there is no key', () => {
    assert.equal(readIdempotencyKey(undefined), undefined);
  });

  const refused: Record<string, string[]> = {
    'sent twice': [UUID, UUID],
    'joined by a proxy': [`${UUID}, ${UUID}`],
    'joined and quoted': [`"${UUID}", "${UUID}"`],
    empty: [''],
    'an empty string': ['""'],
    'too short': ['a'.repeat(15)],
    'too long': ['a'.repeat(256)],
    'too long with escapes': [`"${'\\"'.repeat(256)}"`],
    'with a space': ['a key with spaces in it'],
    'with a parameter': [`"${UUID}";a=1`],
    'with an open quote': [`"${UUID}`],
    'with an unknown escape': ['"0123456789abcdef\\n"'],
    'not ASCII': ['ÿ'.repeat(20)],
  };
  for (const [title, fields] of Object.entries(refused)) {
    test(`refused: ${title}`, () => {
      const isExpected = (error: unknown) =>
        error instanceof Failure && error.code === 'invalid_request' && /send it once, with 16/.test(error.message);
      assert.throws(() => read(...fields), isExpected);
    });
  }
});
