import { randomUUID } from 'node:crypto';
import { until } from '../../harness/until.ts';
import type { Attack } from '../attack.ts';
import { createChecks } from '../checks.ts';
import { type ProxiedTarget, startProxied } from '../proxied-target.ts';
import { proxyNames } from '../proxy.ts';

/** The client connects to the proxy from this address, and the proxy to the service from 127.0.0.1. */
const CLIENT = '127.0.0.5';
const FORGED = {
  'x-forwarded-for': '198.51.100.9, 127.0.0.1',
  'x-forwarded-proto': 'http',
  'x-forwarded-host': 'evil.example',
  'x-forwarded-port': '80',
  'x-real-ip': '198.51.100.9',
  forwarded: 'for=198.51.100.9;host=evil.example;proto=http',
};

async function findAddress(proxied: ProxiedTarget): Promise<string | undefined> {
  const id = randomUUID();
  const headers = { ...FORGED, 'x-request-id': id };
  await proxied.ask('/api/v1/nothing', { headers, from: CLIENT });
  await until('the request is logged', () => proxied.findLogged(id).length > 0);
  return proxied.findLogged(id)[0]?.address;
}

/** What the service does with the headers, by the setting of TRUST_PROXY. */
const settings = [
  { title: 'the proxy is trusted', trusted: '127.0.0.1', address: CLIENT },
  { title: 'one proxy is trusted', trusted: '1', address: CLIENT },
  { title: 'another proxy is trusted', trusted: '10.0.0.1', address: '127.0.0.1' },
  { title: 'no proxy is trusted', trusted: '', address: '127.0.0.1' },
] as const;

export const attacks: readonly Attack[] = proxyNames.map((name) => ({
  name: `forged X-Forwarded-* through ${name}`,
  // The headers do not depend on the database.
  engines: ['sqlite'],
  async run(engine) {
    const { check, conclude } = createChecks();
    for (const { title, trusted, address } of settings) {
      await using proxied = await startProxied(engine, name, { companies: 0, env: { TRUST_PROXY: trusted } });
      const { url } = proxied.proxy;
      check(`${title}: the address is ${address}`, (await findAddress(proxied)) === address);
      const error = JSON.parse((await proxied.ask('/api/v1/nothing', { headers: FORGED })).body.toString());
      check(`${title}: links use PUBLIC_URL`, error.error.docs.startsWith(`${url}/docs/`));
      const page = await proxied.ask('/docs', { headers: FORGED });
      check(`${title}: pages do not name the forged host`, !page.body.toString().includes('evil.example'));
      const { cookie } = await proxied.target.office.createAccount();
      const signOut = { method: 'POST', headers: { ...FORGED, cookie: onHttps(cookie), origin: url } };
      const ended = await proxied.ask('/auth/logout', signOut);
      const cookies = [ended.headers['set-cookie'] ?? []].flat();
      check(`${title}: the form of our own page is accepted`, ended.status === 303);
      check(`${title}: cookies are Secure`, cookies.length > 0 && cookies.every((each) => /; Secure/i.test(each)));
      const foreign = { ...signOut, headers: { ...signOut.headers, origin: 'https://evil.example' } };
      check(
        `${title}: the form of another site is refused`,
        (await proxied.ask('/auth/logout', foreign)).status === 403,
      );
    }
    return conclude();
  },
}));

/** On https the cookie's name has a prefix. */
const onHttps = (cookie: string) => `__Host-${cookie}`;
