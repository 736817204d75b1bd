import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import type { TestSession } from '../harness/service.ts';
import { isReconciliation, listRoutes } from './routes.ts';
import { openShop, type Shop } from './shop.ts';
import { createVictim, dumpAccounts, type Victim } from './victim.ts';

/**
 * Objects of other accounts, on every route of the running app: a foreign id gets the reply of an unknown one, and nothing
 * of the victim is shown or changed. A new route with a parameter fails here until it is listed.
 */
const PRIVATE = [
  ...['keys', 'links'].flatMap((kind) => [
    `DELETE /api/v1/${kind === 'keys' ? 'api-keys' : 'reconcile-links'}/:id`,
    ...['revoke', 'rotate'].flatMap((action) => [
      `GET /dashboard/${kind}/:id/${action}`,
      `POST /dashboard/${kind}/:id/${action}`,
    ]),
  ]),
  ...['GET', 'PATCH', 'DELETE'].map((method) => `${method} /api/v1/monitors/:id`),
  ...['GET', 'POST'].map((method) => `${method} /api/v1/monitors/:id/entities`),
  'GET /api/v1/monitors/:id/changes',
  ...['GET', 'POST'].flatMap((method) => [
    `${method} /dashboard/monitors/:id`,
    `${method} /dashboard/monitors/:id/companies`,
  ]),
  ...['feed', 'alerts', 'delete'].map((action) => `POST /dashboard/monitors/:id/${action}`),
  ...['monitors', 'webhooks'].map((kind) => `GET /dashboard/${kind}/:id/delete`),
  ...['GET', 'PATCH', 'DELETE'].map((method) => `${method} /api/v1/webhook-endpoints/:id`),
  ...['GET deliveries', 'POST rotate', 'POST test', 'POST replay'].map((each) =>
    each.replace(' ', ' /api/v1/webhook-endpoints/:id/'),
  ),
  ...['GET', 'POST'].map((method) => `${method} /dashboard/webhooks/:id`),
  'GET /dashboard/webhooks/:id/deliveries/:delivery',
];
/** Company records, documentation and plans are the same for every account. */
const PUBLIC = [
  '/api/v1/entities/:id',
  '/api/v1/entities/:id/changes',
  '/api/v1/entities/:id/parties',
  '/api/v1/entities/:id/owners',
  '/api/v1/entities/:id/holdings',
  '/api/v1/exports/:generation/*',
  '/entities/:id',
  '/entities/:id/json',
  '/entities/:id/proof',
  '/dashboard/exports/:generation/*',
  '/docs/errors/:code',
  // The secret in the address is the credential.
  '/feeds/:feed',
  '/alerts/:token',
  'POST /alerts/:token',
  '/docs/try/:operation',
  'POST /docs/try/:operation',
  '/dashboard/plans/:plan',
];
/** Parameters with which a request could name an object of another account. */
const NAMES = {
  key: ['id', 'keyId', 'key_id', 'key'],
  account: ['accountId', 'account_id', 'account', 'owner'],
  user: ['userId', 'user_id', 'user', 'sub'],
  subscription: ['subscription', 'subscriptionId'],
  customer: ['customer', 'customerId', 'customer_id', 'client_reference_id'],
} as const;

