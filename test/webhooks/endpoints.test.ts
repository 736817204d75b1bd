import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Db } from '../../src/base/db/db.ts';
import type { Failure } from '../../src/base/errors.ts';
import { usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { run } from '../harness/process.ts';
import { startService } from '../harness/service.ts';
import { answer, startReceiver } from './receiver.ts';
import { openWorld } from './world.ts';

const SECOND = 1_000;
const HOUR = 3_600_000;

describeOn(usualEngines, 'tests of endpoints, and endpoints that are deleted', (engine) => {
  test('the deliveries of a deleted endpoint are removed in steps, and a crash between them leaves nothing visible', async () => {
    await using world = await openWorld(engine);
    const account = await world.createAccount();
    const { accountId } = account;
    const open = async () => (await world.webhooks.create(account, { url: 'https://example.com/' })).id;
    const id = await open();
    const rows = Array.from({ length: 1_050 }, (_, at) => [`msg_${at}`, id, `entity ${at}`, '{}', 1, 'waiting', at]);
    const columns = ['id', 'endpoint_id', 'entity_id', 'payload', 'units', 'state', 'position'];
    const constant = { type: 't', attempts: 0, attempt_log: '[]', next_at: 0, created_at: 0 };
    await world.db.transaction(async (tx) => {
      const all = rows.map((row) => [...row, ...Object.values(constant)]);
      await tx.bulkLoad('webhook_deliveries', [...columns, ...Object.keys(constant)], all);
    });
    await world.webhooks.remove(accountId, id);
    const count = async (table: string) =>
      (await world.db.one<{ count: number }>(`SELECT count(*) AS count FROM ${table}`))?.count;
    assert.equal(await count('webhook_deliveries'), 1_050, 'deleting does not remove them');
    const isInvisible = async () => {
      for (const work of [
        () => world.webhooks.find(accountId, id),
        () => world.webhooks.listDeliveries(accountId, id, { limit: 1 }),
        () => world.webhooks.replay(accountId, id, undefined),
        () => world.webhooks.remove(accountId, id),
      ]) {
        await assert.rejects(work, { code: 'webhook_endpoint_not_found' });
      }
      assert.deepEqual([await world.webhooks.list(accountId), await world.webhooks.listAll()], [[], []]);
      assert.equal((await world.webhooks.findFigures()).waiting, 0);
    };
    await isInvisible();
    await world.webhooks.prune();
    assert.equal(await count('webhook_deliveries'), 1_050, 'what is being sent is recorded first');
    world.clock.advance(HOUR);
    // The process ends in the fifth transaction: the first three look for other work.
    let changed = 0;
    let transactions = 0;
    const crash = new Error('crash');
    const db: Db = {
      ...world.db,
      transaction(work, settings) {
        if (++transactions === 5) throw crash;
        return world.db.transaction(
          (tx) =>
            work({
              ...tx,
              async run(...given) {
                const rows = await tx.run(...given);
                changed = Math.max(changed, rows);
                return rows;
              },
            }),
          settings,
        );
      },
    };
    await assert.rejects(world.open({ db }).prune(), crash);
    const left = (await count('webhook_deliveries')) ?? 0;
    assert.ok(left > 0 && left < 1_050, String(left));
    assert.equal(changed, 100, 'the most rows of a step');
    await isInvisible();
    assert.notEqual(await open(), id);
    await world.webhooks.prune();
    assert.deepEqual([await count('webhook_deliveries'), await count('webhook_endpoints')], [0, 1]);
  });

  test('a test is sent once, five per endpoint and minute, none to a disabled endpoint, which ends those that wait', async () => {
    await using world = await openWorld(engine);
    await using receiver = await startReceiver(answer(500));
    const account = await world.createAccount();
    const { accountId } = account;
    const rich = { ...account, plan: { ...account.plan, maxApiKeys: 2 } };
    const { id } = await world.webhooks.create(rich, { url: receiver.url });
    const sendTest = (endpoint = id) => world.webhooks.sendTest(accountId, endpoint);
    const isLimited = (seconds: number) => (error: Failure) =>
      error.code === 'account_rate_limit_exceeded' && error.headers['Retry-After'] === String(seconds);
    const readStates = async () =>
      (await world.webhooks.listDeliveries(accountId, id, { limit: 10 })).map(({ state }) => state);
    for (let at = 0; at < 5; at++) await sendTest();
    world.clock.advance(20 * SECOND);
    await assert.rejects(sendTest(), isLimited(40));
    await world.webhooks.step();
    world.clock.advance(24 * HOUR);
    await world.webhooks.step();
    assert.equal(receiver.received.length, 5, 'a test that failed is not sent again');
    assert.deepEqual(await readStates(), Array(5).fill('failed'));
    assert.equal((await world.webhooks.find(accountId, id)).disabledReason, null);

    // Of an endpoint that cannot be sent to, no more wait.
    await world.db.run('UPDATE webhook_endpoints SET paused_until = $1', [Number.MAX_SAFE_INTEGER]);
    for (let at = 0; at < 5; at++) await sendTest();
    world.clock.advance(HOUR);
    await assert.rejects(sendTest(), isLimited(1));
    await world.webhooks.update(accountId, id, { enabled: false });
    assert.deepEqual(await readStates(), Array(10).fill('failed'));
    await assert.rejects(sendTest(), { code: 'webhook_endpoint_disabled' });
    await world.webhooks.update(accountId, id, { enabled: true });
    await world.webhooks.step();
    assert.equal(receiver.received.length, 5);

    // Deleting and creating again does not help.
    for (let at = 0; at < 3; at++) await sendTest();
    await world.webhooks.remove(accountId, id);
    const { id: next } = await world.webhooks.create(rich, { url: receiver.url });
    const { id: other } = await world.webhooks.create(rich, { url: receiver.url });
    for (const each of [next, other]) {
      for (let at = 0; at < 2; at++) await sendTest(each);
      await assert.rejects(sendTest(each), isLimited(60));
    }
    await world.webhooks.step();
    assert.equal(receiver.received.length, 9, 'those of the deleted endpoint are not sent');
    world.clock.advance(31 * 24 * HOUR);
    await world.webhooks.prune();
    assert.deepEqual(await world.db.all('SELECT id FROM webhook_deliveries'), []);
  });

  test('an operator and a receiver that is gone end waiting tests, too', async () => {
    await using world = await openWorld(engine);
    const account = await world.createAccount();
    const { accountId } = account;
    await using receiver = await startReceiver();
    const { id } = await world.webhooks.create(account, { url: receiver.url });
    const endings = {
      operator: () => world.webhooks.disable(id).then(() => undefined),
      gone: () => world.webhooks.step(),
    };
    receiver.behave = answer(410);
    for (const [reason, end] of Object.entries(endings)) {
      await world.webhooks.sendTest(accountId, id);
      await end();
      assert.equal((await world.webhooks.find(accountId, id)).disabledReason, reason);
      assert.equal((await world.webhooks.listDeliveries(accountId, id, { limit: 1, state: 'waiting' })).length, 0);
      await world.webhooks.update(accountId, id, { enabled: true });
      world.clock.advance(HOUR);
    }
  });
});

test('firmament webhooks lists, disables and replays', async () => {
  await using service = await startService('sqlite');
  const { account } = await service.signIn();
  const { id } = await service.services.webhooks.create(account, { url: 'https://example.com/hooks' });
  const call = (...args: string[]) => run(['webhooks', ...args], { DATA_DIR: service.database.dataDir });
  const listed = await call('list');
  assert.match(listed.stdout, new RegExp(`${id} +${account.accountId} +enabled`));
  const [endpoint] = JSON.parse((await call('list', '--json')).stdout);
  assert.deepEqual([endpoint.id, endpoint.url], [id, 'https://example.com/hooks']);
  assert.ok(!('secret' in endpoint));
  assert.match((await call('replay', id)).stdout, /sends its events again/);
  assert.equal((await call('disable', id)).stdout, `${id}: disabled\n`);
  assert.equal((await call('disable', id)).stdout, `${id}: is disabled already\n`);
  assert.equal((await service.services.webhooks.find(account.accountId, id)).disabledReason, 'operator');
  assert.match((await call('replay', id)).stdout, /are sent when it is enabled/);
  for (const [args, code, text] of [
    [['disable', 'unknown'], 1, /There is no endpoint unknown/],
    [['replay', id, '--cursor', 'x'], 1, /cursor/],
    [['disable'], 2, /needs one endpoint id/],
    [['list', 'x'], 2, /takes no arguments/],
    [['lst'], 2, /list/],
    [[], 2, /needs an action/],
  ] as const) {
    const failed = await call(...args);
    assert.equal(failed.code, code, args.join(' '));
    assert.match(failed.stderr, text);
  }
});
