import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:https';
import { type AddressInfo, type LookupFunction, Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls';
import { createSender } from '../../src/webhooks/delivery/sender.ts';
import { createCertificate } from './certificate.ts';

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
    const server = createServer(certificate, (request, response) => {
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
