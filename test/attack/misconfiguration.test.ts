import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, test } from 'node:test';
import { listenAdmin } from '../../src/base/observability/metrics.ts';
import { usualEngines } from '../harness/databases.ts';
import { type RawReply, speakRaw } from '../harness/raw.ts';
import { startService } from '../harness/service.ts';
import { useService } from '../harness/shared-service.ts';

/** API8:2023 Security Misconfiguration: methods, paths, headers, CORS, caches, and errors that reveal too much. */
for (const engine of usualEngines) {
  describe(`API8 configuration on ${engine}`, () => {
    const service = useService(engine, {
      limits: { guessDelayMs: 0 },
      extend: (app) => {
        app.get('/test/crash', async () => {
          throw Object.assign(new Error('SELECT secret FROM accounts'), {
            detail: 'Key (hash)=(abc)',
            statusCode: 200,
          });
        });
      },
    });

    async function speak(line: string, headers: Record<string, string> = {}): Promise<RawReply> {
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      const head = line.startsWith('HEAD');
      const [reply] = await speakRaw(
        service.url,
        `${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lines.join('')}\r\n`,
        {
          quietMs: 40,
          head,
        },
      );
      assert.ok(reply, `no answer to ${line}`);
      return reply;
    }

    test('paths that another server might normalize to an existing one are not found', async () => {
      const paths =
        '//api/v1/plans /api//v1/plans /api/v1/plans/ /API/V1/PLANS /./api/v1/plans /docs/../api/v1/plans /docs/%2e%2e/api/v1/plans ' +
        '/docs/%2e%2e%2fapi/v1/plans /docs/..;/api/v1/plans /api/v1/plans;jsessionid=1 /api/v1%2fplans /api%5cv1%5cplans /api\\v1\\plans ' +
        '/api/v1/plans%00 /api/v1/plans.json /api/v1/plans%20 /api/v1/plans%0d%0a /api/v1/plans%3f /api/v1/%252570lans ' +
        '/api/v1/pl%E0%80%AFans /%61pi/v1/pla%ef%bd%8es /assets/../package.json /assets/..%2fpackage.json /assets/....//package.json ' +
        '/assets/%2e%2e%2f%2e%2e%2fetc%2fpasswd /assets/app.css/../../package.json /assets/ /docs/errors/__proto__ /.env';
      for (const path of paths.split(' ')) {
        const { status, text } = await speak(`GET ${path}`);
        assert.ok(status === 404 || status === 400, `${path}: ${status}`);
        assert.ok(!text.includes('dependencies') && !text.includes('monthlyPriceEur'), path);
      }
    });

    test('a percent-encoded or absolute path needs the same credentials', async () => {
      for (const path of ['/api/v1/%61ccount', '/%61pi/v1/account', '/api/v1/api%2Dkeys', 'http://x/api/v1/account']) {
        assert.equal((await speak(`GET ${path}`)).status, 401, path);
      }
      for (const path of ['/api/v1/%65ntities', '/api/v1/entities/%61', 'http://x/api/v1/countries']) {
        assert.equal((await speak(`GET ${path}`)).status, 401, path);
      }
      assert.equal((await speak('POST /api/v1/billing/%77ebhook', { 'content-length': '0' })).status, 400);
    });

    test('CORS: without a list of origins, only public operations allow other origins, and never credentials', async () => {
      for (const origin of ['https://evil.example', 'null', service.url, 'http://localhost']) {
        for (const line of [
          'GET /api/v1/account',
          'GET /api/v1/entities',
          'GET /api/v1/nothing',
          'GET /docs',
          'POST /api/v1/billing/webhook',
          'OPTIONS /api/v1/entities',
          'OPTIONS /api/v1/api-keys',
          'OPTIONS /dashboard/keys',
        ]) {
          const reply = await speak(line, {
            origin,
            'access-control-request-method': 'POST',
            'access-control-request-headers': 'x-api-key',
            'access-control-request-private-network': 'true',
          });
          const names = [...reply.headers.keys()].filter((name) => name.startsWith('access-control-'));
          assert.deepEqual(names, [], `${line} from ${origin}`);
          if (line.startsWith('OPTIONS')) assert.equal(reply.status, 405);
        }
        const plans = await speak('GET /api/v1/plans', { origin });
        assert.equal(plans.headers.get('access-control-allow-origin'), '*');
        assert.equal(plans.headers.get('access-control-allow-credentials'), null);
      }
    });

    test('every kind of reply has the security headers and does not name the server software', async () => {
      const key = await service.findKey();
      const { etag } = Object.fromEntries((await speak('GET /api/v1/countries', { 'x-api-key': key })).headers);
      const replies: [string, RawReply][] = [
        ['200', await speak('GET /api/v1/plans')],
        ['HEAD', await speak('HEAD /api/v1/plans')],
        ['304', await speak('GET /api/v1/countries', { 'x-api-key': key, 'if-none-match': etag ?? '' })],
        ['400', await speak('GET /api/v1/plans?x')],
        ['401', await speak('GET /api/v1/account')],
        ['404', await speak('GET /nope')],
        ['405', await speak('PUT /api/v1/plans')],
        ['414', await speak(`GET /${'a'.repeat(9_000)}`)],
        ['431', await speak('GET /', { cookie: 'a'.repeat(40_000) })],
        ['500', await speak('GET /test/crash')],
        ['parser', await speak('GET / HTTP/9.9 x')],
        ['page', await speak('GET /')],
        ['reference', await speak('GET /docs')],
        ['style', await speak('GET /assets/app.css')],
        ['sign-in', await speak('GET /auth/login')],
      ];
      for (const [what, { headers }] of replies) {
        assert.equal(headers.get('x-content-type-options'), 'nosniff', what);
        assert.equal(headers.get('x-frame-options'), 'DENY', what);
        assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'.*frame-ancestors 'none'/, what);
        assert.match(headers.get('referrer-policy') ?? '', /^(no-referrer|same-origin)$/, what);
        assert.equal(headers.get('cross-origin-resource-policy'), 'same-origin', what);
        for (const name of ['server', 'x-powered-by', 'via', 'x-aspnet-version'])
          assert.equal(headers.get(name), null, what);
      }
      assert.deepEqual(
        replies.map(([, { status }]) => status),
        [200, 200, 304, 400, 401, 404, 405, 414, 431, 500, 400, 200, 200, 200, 503],
      );
    });

    test('errors reveal no internals', async () => {
      const texts = [
        await speak('GET /test/crash'),
        await speak('GET /api/v1/entities/x', { 'x-api-key': await service.findKey() }),
        await speak('POST /api/v1/api-keys', { 'content-length': '0' }),
        await speak('GET /auth/callback?code=x', { cookie: 'login=a' }),
        await speak('POST /api/v1/billing/webhook', { 'payment-signature': 't=1,v1=x', 'content-length': '0' }),
      ].map(({ text }) => text);
      for (const text of texts) {
        assert.doesNotMatch(
          text,
          /node_modules|\.ts\b|\bat \w+ \(|SELECT|hash\)|sqlite|postgres|fastify|\/work|\/src\//i,
        );
      }
    });

    test('private replies are not stored by shared caches, and cacheable replies are the same for everyone', async () => {
      const { headers: session } = await service.signIn();
      const key = await service.findKey();
      for (const [line, headers] of [
        ['GET /api/v1/account', { cookie: session.cookie ?? '' }],
        ['GET /api/v1/auth/me', { cookie: session.cookie ?? '' }],
        ['GET /api/v1/api-keys', { cookie: session.cookie ?? '' }],
        ['GET /api/v1/account', {}],
        ['GET /api/v1/countries', {}],
        ['GET /api/v1/countries', { 'x-api-key': 'wrong' }],
        ['GET /auth/login', {}],
        ['GET /auth/logout', {}],
        ['GET /nope', {}],
      ] as const) {
        assert.equal((await speak(line, headers)).headers.get('cache-control'), 'no-store', line);
      }
      for (const path of ['/api/v1/countries', '/api/v1/entities']) {
        const { headers } = await speak(`GET ${path}`, { 'x-api-key': key });
        assert.match(headers.get('cache-control') ?? '', /^private\b/, path);
      }
      // A header outside the cache key must not change what the cache stores for others.
      const unkeyed = {
        'x-forwarded-host': 'evil.example',
        'x-forwarded-scheme': 'nothttps',
        'x-original-url': '/nope',
        'x-rewrite-url': '/nope',
        'x-http-method-override': 'POST',
        'accept-language': 'xx',
        accept: 'text/evil',
        'user-agent': '<script>',
        cookie: `${session.cookie}; theme=<script>`,
        origin: 'https://evil.example',
        range: 'bytes=0-3',
        'x-request-id': '00000000-0000-4000-8000-000000000000',
      };
      // Pages show the signed-in user, so they are never cached.
      for (const path of ['/', '/explore', '/coverage', '/status', '/docs', '/docs/errors']) {
        const { headers } = await speak(`GET ${path}`, unkeyed);
        assert.equal(headers.get('cache-control'), 'no-store', path);
      }
      for (const path of ['/api/v1/openapi.json', '/api/v1/plans', '/assets/app.css']) {
        const [plain, poisoned] = [await speak(`GET ${path}`), await speak(`GET ${path}`, unkeyed)];
        assert.equal(poisoned.status, 200, path);
        assert.equal(poisoned.text, plain.text, path);
        const cacheable = (reply: RawReply) =>
          [...reply.headers].filter(([name]) => name !== 'x-request-id' && name !== 'date');
        assert.deepEqual(cacheable(poisoned), cacheable(plain), path);
        assert.equal(poisoned.headers.get('set-cookie'), null, path);
      }
    });
  });
}

