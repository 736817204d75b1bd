import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from '../harness/process.ts';
import { startService } from '../harness/service.ts';

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
