import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { operations } from '../../src/api/table.ts';
import { usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { startIdentityProvider } from '../harness/identity.ts';
import { type RawReply, speakRaw } from '../harness/raw.ts';
import { startService, type TestServiceOptions } from '../harness/service.ts';
import { isReconciliation, listRoutes } from './routes.ts';

/**
 * DNS rebinding: a page of another site whose name resolves to our address, so that the browser treats our replies as that site's
 * own. Only the name in the `Host` header distinguishes these requests.
 */
const HOST_OF_PAGE = ['attacker.example', 'attacker.example:3000', 'localhost.attacker.example', '127.0.0.1.nip.io'];
const ODD_HOSTS = [
  '0.0.0.0:3000',
  '127.1',
  '[::ffff:127.0.0.1]:3000',
  '[0:0:0:0:0:0:0:1]',
  '',
  ':3000',
  'api.example.com..',
];
const LOOPBACK = [
  'localhost',
  'LocalHost:3000',
  'app.localhost',
  'localhost.',
  '127.0.0.1:80',
  '127.8.8.8',
  '[::1]:3000',
];
const PUBLIC = ['api.example.com', 'API.EXAMPLE.COM:8443', 'api.example.com.', 'www.example.com:443'];

/** Every request asks to close the connection, so a reply is complete when it is closed. */
const PATIENT = { timeoutMs: 20_000, quietMs: 5_000 };

const OTHER_HOST = /does not answer under the host name/;

/** These answer under any host name, because browsers never send credentials to them by themselves. */
const OPEN = operations
  .filter(({ credential, isOutsideContract }) => credential !== 'session' && isOutsideContract !== true)
  .map(({ url }) => url);

describeOn(usualEngines, 'requests under another host name', (engine) => {
  async function withRequests(
    options: TestServiceOptions,
    work: (request: (line: string, host: string | null, more?: string) => Promise<RawReply>) => Promise<void>,
  ) {
    await using service = await startService(engine, options);
    const { cookie = '' } = (await service.signIn()).headers;
    const key = await service.findKey();
    await work(async (line, host, more = '') => {
      const hostLine = host === null ? '' : `Host: ${host}\r\n`;
      const credentials = `Cookie: ${cookie}\r\nX-API-Key: ${key}\r\nContent-Length: 0\r\n`;
      const bytes = `${line}\r\n${hostLine}${credentials}${more}Connection: close\r\n\r\n`;
      const [reply] = await speakRaw(service.url, bytes, PATIENT);
      assert.ok(reply, line);
      return reply;
    });
  }

  test('a closed site such as the demo rejects all of them, on every path', () =>
    withRequests({ closed: true, env: { ALLOWED_HOSTS: '' } }, async (request) => {
      const paths = ['/', '/dashboard', '/nope', '/api/v1/nope', '/api/v1/countries', '/api/v1/health/live'];
      for (const path of paths) {
        const reply = await request(`GET ${path} HTTP/1.1`, 'attacker.example:3000');
        assert.equal(reply.status, 400, path);
        const { error } = JSON.parse(reply.text);
        assert.deepEqual([error.code, error.requestId], ['invalid_request', reply.headers.get('x-request-id')], path);
        assert.match(error.message, OTHER_HOST);
        assert.equal(reply.headers.get('set-cookie'), null);
      }
      for (const host of [...HOST_OF_PAGE, ...ODD_HOSTS, ...PUBLIC]) {
        const reply = await request('GET /api/v1/plans HTTP/1.1', host);
        assert.match(reply.text, OTHER_HOST, host);
      }
      const preflight = 'Origin: http://attacker.example\r\nAccess-Control-Request-Method: GET\r\n';
      for (const [line, host, more] of [
        ['GET /api/v1/plans HTTP/1.0', null, ''],
        ['OPTIONS /api/v1/plans HTTP/1.1', 'attacker.example', preflight],
        ['GET http://attacker.example/ HTTP/1.1', 'attacker.example', ''],
        ['GET / HTTP/1.1', 'attacker.example', 'X-Forwarded-Host: localhost\r\nForwarded: host=localhost\r\n'],
      ] as const) {
        const reply = await request(line, host, more);
        assert.deepEqual([reply.status, OTHER_HOST.test(reply.text)], [400, true], line);
      }
      for (const [line, host, more] of [
        ['GET http://attacker.example/ HTTP/1.1', 'localhost', ''],
        ['GET http://localhost/ HTTP/1.1', 'attacker.example', ''],
        ['GET http://localhost@attacker.example/ HTTP/1.1', 'localhost', ''],
        ['GET http://attacker.example@localhost/ HTTP/1.1', 'localhost', ''],
        ['GET / HTTP/1.1', 'localhost', 'Host: attacker.example\r\n'],
        ['GET / HTTP/1.1', 'attacker.example', 'Host: localhost\r\n'],
        ['GET / HTTP/1.1', 'localhost@attacker.example', ''],
        ['GET / HTTP/1.1', 'localhost, attacker.example', ''],
        ['GET / HTTP/1.1', 'localhost/attacker.example', ''],
        ['GET / HTTP/1.1', 'attacker.example\r\n Folded: localhost', ''],
        ['GET / HTTP/1.1', 'localhost\rHost: attacker.example', ''],
      ] as const) {
        assert.equal((await request(line, host, more)).status, 400, `${line} ${JSON.stringify(host)} ${more}`);
      }
      for (const host of LOOPBACK) {
        assert.equal((await request('GET /api/v1/auth/me HTTP/1.1', host)).status, 200, host);
        assert.equal((await request('GET / HTTP/1.1', host)).status, 200, host);
      }
      const same = await request('GET http://localhost:3000/ HTTP/1.1', 'localhost:3000');
      assert.equal(same.status, 200, 'a complete URL in the request line');
    }));

  test('in production the public host and the allowed hosts are accepted, and no other', () =>
    withRequests(
      { env: { PUBLIC_URL: 'https://api.example.com', ALLOWED_HOSTS: 'www.example.com' } },
      async (request) => {
        for (const host of PUBLIC) {
          assert.equal((await request('GET /api/v1/auth/me HTTP/1.1', host)).status, 200, host);
        }
        for (const host of [...HOST_OF_PAGE, ...ODD_HOSTS, ...LOOPBACK, 'example.com', 'x.api.example.com']) {
          const reply = await request('GET /api/v1/auth/me HTTP/1.1', host);
          assert.deepEqual([reply.status, OTHER_HOST.test(reply.text)], [400, true], host);
          assert.equal((await request('GET /api/v1/health/live HTTP/1.1', host)).status, 200, host);
        }
        const forwarded = 'X-Forwarded-Host: api.example.com\r\n';
        const reply = await request('GET /api/v1/auth/me HTTP/1.1', 'attacker.example', forwarded);
        assert.equal(reply.status, 400, 'X-Forwarded-Host is ignored');
        assert.equal((await request('GET /api/v1/health/live HTTP/1.0', null)).status, 200, 'a probe without a host');
        assert.equal((await request('GET / HTTP/1.0', null)).status, 400);
      },
    ));
});

test('in production, requests under another host name get data, health and the contract, and no other route', async () => {
  await using service = await startService('sqlite', { env: { PUBLIC_URL: 'https://api.example.com' } });
  const open = new Set<string>();
  for (const route of listRoutes(service.app)) {
    const [method = '', pattern = ''] = route.split(' ');
    if (method === 'OPTIONS') continue;
    const path = pattern.replace(':id', randomUUID()).replace(/[:*]\w*/g, 'x');
    const bytes = `${method} ${path} HTTP/1.1\r\nHost: 10.1.2.3\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`;
    const [reply] = await speakRaw(service.url, bytes, { ...PATIENT, head: method === 'HEAD' });
    assert.ok(reply, pattern);
    const isRefused = method === 'HEAD' ? reply.status === 400 : OTHER_HOST.test(reply.text);
    if (!isRefused && !isReconciliation(pattern)) open.add(pattern);
    if (isReconciliation(pattern))
      assert.ok(!isRefused, `${pattern} takes no cookie, so it answers under any host name`);
  }
  assert.deepEqual(
    [...open].toSorted(),
    [...new Set(OPEN)].toSorted(),
    'a route with a session must not answer under another host name: see src/http/request.ts',
  );
});

/** API7:2023 Server Side Request Forgery, and redirects to an address that a request names. */
const forgedHeaders = (host: string) => ({
  'x-forwarded-host': host,
  'x-forwarded-proto': 'https',
  'x-forwarded-port': '1',
  'x-forwarded-prefix': `//${host}`,
  'x-forwarded-server': host,
  'x-host': host,
  'x-original-url': `http://${host}/`,
  'x-rewrite-url': `http://${host}/`,
  forwarded: `host=${host};proto=https;for=127.0.0.1`,
  referer: `http://${host}/`,
});

describe('API7 the Host header and similar headers', () => {
  test('no reply contains a host that only the request named', async () => {
    await using idp = await startIdentityProvider();
    await using service = await startService('sqlite', { env: idp.env });
    const { headers: session } = await service.signIn();
    const headers = { host: 'evil.example', ...forgedHeaders('evil.example') };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    for (const target of [
      'GET /',
      'GET /docs',
      'GET /docs/errors',
      'GET /nope',
      'GET /auth/login',
      'GET /auth/logout',
      'GET /api/v1/openapi.json',
      'GET /api/v1/plans',
      'GET /api/v1/entities',
      'GET /api/v1/account',
      'POST /auth/logout',
      'POST /api/v1/api-keys',
      'PUT /api/v1/plans',
      'GET http://evil.example/auth/login?returnTo=//evil.example',
      'GET https://evil.example/nope',
    ]) {
      const bytes = `${target} HTTP/1.1\r\n${lines.join('')}cookie: ${session.cookie}\r\ncontent-length: 0\r\n\r\n`;
      const [reply] = await speakRaw(service.url, bytes, { quietMs: 60 });
      assert.ok(reply, target);
      assert.ok(reply.status < 500, `${target}: ${reply.status}`);
      const content = reply.text + JSON.stringify([...reply.headers]);
      assert.ok(!content.includes('evil.example'), `${target} repeats the host`);
    }
  });

  test('a request line whose host differs from the Host header is rejected; one with the same host is answered', async () => {
    await using idp = await startIdentityProvider();
    await using service = await startService('sqlite', { env: idp.env });
    const speak = async (target: string, host = 'x') => {
      const bytes = `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nCookie: login=${'a'.repeat(43)}.Lw\r\n\r\n`;
      const [reply] = await speakRaw(service.url, bytes, { quietMs: 100 });
      assert.ok(reply, target);
      return reply;
    };
    for (const scheme of ['http', 'https']) {
      assert.equal((await speak(`${scheme}://evil.example/auth/callback?code=a&state=b`)).status, 400);
      assert.equal((await speak(`${scheme}://evil.example/auth/login?returnTo=/docs`, 'localhost')).status, 400);
      const { status, headers } = await speak(`${scheme}://localhost/auth/login?returnTo=/docs`, 'localhost');
      const expected = `${service.url}/auth/login?redirected=1&returnTo=%2Fdocs`;
      assert.deepEqual([status, headers.get('location')], [302, expected]);
    }
  });
});