/** Paths that scanners try first, and paths of the demo and of debuggers. */
const ABSENT =
  '/api /api/ /api/v1 /api/v1/ /api/v0/plans /api/v2/plans /v1/plans /openapi.json /swagger /api-docs /graphql /metrics /api/v1/metrics ' +
  '/admin /api/v1/admin /api/v1/users /api/v1/accounts /api/v1/sessions /api/v1/billing/events /debug /debug/pprof /server-status ' +
  '/health /.env /.git/config /package.json /src/main.ts /data/accounts.db /demo.json /demo/idp/auth /demo/payments/portal/x /test';

/** API9:2023 Improper Inventory Management: unknown routes, old versions, and parts of the demo in production. */
describe('API9 inventory', () => {
  test('there is no other version, source file, demo provider or debugging tool', async () => {
    await using service = await startService('sqlite');
    for (const path of ABSENT.split(' ')) {
      for (const method of ['GET', 'POST']) {
        const { status, body } = await service.client.request(method, path);
        assert.deepEqual([status, body?.error?.code], [404, 'not_found'], `${method} ${path}`);
      }
    }
  });
});

describe('API5 the admin port', () => {
  test('serves only GET /metrics, only on this machine; the public port serves no metrics', async () => {
    await using service = await startService('sqlite');
    const admin = await listenAdmin(service.services.metrics.render, 0);
    try {
      const { origin, port } = new URL(admin.url);
      for (const path of [
        '/',
        '/metrics/',
        '/metrics?x',
        '//metrics',
        '/METRICS',
        '/%6detrics',
        '/../metrics',
        '/debug/pprof',
      ]) {
        const [reply] = await speakRaw(origin, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`).catch(
          () => [],
        );
        assert.ok(reply === undefined || reply.status === 404, `${path}: ${reply?.status}`);
        const open = await fetch(`${service.url}${path === '/' ? '/metrics' : path}`);
        assert.notEqual(open.status, 200, `${path} on the public port`);
      }
      for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD']) {
        assert.equal((await fetch(admin.url, { method })).status, 404, method);
      }
      const [outside] = Object.values(networkInterfaces())
        .flat()
        .filter((each) => each?.family === 'IPv4' && !each.internal);
      if (outside !== undefined) {
        const reached = await new Promise((resolve) => {
          const socket = connect(Number(port), outside.address);
          socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
          socket.setTimeout(1_000, () => resolve(false));
        });
        assert.equal(reached, false, 'the admin port is open to other machines');
      }
    } finally {
      await admin[Symbol.asyncDispose]();
    }
  });

  test('clients cannot create metric series or write into them', async () => {
    await using service = await startService('sqlite');
    const before = (await service.services.metrics.render()).text;
    for (const path of ['/x"} 1\\n', '/api/v1/entities/a%22%7d%201', '/docs/errors/%0aforged%201']) {
      for (const method of ['PROPFIND', 'MKCOL', 'QUERY', 'M-SEARCH']) {
        await speakRaw(service.url, `${method} ${path.replaceAll(' ', '+')} HTTP/1.1\r\nHost: x\r\n\r\n`, {
          quietMs: 20,
        });
      }
    }
    const after = (await service.services.metrics.render()).text;
    assert.ok(!after.includes('forged') && !/PROPFIND|MKCOL|QUERY|M-SEARCH/.test(after));
    const count = (text: string) => text.split('\n').filter((line) => /_count\{method/.test(line)).length;
    assert.ok(count(after) - count(before) <= 3, after);
  });
});
