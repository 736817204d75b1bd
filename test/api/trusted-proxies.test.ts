import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createApiKey } from '../../src/base/secrets.ts';
import { importCompanies } from '../harness/entities.ts';
import { speakRaw } from '../harness/raw.ts';
import { startService, type TestService } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { company } from '../registry/gb-file.ts';

/** TRUST_PROXY: whose X-Forwarded headers decide about limits per address, the log and https. Tests connect from 127.0.0.1. */

async function readAddress(service: TestService, forwarded: string | undefined): Promise<unknown> {
  const id = crypto.randomUUID();
  const headers = { 'x-request-id': id, ...(forwarded !== undefined && { 'x-forwarded-for': forwarded }) };
  await service.client.get('/api/v1/health/live', { headers });
  let found: string | undefined;
  await until('the request is logged', () => {
    found = service.logLines.find((line) => line.includes(id) && line.includes('"route"'));
    return found !== undefined;
  });
  return JSON.parse(found ?? '{}').address;
}

describe('the address in the log', () => {
  for (const [trusted, cases] of [
    ['', { none: '127.0.0.1', '203.0.113.7': '127.0.0.1', '203.0.113.7, 127.0.0.1': '127.0.0.1' }],
    ['10.0.0.0/8', { '203.0.113.7': '127.0.0.1' }],
    ['0', { '203.0.113.7': '127.0.0.1' }],
    [
      '127.0.0.1, 10.0.0.0/8',
      {
        none: '127.0.0.1',
        '203.0.113.7': '203.0.113.7',
        // The client may send the header too; the proxy adds to its end.
        '198.51.100.1, 203.0.113.7': '203.0.113.7',
        '198.51.100.1, 203.0.113.7, 10.1.2.3': '203.0.113.7',
        '2001:db8::1': '2001:db8::1',
        '203.0.113.7:55123': '203.0.113.7',
        '[2001:db8::1]:443': '2001:db8::1',
        '[2001:db8::1]': '2001:db8::1',
        '2001:DB8:0:0::0001': '2001:db8::1',
        '[2001:0DB8::1%eth0]:443': '2001:db8::1',
        '::ffff:203.0.113.7': '203.0.113.7',
        '::FFFF:CB00:7107': '203.0.113.7',
        unknown: '127.0.0.1',
        '"evil"\\n{"level":30}': '127.0.0.1',
        '203.0.113.7:x': '127.0.0.1',
      },
    ],
    ['1', { none: '127.0.0.1', '203.0.113.7': '203.0.113.7', '198.51.100.1, 203.0.113.7': '203.0.113.7' }],
    ['2', { '198.51.100.1, 203.0.113.7': '198.51.100.1', '192.0.2.9, 198.51.100.1, 203.0.113.7': '198.51.100.1' }],
  ] as const) {
    test(`TRUST_PROXY=${trusted}`, async () => {
      await using service = await startService('sqlite', { env: { TRUST_PROXY: trusted } });
      for (const [forwarded, expected] of Object.entries(cases)) {
        const given = forwarded === 'none' ? undefined : forwarded;
        assert.equal(await readAddress(service, given), expected, forwarded);
      }
    });
  }

  test('requests that cannot be parsed have the address of the peer; an unknown expectation has that of the client', async () => {
    await using service = await startService('sqlite', { env: { TRUST_PROXY: '127.0.0.1' } });
    const [bad] = await speakRaw(
      service.url,
      'GET / HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 203.0.113.7\r\nBad header\r\n\r\n',
    );
    const [expectation] = await speakRaw(
      service.url,
      'GET /api/v1/plans HTTP/1.1\r\nHost: x\r\nExpect: tea\r\nX-Forwarded-For: 203.0.113.7\r\n\r\n',
    );
    assert.deepEqual([bad?.status, expectation?.status], [400, 400]);
    assert.equal(expectation?.headers.get('connection'), 'close');
    const lines = service.logLines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');
    assert.deepEqual(
      lines.map(({ route, address }) => [route, address]),
      [
        ['unparsed', '127.0.0.1'],
        ['/api/v1/plans', '203.0.113.7'],
      ],
    );
  });
});

