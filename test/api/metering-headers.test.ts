import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { describe, test } from 'node:test';
import { fail } from '../../src/core/errors.ts';
import { createApiKey } from '../../src/core/secrets.ts';
import { NO_KEY } from '../harness/client.ts';
import { engines } from '../harness/databases.ts';
import { DRAFT_HEADERS, readDraftLimits } from './draft-limits.ts';
import {
  codeOf,
  DETAIL,
  ENDPOINTS,
  INVALID,
  limitsOf,
  METERING_HEADERS,
  UNKNOWN,
  useMeteredService,
} from './metered-service.ts';

for (const engine of engines) {
  describe(`metering headers on ${engine}`, () => {
    const metered = useMeteredService(engine);
    const { get, newKey, setQuota, setWindow, counts, setPlan } = metered;

    describe('the six headers', () => {
      test('every 200 of all three endpoints has exact values for GET and HEAD, one less with each request', async () => {
        const key = await newKey();
        let left = 60;
        for (const path of ENDPOINTS) {
          for (const method of ['GET', 'HEAD']) {
            const reply = await metered.service.client.request(method, path, { headers: key.headers });
            left--;
            assert.equal(reply.status, 200);
            assert.deepEqual(
              limitsOf(reply),
              ['60', String(left), '1773576060', '1000', String(940 + left), '2026-04-01T00:00:00.000Z'],
              `${method} ${path}`,
            );
          }
        }
        assert.equal(Date.parse('2026-03-15T12:01:00Z') / 1000, 1_773_576_060);
        assert.deepEqual(await counts(key), [6, 6]);
      });

      for (const [plan, perMinute, perPeriod] of [
        ['free', 60, 1_000],
        ['pro', 600, 100_000],
        ['business', 3_000, 1_000_000],
      ] as const) {
        test(`plan ${plan}: ${perMinute} requests per minute, ${perPeriod} per period`, async () => {
          const key = await newKey(plan);
          const [limit, left, , quota, quotaLeft] = limitsOf(await get('/api/v1/countries', key)).map(Number);
          assert.deepEqual([limit, left, quota, quotaLeft], [perMinute, perMinute - 1, perPeriod, perPeriod - 1]);
          // The last allowed request passes, the next one does not.
          await setWindow(key, perMinute - 1);
          assert.equal(codeOf(await get('/api/v1/countries', key)), '200');
          assert.equal(codeOf(await get('/api/v1/countries', key)), '429 rate_limit_exceeded');
          metered.service.clock.advance(60_000);
          await setQuota(key, perPeriod - 1);
          assert.equal(codeOf(await get('/api/v1/countries', key)), '200');
          assert.equal(codeOf(await get('/api/v1/countries', key)), '429 monthly_quota_exceeded');
        });
      }

      test('every other answer after the meter has them too, with the quota as it is after the refund', async (t) => {
        const key = await newKey();
        const { client } = metered.service;
        const tag = (await get(DETAIL, key)).headers.get('etag') ?? '';
        let left = 59;
        const check = async (path: string, status: number, more: Record<string, string> = {}) => {
          for (const method of ['GET', 'HEAD']) {
            const reply = await client.request(method, path, { headers: { ...key.headers, ...more } });
            left--;
            assert.equal(reply.status, status, `${method} ${path}`);
            assert.deepEqual(
              limitsOf(reply),
              ['60', String(left), '1773576060', '1000', '999', '2026-04-01T00:00:00.000Z'],
              `${method} ${path} → ${status}`,
            );
          }
        };
        await check(DETAIL, 304, { 'if-none-match': tag });
        for (const path of INVALID) await check(path, 400);
        await check('/api/v1/entities?q=%E0%A4', 400);
        await check(UNKNOWN, 404);
        t.mock.method(metered.service.services.search, 'find', ({ q }: { q: string }) => {
          throw q === 'broken' ? new Error(q) : fail('service_unavailable', { retryAfter: 1 });
        });
        await check('/api/v1/entities?q=broken', 500);
        await check('/api/v1/entities?q=down', 503);
        assert.deepEqual(await counts(key), [60 - left, 1]);
      });

      test('an answer after the last request of the quota: 200 has 0 left, 304 and 400 and 404 have 1 left', async () => {
        const key = await newKey();
        const tag = (await get(DETAIL, await newKey())).headers.get('etag') ?? '';
        await setQuota(key, 999);
        const remaining = async (path: string, more = {}) =>
          (await get(path, key, more)).headers.get('X-Monthly-Quota-Remaining');
        assert.equal(await remaining(DETAIL, { 'if-none-match': tag }), '1');
        assert.equal(await remaining(UNKNOWN), '1');
        assert.equal(await remaining('/api/v1/entities?page=0'), '1');
        assert.equal(await remaining(DETAIL), '0');
        assert.equal(codeOf(await get('/api/v1/entities?page=0', key)), '400 invalid_request');
        assert.equal(await remaining('/api/v1/entities?page=0'), '0');
      });

      test('the quota of a paid plan resets at the end of its billing period', async () => {
        const key = await newKey('pro');
        await setPlan(key, 'pro', '2026-01-31T10:20:30.000Z');
        const reply = await get('/api/v1/countries', key);
        assert.equal(reply.headers.get('X-Monthly-Quota-Reset'), '2026-03-31T10:20:30.000Z');
      });

      test('RateLimit and RateLimit-Policy say the same as structured fields, from the lane, from Fastify and on both 429', async () => {
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

      test('responses to unauthenticated requests do not have them', async () => {
        for (const key of [NO_KEY, createApiKey('live'), 'damaged']) {
          const reply = await get('/api/v1/countries', { headers: { 'x-api-key': key } });
          assert.equal(reply.status, 401);
          assert.deepEqual(limitsOf(reply), Array(6).fill(null));
        }
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
    });
  });
}

type Responses = Record<string, { readonly headers: Record<string, object> }>;

describe('limits in the contract', () => {
  const contract = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'));
  const DATA = [
    '/api/v1/countries',
    '/api/v1/classifications/elf',
    '/api/v1/classifications/isic',
    '/api/v1/entities',
    '/api/v1/entities/{id}',
    '/api/v1/match',
    '/api/v1/changes',
    '/api/v1/entities/{id}/changes',
    '/api/v1/entities/{id}/parties',
    '/api/v1/entities/{id}/owners',
    '/api/v1/entities/{id}/holdings',
    '/api/v1/exports',
    '/api/v1/exports/{generation}/{path}',
  ];
  /** Of requests with a body. */
  const COUNTED_BODIES = ['413', '415'];
  const COUNTED = ['200', '206', '302', '304', '400', '403', '404', '410', '416', '429', '500', '503'];

  for (const path of DATA) {
    for (const method of ['get', 'head', ...('post' in contract.paths[path] ? ['post'] : [])]) {
      test(`${method} ${path} lists the six headers on every answer after the meter, and Retry-After on 429 and 503`, () => {
        const { responses } = contract.paths[path][method];
        const withHeaders = Object.keys(responses).filter((status) => 'X-RateLimit-Limit' in responses[status].headers);
        const counted = method === 'post' ? [...COUNTED, ...COUNTED_BODIES] : COUNTED;
        const expected = counted.filter((status) => status in responses).sort();
        assert.deepEqual(withHeaders.sort(), expected);
        for (const status of expected) {
          // These can also come before the meter.
          const prefix = ['400', ...COUNTED_BODIES, '500', '503'].includes(status) ? 'Optional-' : '';
          for (const name of [...METERING_HEADERS, ...DRAFT_HEADERS]) {
            const reference = { $ref: `#/components/headers/${prefix}${name}` };
            assert.deepEqual(responses[status].headers[name], reference, `${status} ${name}`);
          }
        }
        for (const status of [429, 503]) assert.ok('Retry-After' in responses[status].headers, String(status));
        const downloads = ['/api/v1/entities', '/api/v1/exports/{generation}/{path}'];
        assert.deepEqual(responses[429]['x-error-codes'], [
          ...['rate_limit_exceeded', 'monthly_quota_exceeded'],
          ...(downloads.includes(path) ? ['concurrency_limit_exceeded'] : []),
        ]);
        for (const { content } of Object.values<{ content?: object }>(responses)) {
          if (method === 'head') assert.equal(content, undefined);
        }
      });
    }
  }

  test('the headers have the documented types and are required', () => {
    for (const name of [...METERING_HEADERS, ...DRAFT_HEADERS]) {
      const { schema, required, description } = contract.components.headers[name];
      const type = name.startsWith('X-') ? 'integer' : 'string';
      const expected = name === 'X-Monthly-Quota-Reset' ? ['string', 'date-time'] : [type, undefined];
      assert.deepEqual([schema.type, schema.format], expected, name);
      assert.equal(required, true);
      assert.equal(contract.components.headers[`Optional-${name}`].required, false);
      assert.ok(description.length > 10);
    }
  });

  test('no other operation declares them', () => {
    for (const [path, operations] of Object.entries<Record<string, { responses: Responses }>>(contract.paths)) {
      // Those for keys and sessions have a test of their own: `metering-headers-optional.test.ts`.
      if (DATA.includes(path) || /^\/api\/v1\/(monitors|webhook-endpoints)/.test(path)) continue;
      for (const { responses } of Object.values(operations)) {
        assert.doesNotMatch(JSON.stringify(responses ?? {}), /RateLimit|X-Monthly-Quota/, path);
      }
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
