import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { DemoAccess } from '../../demo/demo-account.ts';
import { createDatabase, type TestDatabase, usualEngines } from '../harness/databases.ts';
import { type RunningServer, run } from '../harness/process.ts';
import { until } from '../harness/until.ts';
import { startEmptyDemo } from './demo.ts';
import { operatePortal, payCheckout } from './payments.ts';

/**
 * What a new user does after `npm start`, over HTTP and with real processes only. The deep run uses both databases; what
 * depends on the database is tested on both in test/billing.
 */
for (const engine of usualEngines) {
  describe(`paying in the demo on ${engine}`, () => {
    let database: TestDatabase;
    let demo: RunningServer;
    let env: Record<string, string>;
    let access: DemoAccess;
    before(async () => {
      database = await createDatabase(engine);
      demo = await startEmptyDemo(database);
      access = JSON.parse(readFileSync(join(database.dataDir, 'demo.json'), 'utf8'));
      env = { DATA_DIR: database.dataDir, ...(database.databaseUrl && { DATABASE_URL: database.databaseUrl }) };
    });
    after(async () => {
      demo.kill('SIGTERM');
      assert.equal((await demo.ended).code, 0, demo.output());
      await database[Symbol.asyncDispose]();
    });

    /** A new user with a token of the demo's identity provider. */
    async function newcomer(email: string) {
      const token = (await run(['token', '--email', email], env)).stdout.trim();
      const headers = { authorization: `Bearer ${token}` };
      const post = async (path: string, body?: object) => {
        const init = body && {
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        };
        const response = await fetch(`${demo.url}/api/v1${path}`, { method: 'POST', headers, ...init });
        // biome-ignore lint/suspicious/noExplicitAny: a reply, checked where it is used
        return { status: response.status, body: (await response.json()) as any };
      };
      const account = async () => {
        const response = await fetch(`${demo.url}/api/v1/account`, { headers });
        // biome-ignore lint/suspicious/noExplicitAny: a reply, checked where it is used
        return ((await response.json()) as any).data;
      };
      /** Waits until the webhook has arrived. */
      const untilPlan = (state: string) =>
        until(`the plan is ${state}`, async () => {
          const { plan, billing } = await account();
          return `${plan.id} ${billing.status}${billing.cancelAtPeriodEnd ? ' until the end' : ''}` === state;
        });
      const press = async (action: string, fields?: Record<string, string>) =>
        operatePortal((await post('/billing/portal')).body.data.url, action, fields);
      return { post, account, untilPlan, press };
    }

    test('a user can upgrade, pay, change, pause, resume and cancel; webhooks change the plan', async () => {
      const anna = await newcomer('anna@example.com');
      await anna.untilPlan('free none');
      const key = (await anna.post('/api-keys', { name: 'mine' })).body.data.secret;
      const limit = async () => {
        const response = await fetch(`${demo.url}/api/v1/countries`, { headers: { 'x-api-key': key } });
        return response.headers.get('x-ratelimit-limit');
      };
      assert.equal(await limit(), '60');

      const checkout = await anna.post('/billing/checkout', { plan: 'pro' });
      assert.equal(checkout.status, 200);
      const paid = await payCheckout(checkout.body.data.url);
      assert.deepEqual([paid.status, paid.location], [303, `${demo.url}/dashboard?checkout=done`]);
      await anna.untilPlan('pro active');
      assert.equal(await limit(), '600', 'on the next data request');

      await anna.press('change-plan', { price: 'price_demo_business' });
      await anna.untilPlan('business active');
      assert.equal(await limit(), '3000');
      await anna.press('pause');
      await anna.untilPlan('free paused');
      await anna.press('resume');
      await anna.untilPlan('business active');
      await anna.press('cancel-at-period-end');
      await anna.untilPlan('business active until the end');
      await anna.press('cancel-now');
      await anna.untilPlan('free canceled');
      assert.equal(await limit(), '60');
    });

    test('a script can send events signed with the secret of demo.json', async () => {
      const bert = await newcomer('bert@example.com');
      const created = Math.floor(Date.now() / 1_000);
      const object = {
        id: 'sub_script',
        customer: 'cus_script',
        status: 'active',
        metadata: { accountId: (await bert.account()).id },
        items: { data: [{ price: { id: 'price_demo_business' } }] },
      };
      const body = JSON.stringify({
        id: 'evt_script',
        type: 'customer.subscription.created',
        created,
        data: { object },
      });
      const signature = createHmac('sha256', access.webhookSecret).update(`${created}.${body}`).digest('hex');
      const headers = { 'payment-signature': `t=${created},v1=${signature}` };
      const send = async () =>
        (await fetch(`${demo.url}/api/v1/billing/webhook`, { method: 'POST', headers, body })).json();
      assert.deepEqual(await send(), { received: true, duplicate: false, stale: false });
      assert.deepEqual(await send(), { received: true, duplicate: true, stale: false });
      assert.equal((await bert.account()).plan.id, 'business');
    });

    test('firmament billing events, replay and sync', async () => {
      const billing = (...args: string[]) => run(['billing', ...args], env);
      const events = await billing('events');
      assert.equal(events.code, 0, events.stderr);
      assert.match(events.stdout, /^EVENT +KIND +CREATED +OUTCOME +ACCOUNT\n/);
      assert.match(events.stdout, /customer\.subscription\.paused +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +(applied|stale) /);
      const all = JSON.parse((await billing('events', '--json', '--limit', '500')).stdout);
      const { id, accountId } = all.find(({ id }: { id: string }) => id === 'evt_script');
      const its = JSON.parse((await billing('events', '--json', '--account', accountId)).stdout);
      assert.deepEqual(
        its.map((event: { id: string }) => event.id),
        ['evt_script'],
      );
      assert.equal((await billing('events', '--unmatched')).stdout, 'No events.\n');

      assert.equal((await billing('replay', id, '--demo')).stdout, 'evt_script: applied\n');
      const unknown = await billing('replay', 'evt_none', '--demo');
      assert.deepEqual([unknown.code, unknown.stdout], [1, '']);
      assert.match(unknown.stderr, /There is no event evt_none/);

      // The sandbox does not know the subscription that the script above invented.
      const report = await billing('sync', '--demo');
      assert.match(report.stdout, /^sub_script of account .*: active business → none: differs$/m);

      for (const args of [['sync'], ['replay', id]]) {
        const off = await billing(...args);
        assert.equal(off.code, 1);
        assert.match(off.stderr, /Billing is off: set the STRIPE_ variables/);
      }
      for (const args of [
        [],
        ['sell'],
        ['replay'],
        ['replay', 'a', 'b'],
        ['events', 'x'],
        ['events', '--limit', 'x'],
      ]) {
        assert.equal((await billing(...args)).code, 2, args.join(' '));
      }
    });
  });
}
