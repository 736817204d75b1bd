import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { importSynthetic } from '../harness/entities.ts';
import { startService, type TestSession } from '../harness/service.ts';
import { useService } from '../harness/shared-service.ts';
import { listUnsafeRoutes } from './routes.ts';

/**
 * Cross-site request forgery: another site makes the browser of a signed-in user send a request with the session cookie. Every
 * route with an unsafe method has to reject it, forms of the portal and operations of the API alike. Routes are read from the
 * running app, so that a new one cannot be forgotten here.
 */
const FOREIGN: readonly Record<string, string>[] = [
  { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
  { 'sec-fetch-site': 'cross-site' },
];

/**
 * These do not use the session: the webhook is authenticated by its signature, matching and the endpoint for assistants by an API key, and
 * the page of an e-mail alert by the secret in its address, which mail programs send without an origin.
 */
const WITHOUT_SESSION = ['POST /api/v1/billing/webhook', 'POST /api/v1/match', 'POST /mcp', 'POST /alerts/:token'];

describeOn(usualEngines, 'cross-site requests', (engine) => {
  test('every unsafe route rejects them, changes nothing, and accepts the same request otherwise', async () => {
    await using service = await startService(engine);
    const routes = listUnsafeRoutes(service.app).filter((route) => !WITHOUT_SESSION.includes(route));
    assert.ok(routes.length >= 8, routes.join(', '));
    const { apiKeys, reconcileLinks } = service.services;
    for (const route of routes) {
      const session = await service.signIn({ plan: 'business' });
      const { cookie = '' } = session.headers;
      const { accountId } = session.account;
      const key = await apiKeys.create(accountId, 'existing');
      const link = await reconcileLinks.create(accountId, 'existing');
      const [method = '', pattern = ''] = route.split(' ');
      const send = (headers: Record<string, string>) =>
        fetch(service.url + pattern.replace(':id', pattern.includes('link') ? link.id : key.id), {
          method,
          redirect: 'manual',
          headers: { cookie, accept: 'application/json', ...bodyType(pattern), ...headers },
          ...(method === 'POST' && { body: bodyOf(pattern) }),
        });
      for (const headers of FOREIGN) {
        const reply = await send(headers);
        assert.equal(reply.status, 403, `${route} ${JSON.stringify(headers)}`);
        assert.match(await reply.text(), /csrf_rejected/);
      }
      assert.equal((await apiKeys.list(accountId)).length, 1, `${route} changed the keys`);
      assert.equal((await reconcileLinks.list(accountId)).length, 1, `${route} changed the links`);
      assert.ok(await service.services.sessions.authenticateCookie(readToken(cookie)), `${route} ended the session`);
      for (const headers of [{ origin: service.url }, {}]) {
        const own = await send(headers);
        assert.notEqual(own.status, 403, `${route} ${JSON.stringify(headers)}`);
      }
    }
  });
});

/** Forms of the portal are URL-encoded, the API takes JSON. */
function bodyType(pattern: string): Record<string, string> {
  if (!pattern.startsWith('/api/')) return { 'content-type': 'application/x-www-form-urlencoded' };
  return pattern.endsWith(':id') ? {} : { 'content-type': 'application/json' };
}

function bodyOf(pattern: string): string {
  const fields = pattern.endsWith('checkout') ? { plan: 'pro' } : { name: 'new' };
  return pattern.startsWith('/api/') ? JSON.stringify(fields) : new URLSearchParams({ ...fields }).toString();
}

function readToken(cookie: string): string {
  return cookie.split('=')[1] ?? '';
}

/**
 * Another site makes the browser of a signed-in user open pages that cost a request. `SameSite=Lax` sends the cookie along, so the
 * pages have to ask first.
 */
const EVIL = 'https://evil.example';

/** What browsers send when the user did not open the page. */
const NOT_CHARGED: readonly [name: string, headers: Record<string, string>][] = [
  ['a link, form, redirect or script of another site', { 'sec-fetch-site': 'cross-site' }],
  ['another host of our domain', { 'sec-fetch-site': 'same-site' }],
  ['a repeated header', { 'sec-fetch-site': 'same-origin, cross-site' }],
  ['another site, to a browser on plain http', { referer: `${EVIL}/page` }],
  ['a page without an origin', { origin: 'null' }],
  ['prerendering by another site', { 'sec-fetch-site': 'cross-site', 'sec-purpose': 'prefetch;prerender' }],
  ['prerendering of a typed address', { 'sec-fetch-site': 'none', 'sec-purpose': 'prefetch;prerender' }],
  ['prefetching by our own page', { 'sec-fetch-site': 'same-origin', 'sec-purpose': 'prefetch' }],
  ['prefetching by an older Chrome', { purpose: 'prefetch' }],
  ['prefetching by an older Firefox', { 'x-moz': 'prefetch' }],
  ['a preview in Safari', { 'x-purpose': 'preview' }],
];

const CHARGED: readonly [name: string, headers: (url: string) => Record<string, string>][] = [
  ['a link on our page', () => ({ 'sec-fetch-site': 'same-origin' })],
  ['a typed address', () => ({ 'sec-fetch-site': 'none' })],
  ['our page, to a browser on plain http', (url) => ({ referer: `${url}/explore` })],
  ['a typed address, on plain http', () => ({})],
];

describeOn(usualEngines, 'pages that cost a request', (engine) => {
  const service = useService(engine);
  let session: TestSession;
  let paths: readonly string[];
  const countUsed = async () => (await service.services.meter.readUsage(session.account)).used;
  const open = (path: string, headers: Record<string, string>) =>
    fetch(service.url + path, { headers: { accept: 'text/html', cookie: session.headers.cookie ?? '', ...headers } });

  before(async () => {
    await importSynthetic(service, 'gb', 30);
    session = await service.signIn();
    const found = await service.services.registryDb.one<{ id: string }>('SELECT id FROM entities');
    const record = `/entities/${found?.id}`;
    paths = ['/explore?q=', record, `${record}?list=/registrations`, `${record}/json`];
  });

  for (const [name, headers] of NOT_CHARGED) {
    test(`are not charged when opened by ${name}`, async () => {
      const before = await countUsed();
      for (const path of paths) {
        const reply = await open(path, headers);
        const page = await reply.text();
        const isSpeculative = Object.values(headers).some((value) => /pre/.test(value));
        assert.equal(reply.status, isSpeculative ? 403 : 200, path);
        assert.match(page, /uses 1 request/);
        // The link on the page repeats the request.
        const [, link = ''] = /class="button" href="([^"]+)"/.exec(page) ?? [];
        assert.equal(new URL(link.replaceAll('&amp;', '&'), service.url).pathname, path.split('?')[0]);
      }
      assert.equal(await countUsed(), before);
    });
  }

  for (const [name, headersOf] of CHARGED) {
    test(`are charged when opened by ${name}`, async () => {
      for (const path of paths) {
        const before = await countUsed();
        assert.equal((await open(path, headersOf(service.url))).status, 200);
        assert.equal(await countUsed(), before + 1, path);
      }
    });
  }
});
