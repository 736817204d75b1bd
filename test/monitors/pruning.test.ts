import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseVersion } from '../../src/core/version.ts';
import { createMonitorPruning } from '../../src/monitors/events/pruning.ts';
import { engines } from '../harness/databases.ts';
import { pruneBefore, publishChanges } from '../harness/journal.ts';
import { startService } from '../harness/service.ts';

const IDS = Array.from({ length: 3 }, (_, index) => `00000000-0000-5000-8000-00000000000${index}`);

for (const engine of engines) {
  test(`events are removed with the changes of the journal, and everything of deleted monitors, on ${engine}`, async () => {
    await using service = await startService(engine);
    const { services } = service;
    const { accountsDb: db, registryDb, monitors, monitorChanges, monitorPass } = services;
    const { account } = await service.signIn();
    const kept = await monitors.create(account, { name: 'kept', watch: IDS });
    const deleted = await monitors.create(account, { name: 'deleted', watch: IDS });
    const publish = (publishedAt: number) => {
      const after = ['ALPHA', 'active', null, null];
      const changes = IDS.map(
        (entityId) => ({ type: 'added', country: 'GB', register: 'gb', entityId, after }) as const,
      );
      return publishChanges(registryDb, { register: 'gb', publishedAt, changes });
    };
    await publish(1);
    const second = parseVersion(await publish(2)).generation;
    await publish(3);
    const count = async (table: string) =>
      (await db.one<{ count: number }>(`SELECT count(*) AS count FROM ${table}`))?.count;
    while ((await count('monitor_events')) !== 18) await monitorPass.run();

    const pruning = createMonitorPruning({ db, changes: services.changes, log: services.log });
    assert.equal(await pruning.prune(), 0);
    await pruneBefore(registryDb, second);
    const request = { accountId: account.accountId, id: kept.id, cursor: undefined, limit: 100 };
    const before = await monitorChanges.readPage(request);
    assert.equal(before.data.length, 6, 'not shown any more, although not removed yet');
    assert.equal(await pruning.prune(), 6);
    assert.deepEqual(await monitorChanges.readPage(request), before);

    await monitors.delete(account.accountId, deleted.id);
    assert.equal(await pruning.prune(), 6 + 3);
    assert.deepEqual(
      [await count('monitors'), await count('monitor_events'), await count('monitor_entities')],
      [1, 6, 3],
    );
    assert.deepEqual(await monitorChanges.readPage(request), before);
  });

  test(`after the registry was restored from a backup, events of imports that it does not have are left out, on ${engine}`, async () => {
    await using service = await startService(engine);
    const { accountsDb: db, registryDb, monitors, monitorChanges, monitorEvents, monitorPass } = service.services;
    const { account } = await service.signIn();
    const { accountId } = account;
    const result = await monitors.create(account, { name: 'all', watch: IDS });
    const publish = (publishedAt: number) => {
      const changes = IDS.map((entityId) => ({ type: 'added', country: 'GB', register: 'gb', entityId }) as const);
      return publishChanges(registryDb, { register: 'gb', publishedAt, changes });
    };
    await publish(10);
    const lost = parseVersion(await publish(20)).generation;
    const count = async () => (await db.one<{ count: number }>('SELECT count(*) AS count FROM monitor_events'))?.count;
    while ((await count()) !== 6) await monitorPass.run();
    // Another import has its number now.
    await registryDb.run('UPDATE journal SET published_at = 15 WHERE generation = $1', [lost]);
    const { data } = await monitorChanges.readPage({ accountId, id: result.id, cursor: undefined, limit: 100 });
    assert.deepEqual(
      data.map(({ entityId, occurredAt }) => [entityId, Date.parse(occurredAt)]),
      IDS.map((id) => [id, 10]),
    );
    assert.deepEqual(await monitorChanges.readLatest(accountId, result.id, 100), data.toReversed());
    const [, second] = await monitorEvents.ofAccount(accountId, null, 0, 2);
    assert.equal((await monitorEvents.ofAccount(accountId, null, second?.position ?? 0, 2)).length, 1);
  });
}
