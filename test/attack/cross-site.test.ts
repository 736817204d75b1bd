import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { usualEngines } from '../harness/databases.ts';
import { listUnsafeRoutes } from '../harness/routes.ts';
import { startService } from '../harness/service.ts';

/**
 * Cross-site request forgery: another site makes the browser of a signed-in user send a request with the session cookie. Every
 * route with an unsafe method has to reject it, forms of the portal and operations of the API alike. Routes are read from the
 * running app, so that a new one cannot be forgotten here.
 */
const FOREIGN: readonly Record<string, string>[] = [
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
];

/** A browser on our own page, and clients that are not browsers. */
const OWN: readonly Record<string, string>[] = [{ 'sec-fetch-site': 'same-origin' }, {}];

/** These do not use the session: the webhook is authenticated by its signature, matching and the endpoint for assistants by an API key. */
const WITHOUT_SESSION = ['POST /api/v1/billing/webhook', 'POST /api/v1/match', 'POST /mcp'];

for (const engine of usualEngines) {
  describe(`cross-site requests on ${engine}`, () => {
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
        for (const headers of [{ origin: service.url }, ...OWN]) {
          const own = await send(headers);
          assert.notEqual(own.status, 403, `${route} ${JSON.stringify(headers)}`);
        }
      }
    });
  });
}

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
