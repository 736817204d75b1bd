import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { describe, test } from 'node:test';
import { usualEngines } from '../harness/databases.ts';
import {
  codeOf,
  DETAIL,
  DRAFT_HEADERS,
  ENDPOINTS,
  limitsOf,
  METERING_HEADERS,
  readDraftLimits,
  useMeteredService,
} from './metered-service.ts';

const NONE = '/api/v1/monitors/00000000-0000-4000-8000-000000000000';
const REQUESTS: readonly [method: string, path: string, status: number][] = [
  ['GET', '/api/v1/monitors', 200],
  ['HEAD', '/api/v1/monitors', 200],
  ['GET', '/api/v1/monitors?x=%E0%A4', 400],
  ['POST', '/api/v1/monitors', 400],
  ['GET', NONE, 404],
  ['PATCH', NONE, 404],
  ['DELETE', NONE, 404],
  ['GET', `${NONE}/entities`, 404],
  ['POST', `${NONE}/entities`, 404],
  ['GET', `${NONE}/changes`, 404],
  ['GET', `${NONE}/changes?limit=0`, 400],
];

for (const engine of usualEngines) {
  describe(`metering headers on ${engine}`, () => {
    const metered = useMeteredService(engine);
    const { get, newKey, setQuota, setWindow, setPlan } = metered;

    test('RateLimit and RateLimit-Policy say the same as structured fields, with a condition, on errors and on both 429', async () => {
      const key = await newKey();
      const policy = { window: { q: 60, w: 60 }, quota: { q: 1_000, w: 31 * 86_400 } };
      // From 12:00:17.25 on 15 March, rounded up: to the next minute and to 1 April.
      const [window, quota] = [43, 16.5 * 86_400 - 17];
      const states: [string, Record<string, string>, number, number][] = [
        [DETAIL, {}, 59, 999],
        [DETAIL, { 'if-none-match': '*' }, 58, 998],
        ['/api/v1/entities?page=0', {}, 57, 998],
      ];
      for (const [path, more, perMinute, perPeriod] of states) {
        const state = { window: { r: perMinute, t: window }, quota: { r: perPeriod, t: quota } };
        assert.deepEqual(readDraftLimits((await get(path, key, more)).headers), { policy, state }, path);
      }
      const denied = async (code: string) => {
        const reply = await get(DETAIL, key);
        assert.equal(codeOf(reply), `429 ${code}`);
        return { retryAfter: Number(reply.headers.get('retry-after')), ...readDraftLimits(reply.headers).state };
      };
      await setQuota(key, 1_000);
      const used = { r: 0, t: quota };
      assert.deepEqual(await denied('monthly_quota_exceeded'), {
        retryAfter: quota,
        window: { r: 56, t: window },
        quota: used,
      });
      await setWindow(key, 60);
      assert.deepEqual(await denied('rate_limit_exceeded'), {
        retryAfter: window,
        window: { r: 0, t: window },
        quota: used,
      });
    });

    test('the policy has the length of the billing period', async () => {
      const key = await newKey('pro');
      await setPlan(key, 'pro', '2026-01-31T10:20:30.000Z');
      const { policy } = readDraftLimits((await get('/api/v1/countries', key)).headers);
      // From 28 February to 31 March.
      assert.deepEqual(policy.quota, { q: 100_000, w: 31 * 86_400 });
    });

    test('header names have one spelling and occur once, on 200 and on both 429', async () => {
      const key = await newKey();
      const seen = new Map<string, Set<string>>();
      const checkHeaders = async (path: string, status: number) => {
        const raw = await readRaw(metered.service.url + path, key.secret);
        assert.equal(raw.status, status, path);
        for (const name of raw.names) {
          const forms = seen.get(name.toLowerCase()) ?? new Set();
          seen.set(name.toLowerCase(), forms.add(name));
        }
        for (const name of [...METERING_HEADERS, ...DRAFT_HEADERS]) {
          const same = raw.names.filter((each) => each.toLowerCase() === name.toLowerCase());
          assert.equal(same.length, 1, `${name} on ${status} of ${path}`);
        }
      };
      for (const path of ENDPOINTS) await checkHeaders(path, 200);
      await setQuota(key, 1_000);
      for (const path of ENDPOINTS) await checkHeaders(path, 429);
      await setWindow(key, 60);
      for (const path of ENDPOINTS) await checkHeaders(path, 429);
      for (const [name, forms] of seen) assert.equal(forms.size, 1, `${name}: ${[...forms].join(', ')}`);
      assert.ok(seen.has('retry-after') && seen.has('x-request-id'));
    });

    function send(method: string, path: string, credentials: Record<string, string>) {
      const json = ['POST', 'PATCH'].includes(method);
      const headers = { ...credentials, ...(json && { 'content-type': 'application/json' }) };
      return metered.service.client.request(method, path, { headers, ...(json && { body: '{}' }) });
    }

    test('requests with a key have them and use its window, but no quota', async () => {
      const key = await metered.newKey();
      for (const [index, [method, path, status]] of REQUESTS.entries()) {
        const reply = await send(method, path, key.headers);
        const isRead = ['GET', 'HEAD'].includes(method);
        assert.equal(reply.status, isRead ? status : 403, `${method} ${path}`);
        const expected = ['60', String(59 - index), '1773576060', '1000', '1000', '2026-04-01T00:00:00.000Z'];
        assert.deepEqual(limitsOf(reply), expected, `${method} ${path}`);
      }
      assert.deepEqual(await metered.counts(key), [REQUESTS.length, 0]);
    });

    test('requests with a session do not have them, but those for changes do, which are charged', async () => {
      const { session } = await metered.newKey();
      for (const [method, path, status] of REQUESTS) {
        const reply = await send(method, path, session.headers);
        const [limit, , , quota] = limitsOf(reply);
        const expected = path.includes('/changes') ? ['60', '1000'] : [null, null];
        assert.deepEqual([reply.status, limit, quota], [status, ...expected], `${method} ${path}`);
      }
    });
  });
}

