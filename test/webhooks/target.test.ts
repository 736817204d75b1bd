import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, type LookupFunction, Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls';
import { createSender, validateTarget } from '../../src/watch/webhooks/delivery/sender.ts';
import { until } from '../harness/until.ts';
import { createCertificate } from './certificate.ts';
import { startReceiver } from './receiver.ts';

const rules = { ports: [443, 8443], allowsLoopback: false };

/** Addresses by which an owner could try to make the server reach something that only the server can reach. */
const TRICKS = [
  ...readFileSync(new URL('refused-addresses.txt', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#')),
  'https://example.com\\@127.0.0.1/',
  'https://example.com/\r\nX: y',
  '',
  `https://example.com/${'a'.repeat(2_000)}`,
];

/** What a name may resolve to. All of it is found only when a connection is made. */
const RESOLVED = [
  ['127.0.0.1'],
  ['169.254.169.254'],
  ['::1'],
  ['::ffff:127.0.0.1'],
  ['fd12:3456::1'],
  // One private address among public ones is enough.
  ['93.184.216.34', '127.0.0.1'],
  ['2606:2800:220:1::1', '::1'],
] as const;

describe('addresses of receivers', () => {
  test(`${TRICKS.length} tricks are refused when an endpoint is created`, () => {
    for (const trick of TRICKS) {
      assert.throws(() => validateTarget(trick, rules), { code: 'invalid_request' }, trick);
    }
  });

  test('addresses on the internet are accepted', () => {
    const addresses = [
      'https://example.com/hooks',
      'https://example.com:8443/a?b=c',
      'https://hooks.example.com.:443/',
      'https://93.184.216.34/',
      'https://[2606:2800:220:1::1]/',
      'https://bücher.example/',
    ];
    for (const address of addresses) assert.equal(validateTarget(address, rules).href, new URL(address).href, address);
    assert.equal(validateTarget('https://example.com:9000/', { ...rules, ports: [9000] }).port, '9000');
  });

  test('http to this machine only where the demo allows it', () => {
    const demo = { ...rules, allowsLoopback: true };
    for (const address of ['http://127.0.0.1:3000/', 'http://localhost:8080/', 'http://[::1]:9/']) {
      assert.equal(validateTarget(address, demo).href, address);
      assert.throws(() => validateTarget(address, rules), { code: 'invalid_request' });
    }
    for (const trick of ['http://10.0.0.1/', 'http://example.com/', 'https://169.254.169.254/', 'http://0.0.0.0/']) {
      assert.throws(() => validateTarget(trick, demo), { code: 'invalid_request' }, trick);
    }
  });
});

describe('connections to receivers', () => {
  const send = async (url: string, addresses: readonly string[], allowsLoopback = false) => {
    let lookups = 0;
    const sender = createSender({
      rules: { ports: [443, 8443, Number(new URL(url).port || 443)], allowsLoopback },
      timeoutMs: 5_000,
      resolve(_hostname, _options, callback) {
        lookups++;
        callback(
          null,
          addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
        );
      },
    });
    const answer = await sender.send(url, {}, '{}', new AbortController().signal);
    await sender.close();
    return { ...answer, lookups };
  };

  for (const addresses of RESOLVED) {
    test(`a name that resolves to ${addresses.join(' and ')} is not connected to`, async () => {
      await using receiver = await startReceiver();
      const { port } = new URL(receiver.url);
      const { reason, lookups } = await send(`https://rebind.example:${port}/`, addresses);
      assert.equal(reason, 'the host name leads to a private or reserved address');
      assert.equal(lookups, 1);
      assert.deepEqual(receiver.received, []);
    });
  }

  test('the rules apply to stored addresses, too, and even if they would not, the connector refuses', async () => {
    await using receiver = await startReceiver();
    const { status, reason } = await send(receiver.url, []);
    assert.equal(status, null);
    assert.match(reason ?? '', /must start with https/);
    const local = await send(`https://127.0.0.1:${new URL(receiver.url).port}/`, []);
    assert.match(local.reason ?? '', /private or reserved/);
    assert.deepEqual(receiver.received, []);
  });

  test('idle connections are closed before the receiver closes them, whatever it allows', async () => {
    const server = createServer((_request, response) => void response.end());
    server.keepAliveTimeout = 1_000_000;
    let open = 0;
    server.on('connection', (socket) => {
      open++;
      socket.on('close', () => void open--);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const sender = createSender({ rules: { ports: [], allowsLoopback: true }, timeoutMs: 100_000 });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    assert.equal((await sender.send(url, {}, '{}', new AbortController().signal)).status, 200);
    await until('the connection is closed', () => open === 0);
    await sender.close();
    server.close();
  });
});

const PUBLIC = '93.184.216.34';
const NAME = 'hooks.example';

/** Receivers with https, at a public address that the network of this test translates to this machine. */
describe('connections to receivers with https', () => {
  const trusted = createCertificate([NAME]);
  const defaults = getCACertificates();
  const connectDirectly = Socket.prototype.connect;
  /** The addresses that connections were made to. */
  const connected: string[] = [];

  before(() => {
    setDefaultCACertificates([...defaults, trusted.cert]);
    Socket.prototype.connect = function (this: Socket, ...given: unknown[]) {
      const options = Object(Array.isArray(given[0]) ? given[0][0] : given[0]) as { host?: string; lookup?: unknown };
      if (options.host === PUBLIC) {
        connected.push(PUBLIC);
        options.host = '127.0.0.1';
      } else if (typeof options.lookup === 'function') options.lookup = translate(options.lookup as LookupFunction);
      return Reflect.apply(connectDirectly, this, given);
    } as typeof connectDirectly;
  });
  after(() => {
    Socket.prototype.connect = connectDirectly;
    setDefaultCACertificates(defaults);
  });

  const translate =
    (lookup: LookupFunction): LookupFunction =>
    (hostname, options, callback) =>
      lookup(hostname, options, (error, addresses) => {
        const list = Array.isArray(addresses) ? addresses : [];
        for (const { address } of list) connected.push(address);
        callback(error, error === null ? list.map(() => ({ address: '127.0.0.1', family: 4 })) : []);
      });

  /** Sends to a receiver with this certificate and returns what it saw. `resolved` are the answers of the resolver, in order. */
  async function send(
    certificate: ReturnType<typeof createCertificate>,
    host: string,
    { resolved = [PUBLIC], times = 1, closes = false } = {},
  ) {
    connected.length = 0;
    const seen: { readonly host: string | undefined; readonly sni: string | false | null | undefined }[] = [];
    const server = createSecureServer(certificate, (request, response) => {
      const { servername } = request.socket as TLSSocket;
      seen.push({ host: request.headers.host, sni: servername });
      response.writeHead(200, closes ? { connection: 'close' } : {}).end();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    let lookups = 0;
    const sender = createSender({
      rules: { ports: [port], allowsLoopback: false },
      timeoutMs: 100_000,
      resolve: (_hostname, _options, callback) =>
        callback(null, [{ address: resolved[Math.min(lookups++, resolved.length - 1)] as string, family: 4 }]),
    });
    const answers = [];
    for (let at = 0; at < times; at++) {
      answers.push(await sender.send(`https://${host}:${port}/`, {}, '{}', new AbortController().signal));
    }
    await sender.close();
    server.closeAllConnections();
    server.close();
    return { answers, seen, lookups, port };
  }

  test('go to the address that was resolved, once, with the original name for SNI, certificate and Host', async () => {
    const { answers, seen, lookups, port } = await send(trusted, NAME);
    assert.equal(answers[0]?.status, 200);
    assert.deepEqual(seen, [{ host: `${NAME}:${port}`, sni: NAME }]);
    assert.equal(lookups, 1);
    assert.deepEqual(connected, [PUBLIC]);
  });

  test('each new connection resolves and checks the name again: a later private address is refused', async () => {
    const { answers, seen, lookups } = await send(trusted, NAME, {
      times: 2,
      closes: true,
      resolved: [PUBLIC, '10.0.0.1'],
    });
    assert.deepEqual(
      answers.map(({ status, reason }) => status ?? reason),
      [200, 'the host name leads to a private or reserved address'],
    );
    assert.deepEqual([seen.length, lookups], [1, 2]);
    assert.deepEqual(connected, [PUBLIC]);
  });

  const refused = [
    ['of another name', createCertificate(['other.example']), NAME, true],
    ['of an unknown issuer', createCertificate([NAME]), NAME, false],
    ['of a name, if the URL has the address', trusted, PUBLIC, false],
  ] as const;
  for (const [what, certificate, host, trustsIt] of refused) {
    test(`a certificate ${what} is refused, and nothing is sent`, async () => {
      if (trustsIt) setDefaultCACertificates([...defaults, certificate.cert]);
      try {
        const { answers, seen } = await send(certificate, host);
        assert.match(answers[0]?.reason ?? '', /^the certificate or TLS connection was refused \(\w+\)$/);
        assert.deepEqual(seen, []);
        assert.deepEqual(connected, [PUBLIC]);
      } finally {
        setDefaultCACertificates([...defaults, trusted.cert]);
      }
    });
  }
});
