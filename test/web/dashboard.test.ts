import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { writeExport } from '../exports/exports.ts';
import { usualEngines } from '../harness/databases.ts';
import { grantPlan } from '../harness/payment-events.ts';
import type { TestSession } from '../harness/service.ts';
import { useService } from '../harness/shared-service.ts';
import { until } from '../harness/until.ts';
import { pageOpener } from './pages.ts';

const NOT_CONFIGURED = /Billing is not configured on this server: ask its operator to set it up\./;

/** The session with the cookies that a page set. */
function withCookies(
  session: TestSession,
  set: { readonly cookie: string } | { readonly headers: Headers },
): TestSession {
  const added = 'cookie' in set ? [set.cookie] : set.headers.getSetCookie().map((each) => each.split(';', 1)[0]);
  const { cookie, ...headers } = session.headers;
  return { ...session, headers: { ...headers, cookie: [cookie, ...added].join('; ') } };
}

for (const engine of usualEngines) {
  describe(`the dashboard on ${engine}`, () => {
    const service = useService(engine);
    const open = pageOpener(service);

    const secretIn = (html: string) => /frm_live_\w{46}/.exec(html)?.[0];
    const useKey = (key: string) => service.client.get('/api/v1/countries', { headers: { 'x-api-key': key } });

    test('an anonymous visitor is redirected to sign in and back', async () => {
      const { status, headers } = await open('/dashboard');
      assert.deepEqual([status, headers.get('location')], [303, '/auth/login?returnTo=%2Fdashboard']);
      assert.equal((await open('/dashboard/keys', undefined, { name: 'x' })).status, 303);
      for (const form of [undefined, { plan: 'pro' }]) {
        const chosen = await open(
          form ? '/dashboard/checkout' : '/dashboard/plans/pro',
          undefined,
          form,
          '/dashboard/plans/pro',
        );
        assert.equal(chosen.headers.get('location'), '/auth/login?returnTo=%2Fdashboard%2Fplans%2Fpro');
      }
      const other = await open('/dashboard/plans/%2Fevil.example');
      assert.equal(other.headers.get('location'), '/auth/login?returnTo=%2Fdashboard');
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
      assert.match(dashboard.html, /<title>15 Mar 2026: 2 requests<\/title>/);
      assert.match(
        dashboard.text,
        /<b>laptop<\/b> Live frm_live_\w{6}… 15 Mar 2026 just now 2 requests Rotate · Revoke/,
      );

      const [, address = ''] = /href="(\/dashboard\/keys\/[\w-]+\/revoke)"/.exec(dashboard.html) ?? [];
      assert.match((await open(address, session)).text, /cannot be undone/);
      assert.equal((await useKey(secret)).status, 200, 'opening the confirmation page revokes the key');
      assert.equal((await open(address, await service.signIn(), {})).status, 404, 'another account can revoke the key');
      for (const id of ['%00', 'nothing']) {
        assert.equal((await open(`/dashboard/keys/${id}/revoke`, session, {})).status, 404, id);
      }
      const revoked = await open(address, session, {});
      assert.deepEqual([revoked.status, revoked.headers.get('location')], [303, '/dashboard']);
      assert.equal((await useKey(secret)).status, 401);
      const confirmed = await open('/dashboard', withCookies(session, revoked));
      assert.match(
        confirmed.html,
        /role="status">\s*<p class="title">Key “<bdi>&lt;b&gt;laptop&lt;\/b&gt;<\/bdi>” revoked/,
      );
      assert.match(confirmed.text, /Revoked keys 3/);
      assert.match(confirmed.headers.get('set-cookie') ?? '', /^flash=; .*Max-Age=0/, 'the confirmation appears again');
    });

    test('exports are listed and downloaded on paid plans, with checksums and a query; the free plan gets a link to the plans', async () => {
      const [free, paid] = [await service.signIn({ plan: 'free' }), await service.signIn({ plan: 'pro' })];
      assert.match((await open('/dashboard', paid)).text, /Exports No exports yet\. (?!To make one)/);
      const { rows } = await writeExport(`${service.database.dataDir}/exports`, { generation: 12 });
      await until('the export is listed', async () => /Parquet 12/.test((await open('/dashboard', paid)).text));
      const { text, html } = await open('/dashboard', paid);
      assert.match(text, new RegExp(`Parquet 12 2 Mar 2026, 03:20 UTC ${rows} 24 B 1 GB`));
      const address = `${service.url}/api/v1/exports/12/parquet/entities/country=GB/part-0000.parquet`;
      assert.ok(text.includes(`SELECT count(*) FROM read_parquet('${address}');`), text);
      assert.ok(text.includes(`(TYPE http, BEARER_TOKEN 'YOUR_API_KEY', SCOPE '${service.url}/')`));
      assert.match(html, /[0-9a-f]{64} {2}12\/parquet\/manifest\.json/);
      const without = await open('/dashboard', free);
      assert.match(without.text, /With a paid plan you can download all companies .*: see the plans/);
      assert.doesNotMatch(without.text, /read_parquet|Parquet 12/);

      // Each file costs one request; not on the free plan, and not by a link of another site.
      const [, link = ''] = /href="(\/dashboard\/exports\/12\/parquet\/entities\/[^"]+)"/.exec(html) ?? [];
      const file = await fetch(service.url + link, { headers: paid.headers });
      assert.equal(await file.text(), 'PAR1 a British file PAR1');
      assert.equal(
        file.headers.get('content-disposition'),
        'attachment; filename="firmament-12-parquet-GB-part-0000.parquet"',
      );
      assert.match((await open('/dashboard', paid)).text, / 1 of 100,000 requests /);
      const foreign = await fetch(service.url + link, {
        headers: { ...paid.headers, 'sec-fetch-site': 'cross-site' },
      });
      assert.match(await foreign.text(), /Open this page\?/);
      assert.equal((await open(link, free)).status, 403);
      assert.equal((await open(link)).headers.get('location'), '/auth/login?returnTo=%2Fdashboard');
      assert.equal((await open(`${link}x`, paid)).status, 404);
      assert.match((await open('/dashboard', paid)).text, / 1 of 100,000 requests /);
    });

    test('requests of twelve months are listed, the current one first', async () => {
      const [session, later] = [await service.signIn({ plan: 'pro' }), await service.signIn({ plan: 'pro' })];
      const secret = secretIn((await open('/dashboard/keys', session, { name: 'months' })).html) ?? '';
      for (const _ of [1, 2]) await useKey(secret);
      for (const [day, requests] of [
        ['2025-12-31', 1],
        ['2025-03-31', 5],
      ] as const) {
        await service.services.accountsDb.run(
          'INSERT INTO usage_daily (key_id, day, account_id, requests, last_used_at) VALUES ($1, $2, $3, $4, $5)',
          ['gone', day, session.account.accountId, requests, 0],
        );
      }
      const shown = (await open('/dashboard', session)).text;
      assert.match(
        shown,
        /Requests per month .* March 2026 2 February 2026 0 January 2026 0 December 2025 1 .* April 2025 0 /,
      );
      assert.doesNotMatch(shown, /March 2025/);
      assert.match((await open('/dashboard', later)).text, / March 2026 0 /);
    });

    test('an empty name and a key over the limit are explained on the dashboard', async () => {
      const session = await service.signIn({ plan: 'free' });
      const nameless = await open('/dashboard/keys', session, { name: '' });
      const explains = (text: string) => /Request failed.*Usage.*API keys/s.test(text);
      assert.deepEqual([nameless.status, explains(nameless.text)], [400, true]);
      const isOffered = async () => (await open('/dashboard', session)).text.includes('New key name');
      assert.equal(await isOffered(), true);
      await open('/dashboard/keys', session, { name: 'first' });
      assert.equal(await isOffered(), false, 'the form is shown, but would only fail');
      const tooMany = await open('/dashboard/keys', session, { name: 'second' });
      assert.deepEqual([tooMany.status, explains(tooMany.text)], [409, true]);
    });

    test('bytes that are not UTF-8 are rejected, and not stored as U+FFFD', async () => {
      const session = await service.signIn();
      const send = (body: Uint8Array | string) =>
        fetch(`${service.url}/dashboard/keys`, {
          method: 'POST',
          body,
          headers: { ...session.headers, 'content-type': 'application/x-www-form-urlencoded' },
        });
      for (const body of ['name=%FF', 'name=%C3', Buffer.from([...Buffer.from('name='), 0xff])]) {
        assert.equal((await send(body)).status, 400, String(body));
      }
      assert.deepEqual(await service.services.apiKeys.list(session.account.accountId), []);
      for (const body of ['name=%D0%B6', 'name=ж', 'name=100%25']) assert.equal((await send(body)).status, 200, body);
      const names = (await service.services.apiKeys.list(session.account.accountId)).map(({ name }) => name);
      assert.deepEqual(names.toSorted(), ['100%', 'ж', 'ж']);
    });

    test('a form of more than 4 KB is rejected with 413', async () => {
      const session = await service.signIn();
      const bytesOf = (length: number) => ({ name: 'x'.repeat(length - 'name='.length) });
      assert.equal((await open('/dashboard/keys', session, bytesOf(4_096))).status, 400, 'the name is too long');
      assert.equal((await open('/dashboard/keys', session, bytesOf(4_097))).status, 413);
    });

    test('a reconcile link is created, shown once, listed and revoked with forms alone', async () => {
      const session = await service.signIn({ plan: 'free' });
      const form = { name: '<b>suppliers</b>', once: randomUUID() };
      const created = await open('/dashboard/links', session, form);
      const [, path = ''] = /(\/api\/v1\/reconcile\/l\/frl_live_\w{46})/.exec(created.text) ?? [];
      assert.notEqual(path, '', 'the address is not shown');
      assert.equal((await fetch(service.url + path)).status, 200);
      const again = await open('/dashboard/links', session, form);
      assert.equal(again.status, 409);
      assert.ok(!again.html.includes(path), 'it is shown twice');
      const page = await open('/dashboard', session);
      assert.ok(!page.html.includes(path) && page.html.includes('&lt;b&gt;suppliers&lt;/b&gt;'));
      assert.match(page.text, /You have reached your link limit/);
      const [link] = await service.services.reconcileLinks.list(session.account.accountId);
      const address = `/dashboard/links/${link?.id}/revoke`;
      assert.match((await open(address, session)).text, /invalid_reconcile_link/);
      const revoked = await open(address, session, {});
      assert.equal(revoked.status, 303);
      assert.match(
        (await open('/dashboard', withCookies(session, revoked))).text,
        /Link “ <b>suppliers<\/b> ” revoked/,
      );
      assert.equal((await fetch(service.url + path)).status, 401);
      assert.equal((await open(address, session)).status, 404);
      assert.equal((await open('/dashboard/links', session)).status, 303, 'the address of the form as a page');
      assert.equal(
        (await open('/dashboard/links', session, form)).status,
        409,
        'the same form after the link was revoked',
      );
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

    test('a plan that was chosen before sign-in is shown with what changes, and leads to checkout', async () => {
      const session = await service.signIn({ plan: 'free' });
      const { text, headers } = await open('/dashboard/plans/business', session);
      assert.match(text, /Upgrade to Business €99 per month/);
      assert.match(text, /Free your plan .*1,000 requests per month .*Business .*1,000,000 requests per month/);
      assert.match(headers.get('content-security-policy') ?? '', /form-action 'self' https:\/\/checkout\.stripe\.com/);
      await grantPlan(service.services, session.account.accountId, 'business');
      assert.match((await open('/dashboard/plans/business', session)).text, /You are on Business/);
      assert.match((await open('/dashboard/plans/pro', session)).text, /Change to Pro/);
      for (const plan of ['free', 'gold']) assert.equal((await open(`/dashboard/plans/${plan}`, session)).status, 404);
    });

    test('after a visit to the customer portal, the dashboard confirms once what changed', async () => {
      const session = await service.signIn({ plan: 'free' });
      const before = (state: string) => withCookies(session, { cookie: `billing_before=${state}` });
      assert.doesNotMatch((await open('/dashboard', before('free.none.false'))).text, /has changed/);
      await grantPlan(service.services, session.account.accountId, 'pro');
      const changed = await open('/dashboard', before('free.none.false'));
      assert.match(changed.text, /Your subscription has changed You are on Pro , €29 per month/);
      assert.match(changed.headers.get('set-cookie') ?? '', /^billing_before=; .*Max-Age=0/);
    });

    test('after a change of plan, the figures of the new period and of the last days agree', async () => {
      const session = await service.signIn({ plan: 'free' });
      const created = await open('/dashboard/keys', session, { name: 'laptop' });
      const secret = secretIn(created.html) ?? assert.fail('the page shows no secret');
      for (let count = 0; count < 3; count++) assert.equal((await useKey(secret)).status, 200);
      assert.doesNotMatch((await open('/dashboard', session)).text, /in this period/);
      const period = { start: new Date(service.clock.now()).toISOString(), end: '2026-04-15T12:00:00Z' };
      await grantPlan(service.services, session.account.accountId, 'pro', { period });
      assert.equal((await useKey(secret)).status, 200);
      const { text } = await open('/dashboard', session);
      assert.match(text, /1 of 100,000 requests/);
      assert.match(text, /4 requests from 14 Feb to 15 Mar 2026 \(UTC\), 1 of them in this period\./);
      assert.match(text, /laptop 4 /);
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

    test('dashboard and API warn from 80% of the quota and report 100%', async () => {
      const session = await service.signIn({ plan: 'free' });
      const use = async (used: number) => {
        const values = [session.account.accountId, Date.UTC(2026, 2, 1), used];
        await service.services.accountsDb.run(
          `INSERT INTO quotas (account_id, period_start, used, granted, most) VALUES ($1, $2, $3, 0, 1000)
            ON CONFLICT (account_id, period_start) DO UPDATE SET used = excluded.used`,
          values,
        );
        const { body } = await service.client.get('/api/v1/account', { headers: session.headers });
        return { text: (await open('/dashboard', session)).text, warning: body.data.usage.warning };
      };
      const little = await use(799);
      assert.doesNotMatch(little.text, /You have used/);
      assert.equal(little.warning, null);
      const much = await use(800);
      assert.equal(much.warning, 'quota_nearly_used');
      assert.match(much.text, /You have used 80% of your quota 200 requests left until 1 Apr 2026/);
      assert.match((await use(999)).text, /You have used 99% of your quota/);
      const { text, warning } = await use(1_000);
      assert.equal(warning, 'quota_used');
      assert.match(text, /You have used 100% of your quota/);
      assert.match(text, /No overage fees/);
    });
  });
}
