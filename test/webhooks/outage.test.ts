import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import '../harness/impatient.ts';
import { createLease } from '../../src/db/lease.ts';
import { createDatabase, engines, useServer } from '../harness/databases.ts';
import { publishChanges } from '../harness/journal.ts';
import { createPostgresServer } from '../harness/postgres-server.ts';
import { startService } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { type Received, startReceiver } from './receiver.ts';

const IDS = Array.from({ length: 5 }, (_, index) => `00000000-0000-5000-8000-00000000000${index}`);
const ROUNDS = 4;

/** A database, and an outage of it that lasts as long as `meanwhile` takes. */
async function openDatabase(engine: (typeof engines)[number]) {
  if (engine === 'sqlite') {
    const database = await createDatabase('sqlite', { migrated: true });
    return {
      database,
      async breakFor(meanwhile: () => Promise<void>) {
        const holder = new DatabaseSync(join(database.dataDir, 'accounts.db'), { timeout: 20_000 });
        holder.exec('BEGIN IMMEDIATE');
        await meanwhile().finally(() => holder.close());
      },
      destroy: async () => undefined,
    };
  }
  const server = await createPostgresServer();
  return {
    database: useServer(server),
    async breakFor(meanwhile: () => Promise<void>) {
      await server.stop('immediate');
      await meanwhile().finally(() => server.start());
    },
    destroy: () => server.destroy(),
  };
}

for (const engine of engines) {
  test(`the database fails on ${engine} while webhooks are sent: every event arrives, in order, and is charged once`, async (t) => {
    const { database, breakFor, destroy } = await openDatabase(engine);
    t.after(destroy);
    await using receiver = await startReceiver();
    await using service = await startService(engine, {
      database,
      unprepared: true,
      webhooks: { rules: { ports: [], allowsLoopback: true } },
    });
    const { services, clock } = service;
    const { accountsDb: db, registryDb, monitors, webhooks } = services;
    await services.migrate();
    await services.prepare();
    const { account } = await service.signIn();
    await monitors.create(account, { name: 'all', watch: IDS });
    await webhooks.create(account, { url: receiver.url });
    const publish = () => {
      const after = ['ALPHA', 'active', null, null];
      const changes = IDS.map(
        (entityId) => ({ type: 'changed', country: 'GB', register: 'gb', entityId, before: after, after }) as const,
      );
      return publishChanges(registryDb, { register: 'gb', publishedAt: clock.now(), changes });
    };
    const lease = createLease({ db, name: 'test' });
    const isBroken = () =>
      lease
        .hold(async () => undefined)
        .then(
          () => false,
          () => true,
        );

    for (let round = 0; round < ROUNDS; round++) {
      // The answers come during the outage, so that they cannot be recorded.
      const held: (() => void)[] = [];
      receiver.behave = (_received, response) => void held.push(() => response.end());
      await publish();
      await until('webhooks are sent', () => held.length > 0);
      await breakFor(async () => {
        receiver.behave = (_received, response) => void response.end();
        for (const reply of held) reply();
        await until('the database refuses', isBroken);
      });
      await until('the database works', async () => !(await isBroken()));
      await until('everything is delivered', async () => {
        clock.advance(86_400_000);
        const [row] = await db.all<{ sent: number }>(
          "SELECT count(*) AS sent FROM webhook_deliveries WHERE state = 'delivered'",
        );
        return row?.sent === (round + 1) * IDS.length;
      });
    }
    const arrived = Map.groupBy(firstOfEach(receiver.received), ({ entityId }) => entityId);
    assert.equal(arrived.size, IDS.length);
    for (const [entityId, changes] of arrived) {
      const own = changes.map(({ occurredAt }) => Date.parse(occurredAt));
      assert.equal(own.length, ROUNDS, entityId);
      assert.deepEqual(
        own,
        own.toSorted((a, b) => a - b),
      );
    }
    const days = await db.one<{ used: number }>('SELECT CAST(sum(used) AS BIGINT) AS used FROM quotas');
    assert.equal(days?.used, ROUNDS * IDS.length);
  });
}

function* firstOfEach(received: readonly Received[]): Generator<{ entityId: string; occurredAt: string }> {
  const seen = new Set<unknown>();
  for (const { headers, body } of received) {
    if (seen.has(headers['webhook-id'])) continue;
    seen.add(headers['webhook-id']);
    yield JSON.parse(body).data;
  }
}