describe('limits in the contract', () => {
  const contract = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'));
  const ALL = [...METERING_HEADERS, ...DRAFT_HEADERS];
  type Responses = Readonly<Record<string, { headers?: Record<string, object>; 'x-error-codes'?: string[] }>>;
  /** Answers before the meter have none of the headers. These may come before or after it. */
  const [NEVER, MAYBE] = [
    ['401', '405', '408', '414', '431'],
    ['400', '413', '415', '500', '503'],
  ];

  test('operations with a key declare all headers on every answer after the meter, and no other operation does', () => {
    let metered = 0;
    for (const [path, operations] of Object.entries<Record<string, { security: object[]; responses: Responses }>>(
      contract.paths,
    )) {
      for (const [method, { security, responses }] of Object.entries(operations)) {
        const takesKey = security.some((scheme) => 'apiKey' in scheme);
        const takesSession = security.some((scheme) => 'session' in scheme);
        if (takesKey) metered++;
        for (const [status, { headers = {} }] of Object.entries(responses)) {
          const isOptional = takesSession || MAYBE.includes(status);
          for (const name of ALL) {
            const reference = { $ref: `#/components/headers/${isOptional ? 'Optional-' : ''}${name}` };
            const expected = takesKey && !NEVER.includes(status) ? reference : undefined;
            assert.deepEqual(headers[name], expected, `${method} ${path} ${status} ${name}`);
          }
        }
        if (!takesKey || takesSession) continue;
        for (const status of [429, 503]) assert.ok('Retry-After' in (responses[status]?.headers ?? {}), path);
        const isDownload = ['/api/v1/entities', '/api/v1/exports/{generation}/{path}'].includes(path);
        const codes = ['rate_limit_exceeded', 'monthly_quota_exceeded'];
        if (isDownload) codes.push('concurrency_limit_exceeded');
        assert.deepEqual(responses[429]?.['x-error-codes'], codes, path);
      }
    }
    assert.ok(metered > 30, `${metered} operations`);
  });

  test('the headers have the documented types and are required', () => {
    for (const name of ALL) {
      const { schema, required, description } = contract.components.headers[name];
      const type = name.startsWith('X-') ? 'integer' : 'string';
      const expected = name === 'X-Monthly-Quota-Reset' ? ['string', 'date-time'] : [type, undefined];
      assert.deepEqual([schema.type, schema.format], expected, name);
      assert.deepEqual([required, contract.components.headers[`Optional-${name}`].required], [true, false]);
      assert.ok(description.length > 10);
    }
  });
});

function readRaw(url: string, key: string): Promise<{ status: number; names: string[] }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers: { 'x-api-key': key } }, (response) => {
      response.resume();
      response.on('end', () => {
        const names = response.rawHeaders.filter((_, index) => index % 2 === 0);
        resolve({ status: response.statusCode ?? 0, names });
      });
    });
    sent.on('error', reject).end();
  });
}
