import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startIdentityProvider } from '../harness/identity.ts';
import { speakRaw } from '../harness/raw.ts';
import { startService } from '../harness/service.ts';

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
