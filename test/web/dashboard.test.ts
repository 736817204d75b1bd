import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { invalidNames, validNames } from '../accounts/key-names.ts';
import { engines } from '../harness/databases.ts';
import { type OpenPage, pageOpener } from '../harness/pages.ts';
import { grantPlan } from '../harness/payment-events.ts';
import { startService, type TestService, type TestSession } from '../harness/service.ts';

const NOT_CONFIGURED = /Billing is not configured on this server: ask its operator to set it up\./;

for (const engine of engines) {
  describe(`the dashboard on ${engine}`, () => {
    let service: TestService;
    let open: OpenPage;
    before(async () => {
      service = await startService(engine);
      open = pageOpener(service);
    });
    after(() => service[Symbol.asyncDispose]());

    const secretIn = (html: string) => /frm_live_\w{46}/.exec(html)?.[0];
    const useKey = (key: string) => service.client.get('/api/v1/countries', { headers: { 'x-api-key': key } });

    test('an anonymous visitor is redirected to sign in and back', async () => {
      const { status, headers } = await open('/dashboard');
      assert.deepEqual([status, headers.get('location')], [303, '/auth/login?returnTo=%2Fdashboard']);
      assert.equal((await open('/dashboard/keys', undefined, { name: 'x' })).status, 303);
    });

    test('a key is created, shown once, used, counted by name, and revoked after confirmation', async () => {
      const session = await service.signIn({ plan: 'pro' });
      const created = await open('/dashboard/keys', session, { name: '<b>laptop</b>' });
      const secret = secretIn(created.html) ?? assert.fail('the page shows no secret');
      assert.equal(created.status, 200);
      assert.equal(created.headers.get('cache-control'), 'no-store');
      assert.equal(secretIn((await open('/dashboard', session)).html), undefined, 'the secret is shown a second time');
      assert.equal((await useKey(secret)).status, 200);
      assert.equal((await useKey(secret)).status, 200);
      const dashboard = await open('/dashboard', session);
      assert.match(dashboard.text, /<b>laptop<\/b> 2/);
      assert.match(dashboard.text, /2 of 100,000 requests/);
      assert.match(dashboard.html, /<title>15 Mar 2026: 2<\/title>/);

      const [, address = ''] = /href="(\/dashboard\/keys\/[\w-]+\/revoke)"/.exec(dashboard.html) ?? [];
      assert.match((await open(address, session)).text, /cannot be undone/);
      assert.equal((await useKey(secret)).status, 200, 'opening the confirmation page revokes the key');
      assert.equal((await open(address, await service.signIn(), {})).status, 404, 'another account can revoke the key');
      for (const id of ['%00', 'nothing']) {
        assert.equal((await open(`/dashboard/keys/${id}/revoke`, session, {})).status, 404, id);
      }
      assert.equal((await open(address, session, {})).status, 303);
      assert.equal((await useKey(secret)).status, 401);
      assert.match((await open('/dashboard', session)).text, /Revoked keys 3/);
    });

    test('an empty name and a key over the limit are explained on the dashboard', async () => {
      const session = await service.signIn({ plan: 'free' });
      const nameless = await open('/dashboard/keys', session, { name: '  ' });
      const explains = (text: string) => /Request failed.*Usage.*API keys/s.test(text);
      assert.deepEqual([nameless.status, explains(nameless.text)], [400, true]);
      const isOffered = async () => (await open('/dashboard', session)).text.includes('New key name');
      assert.equal(await isOffered(), true);
      await open('/dashboard/keys', session, { name: 'first' });
      assert.equal(await isOffered(), false, 'the form is shown, but would only fail');
      const tooMany = await open('/dashboard/keys', session, { name: 'second' });
      assert.deepEqual([tooMany.status, explains(tooMany.text)], [409, true]);
    });

    test('the form accepts and rejects the same names as the API', async () => {
      const session = await service.signIn();
      const page = await open('/dashboard', session);
      assert.match(
        page.html,
        /<input id="name" name="name" required autocomplete="off"/,
        'the browser does not cut names',
      );
      for (const name of validNames) {
        const { status } = await open('/dashboard/keys', session, { name });
        assert.equal(status, 200, JSON.stringify(name));
      }
      const { accountId } = session.account;
      const created = (await service.services.apiKeys.list(accountId)).map((key) => key.name);
      assert.deepEqual(created.toSorted(), validNames.map((name) => name.trim()).toSorted());
      for (const name of invalidNames.filter((each) => each.isWellFormed())) {
        const { status, text } = await open('/dashboard/keys', session, { name });
        assert.deepEqual([status, /The name of the key /.test(text)], [400, true], JSON.stringify(name));
      }
      assert.equal((await service.services.apiKeys.list(accountId)).length, validNames.length);
    });

    test('a form of more than 4 KB is rejected with 413', async () => {
      const session = await service.signIn();
      const bytesOf = (length: number) => ({ name: 'x'.repeat(length - 'name='.length) });
      assert.equal((await open('/dashboard/keys', session, bytesOf(4_096))).status, 400, 'the name is too long');
      assert.equal((await open('/dashboard/keys', session, bytesOf(4_097))).status, 413);
    });

    test('a form on another site changes nothing', async () => {
      const session = await service.signIn();
      const evil = { ...session, headers: { ...session.headers, origin: 'https://evil.test' } } as TestSession;
      for (const path of ['/dashboard/keys', '/dashboard/checkout', '/dashboard/billing', '/auth/logout']) {
        const { status, text } = await open(path, evil, { name: 'x', plan: 'pro' });
        assert.equal(status, 403, path);
        assert.match(text, /csrf_rejected/);
      }
      assert.deepEqual(await service.services.apiKeys.list(session.account.accountId), []);
    });

    test('after a payment the page waits, and only a signed event changes the plan', async () => {
      const session = await service.signIn({ plan: 'free' });
      const waiting = await open('/dashboard?checkout=done', session);
      assert.match(waiting.text, /waiting for confirmation/);
      assert.match(waiting.html, /<noscript><meta http-equiv="refresh"/);
      assert.match((await open('/dashboard?checkout=cancelled', session)).text, /Checkout cancelled/);
      await grantPlan(service.services, session.account.accountId, 'pro');
      assert.match((await open('/dashboard?checkout=done', session)).text, /You are on Pro/);
      const { cookie, origin = '' } = session.headers;
      const wants = { ...session, headers: { origin, cookie: `${cookie}; wanted_plan=business` } };
      assert.match((await open('/dashboard?checkout=done', wants)).text, /waiting for confirmation/);
    });

    test('only the dashboard allows forms to redirect to the payment provider', async () => {
      const session = await service.signIn();
      const policyOf = async (path: string) => (await open(path, session)).headers.get('content-security-policy') ?? '';
      assert.match(
        await policyOf('/dashboard'),
        /form-action 'self' https:\/\/checkout\.stripe\.com https:\/\/billing\.stripe\.com;/,
      );
      assert.match(await policyOf('/explore'), /form-action 'self';/);
    });

    test('without a payment provider the dashboard says that plans cannot be changed', async () => {
      const session = await service.signIn({ plan: 'free' });
      const { text, html } = await open('/dashboard', session);
      assert.match(text, NOT_CONFIGURED);
      assert.doesNotMatch(html, /Upgrade to/);
      for (const [path, form] of [
        ['/dashboard/checkout', { plan: 'pro' }],
        ['/dashboard/billing', {}],
      ] as const) {
        const refused = await open(path, session, form);
        assert.equal(refused.status, 503, path);
        assert.match(refused.text, /Request failed Billing is not configured on this server: ask its operator/);
      }
      assert.equal((await open('/dashboard/checkout', session, { plan: 'gold' })).status, 400);
    });

    test('the dashboard warns from 80% of the quota and reports 100%', async () => {
      const session = await service.signIn({ plan: 'free' });
      const use = async (used: number) => {
        const values = [session.account.accountId, Date.UTC(2026, 2, 1), used];
        await service.services.accountsDb.run(
          `INSERT INTO quotas (account_id, period_start, used, granted, most) VALUES ($1, $2, $3, 0, 1000)
            ON CONFLICT (account_id, period_start) DO UPDATE SET used = excluded.used`,
          values,
        );
        return open('/dashboard', session);
      };
      assert.doesNotMatch((await use(799)).text, /You have used/);
      assert.match((await use(800)).text, /You have used 80% of your quota 200 requests left until 1 Apr 2026/);
      assert.match((await use(999)).text, /You have used 99% of your quota/);
      const { text } = await use(1_000);
      assert.match(text, /You have used 100% of your quota/);
      assert.match(text, /No overage fees/);
    });
  });
}
