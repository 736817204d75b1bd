import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Contract } from '../../src/api/contract.ts';
import { SearchParameters } from '../../src/search/parameters.ts';
import { usualEngines } from '../harness/databases.ts';
import { isDeep } from '../harness/depth.ts';
import { describeOn } from '../harness/describe-on.ts';
import type { TestSession } from '../harness/service.ts';
import { listUnsafeRoutes } from './routes.ts';
import { openShop, type Shop } from './shop.ts';
import { createVictim, dumpAccounts, listColumns, type Victim } from './victim.ts';

/**
 * Mass assignment, on every route of the running app that may change something: fields that a client must not set are
 * refused (JSON) or ignored (forms). Their names are all columns of the database, properties of the contract (in the deep run all)
 * and some of the payment provider. A new route fails here until it is listed with a valid body.
 */
const BODIES: Readonly<Record<string, Record<string, string> | 'no body' | 'signed' | 'elsewhere'>> = {
  'POST /api/v1/api-keys': { name: 'mine' },
  'DELETE /api/v1/api-keys/:id': 'no body',
  'POST /api/v1/reconcile-links': { name: 'mine' },
  'DELETE /api/v1/reconcile-links/:id': 'no body',
  'POST /api/v1/monitors': { name: 'mine' },
  'PATCH /api/v1/monitors/:id': { name: 'mine' },
  'DELETE /api/v1/monitors/:id': 'no body',
  'POST /api/v1/monitors/:id/entities': { add: '[]' },
  'POST /api/v1/webhook-endpoints': { url: 'https://example.com/', description: 'mine' },
  'PATCH /api/v1/webhook-endpoints/:id': { url: 'https://example.com/', description: 'mine' },
  'DELETE /api/v1/webhook-endpoints/:id': 'no body',
  'POST /api/v1/webhook-endpoints/:id/rotate': 'no body',
  'POST /api/v1/webhook-endpoints/:id/test': 'no body',
  'POST /api/v1/webhook-endpoints/:id/replay': 'no body',
  // test/api/match.test.ts and test/mcp/arguments.test.ts send unknown fields to these, which store nothing.
  'POST /api/v1/match': 'elsewhere',
  'POST /api/v1/billing/checkout': { plan: 'pro' },
  'POST /api/v1/billing/portal': 'no body',
  'POST /api/v1/billing/webhook': 'signed',
  'POST /dashboard/monitors': { name: 'mine', list: 'GB,1', search: '' },
  'POST /dashboard/monitors/watch': { search: 'q=x' },
  'POST /dashboard/monitors/:id': { name: 'mine', search: '' },
  'POST /dashboard/monitors/:id/companies': { list: 'GB,1', action: 'add' },
  'POST /dashboard/monitors/:id/feed': { action: '' },
  'POST /dashboard/monitors/:id/alerts': { address: 'a@b.cd', rhythm: 'daily' },
  'POST /alerts/:token': { action: 'stop' },
  'POST /match/watch': 'no body',
  'POST /dashboard/monitors/:id/delete': {},
  'POST /dashboard/keys': { name: 'mine' },
  'POST /dashboard/keys/:id/revoke': {},
  'POST /dashboard/links': { name: 'mine' },
  'POST /dashboard/links/:id/revoke': {},
  'POST /dashboard/keys/:id/rotate': { ends: 'day' },
  'POST /dashboard/links/:id/rotate': { ends: 'day' },
  'POST /dashboard/webhooks': { url: 'https://example.com/', description: '', monitors: 'all' },
  'POST /dashboard/webhooks/:id': { action: 'test' },
  'POST /dashboard/checkout': { plan: 'pro' },
  'POST /dashboard/billing': {},
  'POST /explore/download': { q: 'x', units: '1' },
  // All fields of the form, so that none of them is taken for a further one.
  'POST /docs/try/:operation': {
    ...Object.fromEntries(Object.keys(SearchParameters.properties).map((name) => [name, ''])),
    q: 'x',
  },
  'POST /match': { list: 'x' },
  'POST /match/rows': { state: 'x', units: '1' },
  'POST /match/all': { state: 'x', units: '1' },
  'POST /match/download': { state: 'x' },
  'POST /auth/logout': {},
  'POST /mcp': 'elsewhere',
};
const FIELDS_OF_THE_PROVIDER = 'customer price amount quantity success_url metadata coupon trial_end'.split(' ');
const PRIVILEGES = ['role', 'admin', 'isAdmin', 'quota', 'permissions', '__proto__', 'constructor'];
/** Unknown fields of JSON are all refused in the same way. */
const STEP = isDeep ? 1 : 10;
/** Most properties of the contract describe companies, which these routes know nothing about. */
const PROPERTY_STEP = isDeep ? 1 : 10;
/** If one of these values is stored, a field was taken from the request. */
const PLANTED = 'planted-0f6c1b';
const PLANTED_TIME = 946_684_800_123;

