import assert from 'node:assert/strict';
import dns from 'node:dns';
import { once } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import { createServer } from 'node:net';
import { before, describe, test } from 'node:test';
import tls from 'node:tls';
import { promisify } from 'node:util';
import { guardLookup } from '../../src/base/system/addresses.ts';
import { createCertificate } from '../webhooks/certificate.ts';
import { makeFile, moveLv, useFetching } from './fetching.ts';
import { type Answer, startPublisher, usePublisher } from './publisher.ts';

const redirectTo =
  (location: string): Answer =>
  (_request, response) =>
    void response.writeHead(302, { location }).end();

type Callback = (error: null, found: string | dns.LookupAddress[], family?: number) => void;

describe('the way to a publisher', () => {
  const publisher = usePublisher();
  let body: Buffer;
  before(async () => {
    body = await makeFile(50);
    publisher.offer('/register.csv', { body });
  });

  async function expectFailure(address: string | undefined, words: RegExp, settings = {}): Promise<void> {
    const { fetch, state } = useFetching();
    const { outcome, message } = await fetch({ addresses: address === undefined ? undefined : [address], ...settings });
    assert.equal(outcome, 'failed');
    assert.match(message ?? '', words);
    assert.deepEqual((await state()).snapshots, []);
  }

  test('may have redirects, to other hosts too, but not endlessly', async () => {
    const { fetch } = useFetching();
    const other = publisher.url.replace('127.0.0.1', 'localhost');
    publisher.offer('/moved', redirectTo(`${other}/register.csv`));
    const moved = await fetch({ addresses: [`${publisher.url}/moved`, `${other}/register.csv`] });
    assert.deepEqual([moved.outcome, moved.files.map(({ name }) => name)], ['new', ['moved', 'register.csv']]);
    publisher.offer('/loop', redirectTo('/loop'));
    const from = publisher.requests.length;
    await expectFailure(
      `${publisher.url}/loop`,
      /redirects more than 5 times: correct its address in FETCH_SOURCES\.$/,
    );
    assert.equal(publisher.requests.length - from, 6);
  });

  test('never leads to a private address', async () => {
    const words = /is an address of a private network, where no publisher is/;
    for (const location of [
      'http://169.254.169.254/latest/meta-data',
      'https://10.0.0.1/register.csv',
      'https://[::1]/register.csv',
      'https://[::ffff:127.0.0.1]/register.csv',
      'https://[64:ff9b::8.8.8.8]/register.csv',
      'https://[2002:7f00:1::]/register.csv',
      'https://[::127.0.0.1]/register.csv',
      'https://[fec0::1]/register.csv',
      'https://167772161/register.csv',
      `http://localhost:${new URL(publisher.url).port}/register.csv`,
    ]) {
      publisher.offer('/private', redirectTo(location));
      await expectFailure(`${publisher.url}/private`, words);
    }
    const register = moveLv(`${publisher.url}/register.csv`);
    await expectFailure(undefined, words, { register });
  });

  test('never leads to another port of a host that the operator named', async () => {
    const inside = await startPublisher();
    inside.offer('/register.csv', { body });
    publisher.offer('/inside', redirectTo(`${inside.url}/register.csv`));
    await expectFailure(`${publisher.url}/inside`, /is an address of a private network/);
    assert.equal(inside.requests.length, 0);
    await inside.close();
  });

  test('ends at a name that resolves to a private address, unless the operator named it with its port', async (context) => {
    await assert.rejects(promisify(guardLookup())('localhost', { all: true }), { code: 'EPRIVATE' });
    context.mock.method(dns, 'lookup', (_name: string, { all }: dns.LookupOptions, callback: Callback) => {
      if (all) callback(null, [{ address: '127.0.0.1', family: 4 }]);
      else callback(null, '127.0.0.1', 4);
    });
    syncBuiltinESMExports();
    const secure = await startPublisher(createCertificate(['localhost']));
    try {
      const address = `https://mirror.example:${new URL(secure.url).port}/register.csv`;
      const words = /^Mirror\.example:\d+ is an address of a private network/;
      await expectFailure(undefined, words, { register: moveLv(address) });
      publisher.offer('/mirror', redirectTo(address));
      const named = [`${publisher.url}/mirror`, 'https://mirror.example:1/x', 'https://mirror.example/x'];
      await expectFailure(undefined, words, { addresses: named });
      // It was connected, and has the certificate of another name.
      await expectFailure(address, /certificate that cannot be verified/);
    } finally {
      context.mock.restoreAll();
      syncBuiltinESMExports();
      await secure.close();
    }
  });

  test('never leads to an address that is not http', async () => {
    publisher.offer('/file', redirectTo('file:///etc/passwd'));
    await expectFailure(`${publisher.url}/file`, /redirects to an invalid address/);
    publisher.offer('/plain', redirectTo('http://example.org/register.csv'));
    await expectFailure(`${publisher.url}/plain`, /is plain http, which anyone on the way can change/);
  });

  test('ends at a certificate that cannot be verified', async () => {
    const certificate = createCertificate(['localhost']);
    const secure = await startPublisher(certificate);
    const defaults = tls.getCACertificates('default');
    try {
      const address = `${secure.url.replace('127.0.0.1', 'localhost')}/register.csv`;
      await expectFailure(address, /has a certificate that cannot be verified \(\w+\): check the clock and the CA/);
      assert.equal(secure.requests.length, 0);

      tls.setDefaultCACertificates([...defaults, certificate.cert]);
      secure.offer('/register.csv', { body });
      const { fetch } = useFetching();
      assert.equal((await fetch({ addresses: [address] })).outcome, 'new');
      // The certificate is for another name.
      await expectFailure(`${secure.url}/register.csv`, /certificate that cannot be verified/);
    } finally {
      tls.setDefaultCACertificates(defaults);
      await secure.close();
    }
  });

  test('ends at a proxy that does not answer or wants a password', async () => {
    const refusing = createServer((socket) => {
      socket.on('error', () => {}).end('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n');
    }).listen(0, '127.0.0.1');
    await once(refusing, 'listening');
    const { port } = refusing.address() as { port: number };
    const proxies = { http: '', https: `http://127.0.0.1:${port}`, except: '' };
    await expectFailure('https://publisher.invalid/register.csv', /[Tt]he proxy.*: check HTTPS_PROXY and NO_PROXY\.$/, {
      proxies,
    });
    refusing.close();
  });
});