describeOn(usualEngines, 'objects of other accounts', (engine) => {
  let shop: Shop;
  let victim: Victim;
  let attacker: TestSession;
  before(async () => {
    shop = await openShop(engine, { limits: { guessDelayMs: 0 } });
    victim = await createVictim(shop);
    attacker = await shop.service.signIn({ plan: 'free' });
  });
  after(() => shop[Symbol.asyncDispose]());

  const send = async (method: string, path: string, init: { headers?: object; body?: string } = {}) => {
    const headers = { ...attacker.headers, accept: 'application/json', ...init.headers };
    const reply = await fetch(shop.service.url + path, { method, redirect: 'manual', ...init, headers });
    return { status: reply.status, headers: reply.headers, text: await reply.text() };
  };
  const dump = () => dumpAccounts(shop.service.services.accountsDb);
  const hasParameter = (route: string) => /[:*]/.test(route);

  test('every route with a parameter is listed', async () => {
    const routes = listRoutes(shop.service.app).filter(
      (route) => hasParameter(route) && !route.startsWith('OPTIONS') && !isReconciliation(route),
    );
    const unknown = routes.filter(
      (route) =>
        !PRIVATE.includes(route.replace(/^HEAD /, 'GET ')) && !PUBLIC.includes(route.replace(/^(?:GET|HEAD) /, '')),
    );
    assert.deepEqual(unknown, [], 'add them to PRIVATE or PUBLIC');
    for (const route of PRIVATE) assert.ok(routes.includes(route), `${route} does not exist`);
  });

  for (const route of PRIVATE) {
    test(`${route}: a foreign id is answered like an unknown one, and nothing changes`, async () => {
      const [method = '', pattern = ''] = route.split(' ');
      // The requests of an account per minute are limited.
      shop.service.clock.advance(60_000);
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      const json = { 'content-type': 'application/json' };
      const isApi = pattern.startsWith('/api/');
      const ask = async (id: string) => {
        const { status, headers, text } = await send(method, pattern.replace(':id', id), {
          ...(method === 'POST' && !isApi && { headers: form, body: 'confirmed=true&ends=day' }),
          ...(['POST', 'PATCH'].includes(method) && isApi && { headers: json, body: '{}' }),
        });
        const shown = text.replaceAll(id, 'ID').replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID');
        return { status, shown, headers: [...headers.keys()].toSorted() };
      };
      // The requests of the attacker are counted.
      const isForeign = (row: string) => !row.includes(attacker.account.accountId);
      const before = (await dump()).filter(isForeign);
      const unknown = await ask(randomUUID());
      assert.equal(unknown.status, 404);
      const malformed = await ask('sub_unknown');
      for (const id of Object.values(victim.objects)) {
        assert.deepEqual(await ask(id), id.includes('_') ? malformed : unknown, id);
      }
      assert.deepEqual((await dump()).filter(isForeign), before);
    });
  }

  test('no other route shows or changes anything of the victim, whatever ids the request names', async () => {
    const routes = listRoutes(shop.service.app).filter((route) => /^(?:GET|POST) /.test(route) && !hasParameter(route));
    assert.ok(routes.length > 20, routes.join(', '));
    const own = await shop.service.services.apiKeys.create(attacker.account.accountId, 'own');
    const belongsToVictim = (row: string) => victim.marks.some((mark) => row.includes(mark));
    const before = (await dump()).filter(belongsToVictim);
    const countMentions = () => JSON.stringify(shop.sandbox.readState()).split(victim.objects.customer).length;
    const mentions = countMentions();
    const claims = Object.fromEntries(
      Object.entries(NAMES).flatMap(([kind, names]) =>
        names.map((name) => [name, victim.objects[kind as keyof typeof NAMES]]),
      ),
    );
    const { account, user } = victim.objects;
    const named = { 'x-api-key': own.secret, 'x-account-id': account, 'x-user-id': user, 'x-forwarded-user': user };
    for (const route of routes) {
      const [method = '', path = ''] = route.split(' ');
      const isApi = path.startsWith('/api/');
      const type = isApi ? 'application/json' : 'application/x-www-form-urlencoded';
      const body = isApi ? JSON.stringify(claims) : new URLSearchParams(claims).toString();
      // A sign-out would end the attacker's own session.
      const headers = path.startsWith('/auth/') ? { ...named, cookie: '' } : named;
      for (const query of ['', `?${new URLSearchParams(claims)}`]) {
        const reply = await send(method, path + query, {
          headers: method === 'POST' ? { ...headers, 'content-type': type } : headers,
          ...(method === 'POST' && { body }),
        });
        assert.ok(reply.status < 500 || reply.status === 503, `${route}: ${reply.status} ${reply.text}`);
        // An error may repeat what the request contained.
        let shown = `${reply.text} ${JSON.stringify([...reply.headers])}`;
        for (const id of Object.values(victim.objects)) shown = shown.replaceAll(id, '');
        for (const mark of victim.marks) assert.ok(!shown.includes(mark), `${route} shows ${mark}`);
      }
    }
    assert.deepEqual((await dump()).filter(belongsToVictim), before);
    assert.equal(countMentions(), mentions, 'a page of the payment provider was opened for the victim');
  });
});