describeOn(usualEngines, 'fields that a client must not set', (engine) => {
  let shop: Shop;
  let victim: Victim;
  let attacker: TestSession;
  let fields: readonly string[];
  before(async () => {
    shop = await openShop(engine, { limits: { guessDelayMs: 0 } });
    victim = await createVictim(shop);
    attacker = await shop.service.signIn({ plan: 'free' });
    const contract: Contract = JSON.parse((await shop.service.client.get('/api/v1/openapi.json')).text);
    const columns = await listColumns(shop.service.services.accountsDb);
    const camel = columns.map((name) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()));
    const properties = [...new Set(listProperties(contract))].filter((_, at) => at % PROPERTY_STEP === 0);
    const names = [...columns, ...camel, ...properties, ...FIELDS_OF_THE_PROVIDER, ...PRIVILEGES];
    fields = [...new Set(names)].toSorted();
    assert.ok(fields.length > 100, fields.join(', '));
  });
  after(() => shop[Symbol.asyncDispose]());

  const dump = () => dumpAccounts(shop.service.services.accountsDb);
  const listPlanted = async () =>
    [...(await dump()), JSON.stringify(shop.sandbox.readState())].filter(
      (row) => row.includes(PLANTED) || row.includes(String(PLANTED_TIME)),
    );
  /** A value of the right type for each field, as a real attack would send. */
  function plant(name: string): string | number | boolean {
    if (/account/i.test(name)) return victim.objects.account;
    if (/^(?:id|.*Id|.*_id)$/.test(name)) return victim.objects.key;
    if (/plan/i.test(name)) return 'business';
    if (/customer/.test(name)) return victim.objects.customer;
    if (/At$|_at$|created|expires|end|start|anchor|seen/i.test(name)) return PLANTED_TIME;
    return /^is|admin/i.test(name) ? true : PLANTED;
  }
  const send = (route: string, path: string, type: string, body: string) => {
    // The requests of an account per minute are limited.
    shop.service.clock.advance(250);
    return fetch(shop.service.url + path, {
      method: route.split(' ')[0] ?? '',
      redirect: 'manual',
      headers: { ...attacker.headers, accept: 'application/json', 'content-type': type },
      body,
    });
  };

  test('every route that may change something is listed, with its body', () => {
    assert.deepEqual(listUnsafeRoutes(shop.service.app).toSorted(), Object.keys(BODIES).toSorted());
  });

  for (const [route, body] of Object.entries(BODIES)) {
    if (body === 'elsewhere') continue;
    const pattern = route.split(' ')[1] ?? '';
    if (body === 'signed') {
      test(`${route}: without a signature, nothing is read and nothing changes`, async () => {
        const before = await dump();
        const text = JSON.stringify({ id: 'evt_1', type: 'x', created: 1, plan: 'business', accountId: PLANTED });
        assert.equal((await send(route, pattern, 'application/json', text)).status, 400);
        assert.deepEqual(await dump(), before);
      });
    } else if (pattern.startsWith('/api/') && body !== 'no body') {
      test(`${route}: each further field is refused, and nothing changes`, async () => {
        // An account can send a limited number of requests per minute.
        attacker = await shop.service.signIn({ plan: 'free' });
        const before = await dump();
        for (const name of fields.filter((field, at) => !(field in body) && at % STEP === 0)) {
          const text = JSON.stringify({ ...body, [name]: plant(name) });
          const reply = await send(route, pattern, 'application/json', text);
          assert.equal(reply.status, 400, `${name}: ${await reply.text()}`);
        }
        assert.deepEqual(await dump(), before);
      });
    } else {
      test(`${route}: further fields are ignored or refused, never stored`, async () => {
        const isApi = pattern.startsWith('/api/');
        const type = isApi ? 'application/json' : 'application/x-www-form-urlencoded';
        const { apiKeys, reconcileLinks, monitors, webhooks } = shop.service.services;
        const secrets = pattern.includes('link') ? reconcileLinks : apiKeys;
        const belongsToVictim = (row: string) => victim.marks.some((mark) => row.includes(mark));
        const before = (await dump()).filter(belongsToVictim);
        const statuses = new Set<number>();
        const extra = fields.filter((field) => body === 'no body' || !(field in body));
        // Forms are limited to 4 KiB.
        for (let from = 0; from < extra.length; from += 40) {
          attacker = await shop.service.signIn({ plan: 'free', subject: `attacker of ${engine} by ${route}` });
          for (const { id } of await secrets.list(attacker.account.accountId)) {
            await secrets.revoke(attacker.account.accountId, id);
          }
          const { account } = attacker;
          for (const { id } of await webhooks.list(account.accountId)) await webhooks.remove(account.accountId, id);
          for (const { id } of await monitors.list(account.accountId)) await monitors.delete(account.accountId, id);
          const createOwn = () =>
            pattern.includes('webhooks/')
              ? webhooks.create(account, { url: 'https://example.com/' })
              : secrets.create(account.accountId, 'own');
          const planted = Object.fromEntries(extra.slice(from, from + 40).map((name) => [name, String(plant(name))]));
          const own = pattern.includes(':id') ? (await createOwn()).id : '';
          const content = { ...(typeof body === 'object' && body), ...planted };
          const text = isApi ? JSON.stringify(content) : new URLSearchParams(content).toString();
          const path = pattern.replace(':id', own).replace(':operation', 'searchEntities');
          // What an account may create or test per minute is limited, too.
          shop.service.clock.advance(15_000);
          const reply = await send(route, path, type, text);
          statuses.add(reply.status);
          await reply.arrayBuffer();
        }
        // A form that is not accepted would prove nothing. The download refuses unknown fields, as the API does, matching an invalid country, and monitors and alerts do not exist or are too many.
        const highest =
          isApi || pattern === '/explore/download' || /^\/(match|alerts)|monitors/.test(pattern) ? 499 : 399;
        assert.ok(Math.max(...statuses) <= highest, [...statuses].join());
        assert.deepEqual(await listPlanted(), []);
        assert.deepEqual((await dump()).filter(belongsToVictim), before);
        const { plan } = await shop.account(
          await shop.service.signIn({ plan: 'free', subject: `attacker of ${engine} by ${route}` }),
        );
        assert.equal(plan.id, 'free');
      });
    }
  }
});

/** The names of all properties in a schema, at every depth. */
function listProperties(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'properties' && typeof inner === 'object' && inner !== null
      ? [...Object.keys(inner), ...listProperties(inner)]
      : listProperties(inner),
  );
}
