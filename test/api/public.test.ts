import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { version } from '../../src/base/config/config.ts';
import { NO_KEY } from '../harness/client.ts';
import { usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { startService } from '../harness/service.ts';
import { useService } from '../harness/shared-service.ts';
import { until } from '../harness/until.ts';
import { DRAFT_HEADERS, METERING_HEADERS, UNKNOWN } from './metered-service.ts';

describeOn(usualEngines, 'GET /api/v1/plans', (engine) => {
  test('200: all plans, without credentials', async () => {
    await using service = await startService(engine);
    const { status, body } = await service.client.get('/api/v1/plans');
    assert.equal(status, 200);
    assert.deepEqual(body, {
      data: [
        {
          id: 'free',
          name: 'Free',
          monthlyPriceEur: 0,
          monthlyRequests: 1000,
          requestsPerMinute: 60,
          maxApiKeys: 1,
          maxMonitors: 2,
          maxWatchedCompanies: 100,
        },
        {
          id: 'pro',
          name: 'Pro',
          monthlyPriceEur: 29,
          monthlyRequests: 100000,
          requestsPerMinute: 600,
          maxApiKeys: 5,
          maxMonitors: 20,
          maxWatchedCompanies: 10000,
        },
        {
          id: 'business',
          name: 'Business',
          monthlyPriceEur: 99,
          monthlyRequests: 1000000,
          requestsPerMinute: 3000,
          maxApiKeys: 20,
          maxMonitors: 200,
          maxWatchedCompanies: 100000,
        },
      ],
    });
  });

  test('400: an unknown query parameter is rejected, not ignored', async () => {
    await using service = await startService(engine);
    for (const query of ['page=1', 'x', '%61=1', 'a=1&a=2', 'x=%zz']) {
      const { status, body } = await service.client.get(`/api/v1/plans?${query}`);
      assert.equal(status, 400, query);
      assert.equal(body.error.code, 'invalid_request');
    }
    assert.equal((await service.client.get('/api/v1/plans?')).status, 200);
  });
});

const LIVE = { status: 'ok', service: 'web', version };
const READY = { status: 'ready', database: 'ok', version };
const NOT_READY = { status: 'unavailable', database: 'error', version };

describeOn(usualEngines, 'health', (engine) => {
  test('live and ready answer 200 when the databases are up and migrated', async () => {
    await using service = await startService(engine);
    const live = await service.client.get('/api/v1/health/live');
    assert.deepEqual([live.status, live.body], [200, LIVE]);
    const ready = await service.client.get('/api/v1/health/ready');
    assert.deepEqual([ready.status, ready.body], [200, READY]);
    assert.equal((await service.client.get('/api/v1/health/ready?from=balancer')).status, 200);
  });

  test('ready answers 503 if the schema is newer than the program', async () => {
    await using service = await startService(engine);
    const newer = "INSERT INTO migrations (version, name, applied_at) VALUES (9999, '9999_future.sql', 0)";
    await service.services.accountsDb.run(newer);
    // The result of a check is kept for a moment, such as that of the start.
    await until('the server is not ready', async () => {
      const { status, body } = await service.client.get('/api/v1/health/ready');
      if (status === 503) assert.deepEqual(body, NOT_READY);
      return status === 503;
    });
    await assert.rejects(service.services.prepare(), /newer release/);
  });
});

const TOOLS = 'https://tools.example';
const LOCAL = 'http://localhost:5173';
const FOREIGN = ['https://evil.example', 'https://tools.example.evil.example', 'http://tools.example', 'null', ''];
const PUBLIC = ['/api/v1/plans', '/api/v1/health/live', '/api/v1/health/ready', '/api/v1/openapi.json'];
const DATA = ['/api/v1/countries', '/api/v1/entities', UNKNOWN];
const ACCOUNT = ['/api/v1/account', '/api/v1/auth/me', '/api/v1/api-keys', '/api/v1/billing/checkout'];

/** Searches also depend on `Accept`. */
const VARY = /^Accept-Encoding, Origin(?:, Accept)?$/;

describe('CORS', () => {
  const env = { CORS_ORIGINS: `${TOOLS}, ${LOCAL}` };
  const service = useService('sqlite', { env, limits: { guessDelayMs: 0 } });

  const corsHeaders = (headers: Headers) => [...headers.keys()].filter((name) => name.startsWith('access-control-'));
  /** Node's `fetch` does not send `Origin` and some other headers of a browser by itself, but it lets us set them. */
  const send = (method: string, path: string, origin: string, more: Record<string, string> = {}) =>
    service.client.request(method, path, { headers: { origin, ...more } });
  const preflight = (path: string, origin: string, method = 'GET') =>
    fetch(service.url + path, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': 'x-api-key' },
    });

  test('public operations and their errors can be read by every page, also from a shared cache', async () => {
    for (const path of PUBLIC) {
      for (const origin of [TOOLS, ...FOREIGN]) {
        for (const [method, at] of [
          ['GET', path],
          ['HEAD', path],
          ['POST', path],
          ['GET', `${path}?${'x'.repeat(8_200)}`],
          ['GET', '/api/v1/plans?unknown=1'],
        ] as const) {
          const { headers, status } = await send(method, at, origin);
          assert.equal(headers.get('access-control-allow-origin'), '*', `${method} ${at.slice(0, 40)} → ${status}`);
          assert.equal(headers.get('access-control-expose-headers'), 'Retry-After, X-Request-ID');
          assert.equal(headers.get('vary'), 'Accept-Encoding');
        }
      }
      // A cache that stores this response may give it to a page of another origin.
      assert.equal((await service.client.get(path)).headers.get('access-control-allow-origin'), '*');
    }
  });

  test('data operations and their errors can be read by listed origins only', async () => {
    const key = await service.findKey();
    for (const path of DATA) {
      for (const [method, at, more] of [
        ['GET', path, { 'x-api-key': key }],
        ['HEAD', path, { 'x-api-key': key }],
        ['GET', path, { 'x-api-key': key, 'if-none-match': '*' }],
        ['GET', path, { 'x-api-key': NO_KEY }],
        ['GET', `${path}?unknown=1`, { 'x-api-key': key }],
        ['GET', `${path}?${'x'.repeat(8_200)}`, { 'x-api-key': key }],
        ['PUT', path, { 'x-api-key': key }],
      ] as const) {
        for (const origin of [TOOLS, LOCAL]) {
          const { headers, status } = await send(method, at, origin, more);
          const where = `${method} ${at.slice(0, 60)} → ${status}`;
          assert.equal(headers.get('access-control-allow-origin'), origin, where);
          assert.equal(headers.get('access-control-allow-credentials'), null, where);
          assert.match(headers.get('vary') ?? '', VARY, where);
          const exposed = headers.get('access-control-expose-headers')?.split(', ') ?? [];
          for (const name of [
            'ETag',
            'Link',
            'Retry-After',
            'X-Data-Version',
            'X-Request-ID',
            ...METERING_HEADERS,
            ...DRAFT_HEADERS,
          ]) {
            assert.ok(exposed.includes(name), `${name} ${where}`);
          }
        }
        for (const origin of FOREIGN) {
          const { headers } = await send(method, at, origin, more);
          assert.deepEqual(corsHeaders(headers), [], origin);
          assert.match(headers.get('vary') ?? '', VARY, origin);
        }
      }
      const { headers } = await service.client.get(path);
      assert.deepEqual(corsHeaders(headers), []);
      assert.match(headers.get('vary') ?? '', VARY);
    }
  });

  test('a preflight is answered where the request would be, and 405 elsewhere', async () => {
    for (const [path, origin] of [
      ...PUBLIC.flatMap((path) => [TOOLS, ...FOREIGN].map((origin) => [path, origin] as const)),
      ...DATA.flatMap((path) => [TOOLS, LOCAL].map((origin) => [path, origin] as const)),
    ]) {
      const { status, headers } = await preflight(path, origin);
      assert.equal(status, 204, `${path} from ${origin}`);
      assert.equal(headers.get('access-control-allow-origin'), PUBLIC.includes(path) ? '*' : origin);
      assert.equal(headers.get('access-control-allow-methods'), 'GET, HEAD');
      const allowed = headers.get('access-control-allow-headers');
      assert.equal(allowed, 'Authorization, If-None-Match, If-Range, Range, X-API-Key, X-Request-ID');
      assert.equal(headers.get('access-control-max-age'), '600');
      assert.ok(headers.get('x-request-id'));
    }
    for (const [path, origin, status] of [
      ...DATA.flatMap((path) => FOREIGN.map((origin) => [path, origin, 405] as const)),
      ...ACCOUNT.map((path) => [path, TOOLS, 405] as const),
      ['/api/v1/billing/webhook', TOOLS, 405],
      ['/docs', TOOLS, 405],
      ['/api/v1/nothing', TOOLS, 404],
    ] as const) {
      const reply = await preflight(path, origin);
      assert.deepEqual([reply.status, corsHeaders(reply.headers)], [status, []], `${path} from ${origin}`);
    }
  });

  test('account operations and pages can never be read by another page', async () => {
    const session = await service.signIn();
    for (const path of [...ACCOUNT, '/dashboard', '/docs', '/', '/api/v1/nothing']) {
      for (const origin of [TOOLS, ...FOREIGN]) {
        const response = await fetch(service.url + path, { headers: { cookie: session.headers.cookie ?? '', origin } });
        await response.text();
        assert.deepEqual([corsHeaders(response.headers), response.headers.get('vary')], [[], 'Accept-Encoding'], path);
      }
    }
  });
});