describe('limits per address', () => {
  const guess = async (service: TestService, address: string) => {
    const started = performance.now();
    const headers = { 'x-api-key': createApiKey('live'), 'x-forwarded-for': address };
    assert.equal((await service.client.get('/api/v1/countries', { headers })).status, 401);
    return performance.now() - started;
  };

  test('the guess throttle delays the client and not the proxy', async () => {
    await using service = await startService('sqlite', {
      env: { TRUST_PROXY: '127.0.0.1' },
      limits: { guessDelayMs: 400 },
    });
    for (let count = 0; count < 28; count++) await guess(service, '203.0.113.7');
    assert.ok((await guess(service, '203.0.113.7')) >= 350, 'the guessing client is not delayed');
    // On a busy machine a request may take long without a delay, so several clients are tried.
    let other = 8;
    await until('another client is not delayed', async () => (await guess(service, `203.0.113.${other++}`)) < 350);
  });

  test('visitors of one IPv6 network share a limit, for searches and for records', async () => {
    const limit = { perAddress: 2, inTotal: 100 };
    const visitors = { searches: limit, records: limit };
    await using service = await startService('sqlite', { env: { TRUST_PROXY: '1' }, visitors });
    await importCompanies(service, [company('07002000', 'ALPHA LTD')]);
    const { body } = await service.client.get('/api/v1/entities');
    const statuses = async (path: string, ...addresses: string[]) => {
      const found: number[] = [];
      for (const address of addresses) {
        const { status } = await fetch(service.url + path, { headers: { 'x-forwarded-for': address } });
        found.push(status);
      }
      return found;
    };
    const range = ['2001:db8:7:1::1', '2001:DB8:7:1:0:0:0:2', '[2001:db8:7:1:ffff::3]:443', '2001:db8:7:2::1'];
    for (const path of ['/explore?q=alpha', `/entities/${body.data[0].id}`]) {
      assert.deepEqual(await statuses(path, ...range), [200, 200, 429, 200], path);
      service.clock.advance(86_400_000);
    }
    const ipv4 = ['203.0.113.7', '::ffff:203.0.113.7', '::ffff:cb00:7107', '::ffff:203.0.113.8'];
    assert.deepEqual(await statuses('/explore?q=alpha', ...ipv4), [200, 200, 429, 200]);
  });
});

describe('https behind a proxy', () => {
  const signOut = (service: TestService, headers: Record<string, string>) =>
    fetch(`${service.url}/auth/logout`, { method: 'POST', redirect: 'manual', headers });

  for (const [trusted, proto, isHttps] of [
    ['127.0.0.1', 'https', true],
    ['127.0.0.1', 'http', false],
    ['10.0.0.1', 'https', false],
    ['', 'https', false],
  ] as const) {
    test(`TRUST_PROXY=${trusted} and X-Forwarded-Proto: ${proto}`, async () => {
      await using service = await startService('sqlite', { env: { TRUST_PROXY: trusted } });
      const headers = { 'x-forwarded-proto': proto };
      const own = await signOut(service, { ...headers, origin: service.url });
      assert.equal(own.status, 303, 'the form of a page at the public address');
      const expected = isHttps ? /^__Host-session=;.* Path=\/;.*; Secure$/ : /^session=;(?!.*Secure)/;
      assert.match(own.headers.get('set-cookie') ?? '', expected);
      const { token } = await service.signIn();
      const me = async (name: string) =>
        (await service.client.get('/api/v1/auth/me', { headers: { ...headers, cookie: `${name}=${token}` } })).status;
      assert.deepEqual([await me('session'), await me('__Host-session')], isHttps ? [401, 200] : [200, 401]);
    });
  }

  test('only the public address and the allowed hosts are own origins, whatever the proxy says', async () => {
    const env = {
      TRUST_PROXY: '127.0.0.1',
      PUBLIC_URL: 'https://api.example.com',
      ALLOWED_HOSTS: '127.0.0.1,www.example.com',
    };
    await using service = await startService('sqlite', { env });
    const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil.example' };
    for (const [origin, status] of [
      ['https://api.example.com', 303],
      ['https://www.example.com', 303],
      ['https://evil.example', 403],
      ['http://api.example.com', 403],
      [`https://${new URL(service.url).host}`, 403],
    ] as const) {
      assert.equal((await signOut(service, { ...forwarded, origin })).status, status, origin);
    }
  });
});
