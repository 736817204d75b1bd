import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { confirm } from '../../src/terminal/confirm.ts';
import { completeEnv } from '../harness/children.ts';
import { usualEngines } from '../harness/databases.ts';
import { isDeep } from '../harness/depth.ts';
import { renderEvent, sign } from '../harness/payment-events.ts';
import { run } from '../harness/process.ts';
import type { TestSession } from '../harness/service.ts';
import { openShop, type Shop } from '../harness/shop.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
/** `script` of util-linux runs a command in a pseudo-terminal. */
const hasScript = spawnSync('script', ['--version']).stdout?.includes('util-linux') === true;

for (const engine of usualEngines) {
  describe(`firmament billing on ${engine}`, () => {
    let shop: Shop;
    let env: Record<string, string>;
    before(async () => {
      shop = await openShop(engine);
      const { dataDir, databaseUrl } = shop.service.database;
      const { secretKey, pricePro, priceBusiness, apiUrl } = shop.sandbox.settings();
      env = {
        DATA_DIR: dataDir,
        ...(databaseUrl && { DATABASE_URL: databaseUrl }),
        STRIPE_SECRET_KEY: secretKey,
        STRIPE_PRICE_PRO: pricePro,
        STRIPE_PRICE_BUSINESS: priceBusiness,
        STRIPE_API_URL: apiUrl,
      };
    });
    after(() => shop[Symbol.asyncDispose]());

    const billing = (...args: string[]) => run(['billing', ...args], env);
    const planOf = async (session: TestSession) => (await shop.account(session)).plan.id;

    let events = 0;
    /** Puts an account on the pro plan by a signed event about a subscription that the provider does not know. */
    async function subscribe(session: TestSession): Promise<string> {
      const id = `sub_unknown_${++events}`;
      const { accountId } = session.account;
      const items = { data: [{ price: { id: 'price_demo_pro' } }] };
      const object = { id, customer: `cus_${id}`, status: 'active', metadata: { accountId }, items };
      const created = Math.floor(shop.clock.now() / 1_000);
      const body = renderEvent({ id: `evt_${id}`, type: 'customer.subscription.created', created, object });
      const headers = { 'payment-signature': sign(body, shop.clock.now(), shop.sandbox.settings().webhookSecret) };
      const reply = await shop.service.client.request('POST', '/api/v1/billing/webhook', { headers, body });
      assert.equal(reply.status, 200);
      assert.equal(await planOf(session), 'pro');
      return id;
    }

    /** Runs the command in a terminal, answers its question, and returns what the terminal shows. */
    async function answer(text: string, ...args: string[]) {
      const command = [process.execPath, MAIN, 'billing', ...args].map((part) => `'${part}'`).join(' ');
      const child = spawn('script', ['-qec', command, '/dev/null'], {
        env: completeEnv({ SHELL: '/bin/sh', ...env }),
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      let shown = '';
      child.stdout.on('data', (chunk) => {
        const isAsked = shown.includes('Type "yes"');
        shown += chunk;
        if (!isAsked && shown.includes('Type "yes"')) child.stdin.write(text);
      });
      const [code] = await once(child, 'close');
      return { code, shown };
    }

    test('sync reports differences and changes nothing', async () => {
      const session = await shop.service.signIn({ plan: 'free' });
      const id = await subscribe(session);
      const report = await billing('sync');
      assert.equal(report.code, 0, report.stderr);
      assert.match(report.stdout, new RegExp(`^${id} of account \\S+: active pro → none: differs$`, 'm'));
      assert.match(
        report.stdout,
        /^Differences: \d+\. Nothing was changed: "firmament billing sync --apply" applies them\.$/m,
      );
      const listed = JSON.parse((await billing('sync', '--json')).stdout);
      assert.deepEqual(
        listed.map((each: { subscriptionId: string; result: string }) => [each.subscriptionId, each.result]),
        [[id, 'differs']],
      );
      assert.equal(await planOf(session), 'pro');
      assert.doesNotMatch((await billing('events')).stdout, /operator\.sync/);
      await billing('sync', '--apply', '--yes');
    });

    test('sync --apply is refused without a terminal, unless --yes confirms it; it records who did what', async () => {
      const session = await shop.service.signIn({ plan: 'free' });
      const { accountId } = session.account;
      const id = await subscribe(session);
      const refused = await billing('sync', '--apply');
      assert.deepEqual([refused.code, refused.stdout], [1, '']);
      assert.match(refused.stderr, /standard input is not a terminal: add --yes to confirm\./);
      assert.equal(await planOf(session), 'pro');

      const applied = await billing('sync', '--apply', '--yes', '--json', '--operator', ' Anna ');
      assert.equal(applied.code, 0, applied.stderr);
      const [change, ...others] = JSON.parse(applied.stdout);
      assert.deepEqual([change.subscriptionId, change.provider, change.result, others], [id, null, 'applied', []]);
      assert.match(applied.stderr, /"operator":"Anna".*an operator applied the state of the provider/);
      assert.equal(await planOf(session), 'free');
      assert.equal((await billing('sync', '--apply', '--yes')).stdout, 'All subscriptions match the provider.\n');

      const list = await billing('events', '--account', accountId);
      assert.match(
        list.stdout,
        new RegExp(`^op_\\S+ +operator\\.sync +\\S+ \\S+ +applied +\\S+ +${id} +pro → free by Anna$`, 'm'),
      );
      const [event, signed] = JSON.parse((await billing('events', '--json', '--account', accountId)).stdout);
      assert.deepEqual(
        [
          event.kind,
          event.operator,
          event.change.before.plan,
          event.change.after.plan,
          event.change.after.subscription.status,
        ],
        ['operator.sync', 'Anna', 'pro', 'free', 'canceled'],
      );
      assert.deepEqual([signed.id, signed.operator, signed.change], [`evt_${id}`, null, null]);
      const notSigned = await billing('replay', event.id);
      assert.equal(notSigned.code, 1);
      assert.match(notSigned.stderr, /is a change by an operator or the server, not an event of the payment provider/);
    });

    test('sync --apply asks on a terminal: only "yes" applies', { skip: !hasScript && 'needs script' }, async () => {
      const session = await shop.service.signIn({ plan: 'free' });
      const id = await subscribe(session);
      // Other answers than "yes" are tested below, without a terminal.
      for (const text of isDeep ? ['no\n', '\u0004'] : ['\u0004']) {
        const { code, shown } = await answer(text, 'sync', '--apply');
        assert.equal(code, 1, shown);
        assert.match(shown, new RegExp(`${id} of account .*: active pro → none\r?\n`));
        assert.match(shown, /Apply this change\? Type "yes" to continue: .*Not confirmed: nothing was changed\./s);
        assert.equal(await planOf(session), 'pro', JSON.stringify(text));
      }
      const { code, shown } = await answer('yes\n', 'sync', '--apply');
      assert.equal(code, 0, shown);
      assert.match(shown, new RegExp(`${id} of account .*: applied`));
      assert.equal(await planOf(session), 'free');
      const events = JSON.parse((await billing('events', '--json', '--account', session.account.accountId)).stdout);
      assert.match(events[0].operator, /^.+@.+$/, 'by default, the user of the operating system');
    });

    test('replay says why an old event cannot be replayed', async () => {
      const session = await shop.service.signIn({ plan: 'free' });
      const id = await subscribe(session);
      shop.clock.advance(91 * 86_400_000);
      await shop.service.services.billing.reduceOldEvents();
      const refused = await billing('replay', `evt_${id}`);
      assert.equal(refused.code, 1);
      assert.match(
        refused.stderr,
        /^evt_\S+ cannot be replayed: its payload was removed on \d{4}-\d\d-\d\d, because it was older than WEBHOOK_DAYS\./,
      );
      assert.match(
        (await billing('events')).stdout,
        new RegExp(`^evt_${id} .* payload removed on \\d{4}-\\d\\d-\\d\\d$`, 'm'),
      );
    });
  });
}

test('options of sync that do not fit together are wrong usage', async () => {
  const wrong = [
    ['--dry-run'],
    ['--yes'],
    ['--operator', 'Anna'],
    ['--apply', '--json'],
    ['--apply', '--yes', '--operator', ' '],
    ['--apply', '--yes', '--operator', 'a\nb'],
  ];
  for (const args of wrong) assert.equal((await run(['billing', 'sync', ...args])).code, 2, args.join(' '));
});

describe('a confirmation', () => {
  const ask = async (typed: string | undefined, signal = new AbortController().signal) => {
    const input = new PassThrough();
    const output = new PassThrough();
    const asked = confirm('Sure?', signal, { input, output });
    if (typed !== undefined) input.end(typed);
    return { isConfirmed: await asked, question: String(output.read()) };
  };

  test('needs the word yes', async () => {
    assert.deepEqual(await ask('yes\n'), { isConfirmed: true, question: 'Sure? Type "yes" to continue: ' });
    for (const typed of [' YES \n', 'yes']) assert.equal((await ask(typed)).isConfirmed, true, typed);
    for (const typed of ['', '\n', 'y\n', 'no\nyes\n', 'yes please\n']) {
      assert.equal((await ask(typed)).isConfirmed, false, typed);
    }
  });

  test('an interrupt does not confirm', async () => {
    assert.equal((await ask(undefined, AbortSignal.timeout(50))).isConfirmed, false);
  });
});
