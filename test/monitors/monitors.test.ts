import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { systemClock } from '../../src/base/clock.ts';
import type { Db } from '../../src/base/db/db.ts';
import { createLease } from '../../src/base/db/lease.ts';
import { openStore } from '../../src/base/db/open.ts';
import { findPlan } from '../../src/base/plans.ts';
import { parseVersion } from '../../src/base/version.ts';
import { isLater, parseStart } from '../../src/watch/feed/cursor.ts';
import { type Change, type ChangeFeed, createChangeFeed } from '../../src/watch/feed/feed.ts';
import {
  createMonitorChanges,
  createMonitorEvents,
  createMonitorPruning,
  type MonitorChanges,
} from '../../src/watch/monitors/events.ts';
import {
  isReported,
  type MonitorChange,
  type MonitorType,
  monitorFields,
  type Scope,
} from '../../src/watch/monitors/monitor.ts';
import { createMonitors, type Monitors } from '../../src/watch/monitors/monitors.ts';
import { createMonitorPass } from '../../src/watch/monitors/pass.ts';
import { createDatabase, engines, type TestDatabase, usualEngines } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';
import { describeOn } from '../harness/describe-on.ts';
import { startService } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { emptyJournal, type JournalChange, pruneBefore, publishChanges } from '../journal/journal.ts';

const log = { info() {}, warn() {}, error() {}, debug() {} };
const IDS = Array.from({ length: 6 }, (_, index) => `00000000-0000-5000-8000-00000000000${index}`);
const TYPES = ['added', 'changed', 'delisted', 'relisted'] as const;
/** No monitor of this test has a saved search. */
const searches = {
  collect: () => Promise.reject(new Error('not used')),
  evaluate: () => Promise.reject(new Error('not used')),
};

const values = fc.constantFrom(['ALPHA', 'active', null, null], ['OMEGA', 'closed', 'Ltd', '2001-02-03']);
const change = fc.record({
  type: fc.constantFrom(...TYPES),
  entityId: fc.constantFrom(...IDS),
  fields: fc.uniqueArray(fc.constantFrom('status', 'canonicalName', 'city', 'registry', 'legalForm'), { maxLength: 3 }),
  before: values,
  after: values,
  details: fc.option(
    fc.array(
      fc.record({
        field: fc.constantFrom('registry.address.text', 'registry.employees'),
        before: fc.constant('a'),
        after: fc.constant('b'),
      }),
      { maxLength: 2 },
    ),
    { nil: undefined },
  ),
});
const ids = fc.uniqueArray(fc.constantFrom(...IDS), { maxLength: 4 });
const scope: fc.Arbitrary<Scope> = fc.record({
  types: fc.uniqueArray(fc.constantFrom(...TYPES), { minLength: 1 }),
  fields: fc.option(fc.uniqueArray(fc.constantFrom(...monitorFields), { minLength: 1, maxLength: 3 }), { nil: null }),
});
const nth = fc.nat({ max: 5 });
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('publish' as const), changes: fc.array(change, { maxLength: 8 }) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('pass' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('create' as const), entities: ids, scope }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('entities' as const), nth, add: ids, remove: ids }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('update' as const), nth, scope }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), nth }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('read' as const), nth, limit: fc.integer({ min: 1, max: 5 }) }),
  },
);
/** Steps of one group run at the same time. */
const steps = fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { minLength: 5, maxLength: 25 });

interface Watched {
  readonly id: string;
  readonly states: MonitorState[];
  /** The pages that a client has read so far. */
  readonly read: MonitorChange[];
  cursor: string;
  isDeleted: boolean;
}

test('a change counts if its type is watched, and of changed companies one of the fields', () => {
  const [types, moved] = [['added', 'changed'] as const, { fields: ['registry'], details: null }];
  assert.equal(isReported({ types: [...types], fields: ['status'] }, 'added', moved), true);
  assert.equal(isReported({ types: [...types], fields: null }, 'delisted', moved), false);
  assert.equal(isReported({ types: [...types], fields: ['status'] }, 'changed', moved), false);
  assert.equal(isReported({ types: [...types], fields: ['address'] }, 'changed', moved), true);
});

describeOn(engines, 'monitors', (engine) => {
  let database: TestDatabase;
  let [registryDb, db]: Db[] = [];
  let feed: ChangeFeed;
  let monitors: Monitors;
  let reader: MonitorChanges;
  let published = 0;
  const account = { accountId: randomUUID(), plan: findPlan('business'), periodAnchor: null, periodEnd: null };

  before(async () => {
    database = await createDatabase(engine, { migrated: true });
    registryDb = openStore('registry', database);
    db = openStore('accounts', database);
    feed = createChangeFeed(registryDb);
    monitors = createMonitors({ db, clock: systemClock, changes: feed, searches, version: '1' });
    reader = createMonitorChanges(db, feed);
    await db.run("INSERT INTO accounts (id, plan, created_at) VALUES ($1, 'business', 0)", [account.accountId]);
  });
  after(async () => {
    await registryDb?.close();
    await db?.close();
    await database[Symbol.asyncDispose]();
  });

  const createPass = (events: number) =>
    createMonitorPass({
      db: db as Db,
      changes: feed,
      searches,
      lease: createLease({ db: db as Db, name: randomUUID() }),
      log,
      onEvents() {},
      bounds: { changes: 3, events },
    });

  const publish = (changes: readonly Omit<JournalChange, 'country' | 'register'>[]) => {
    // An entity has at most one change per import.
    const distinct = [...new Map(changes.map((each) => [each.entityId, each])).values()];
    const complete = distinct.map((each) => ({ ...each, country: 'GB', register: 'gb' }));
    return publishChanges(registryDb as Db, { register: 'gb', publishedAt: ++published, changes: complete });
  };

  test('report exactly the changes that match them, in order, whatever happens when', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.constantFrom(1, 2, 100), async (groups, maxEvents) => {
        await emptyJournal(registryDb as Db);
        await (db as Db).run('UPDATE monitor_pass SET cursor = NULL WHERE id = 1');
        await (db as Db).run('DELETE FROM monitor_events');
        await (db as Db).run('UPDATE monitors SET deleted_at = 1');
        // Two servers, whose leases do not exclude each other.
        const passes = [createPass(maxEvents), createPass(maxEvents)];
        const watched: Watched[] = [];
        const find = (nth: number) => watched.filter(({ isDeleted }) => !isDeleted)[nth];

        async function read(one: Watched, limit: number): Promise<boolean> {
          const request = { accountId: account.accountId, id: one.id, cursor: one.cursor, limit };
          const { data, meta } = await reader.readPage(request);
          one.read.push(...data);
          one.cursor = meta.nextCursor;
          return meta.hasMore;
        }

        async function take(step: (typeof groups)[number][number]): Promise<void> {
          if (step.kind === 'publish') return void (await publish(step.changes as unknown as JournalChange[]));
          if (step.kind === 'pass') return void (await Promise.all(passes.map((pass) => pass.run())));
          if (step.kind === 'create') {
            const given = { name: 'm', watch: step.entities, ...step.scope };
            const result = await monitors.create(account, given);
            const state = { from: result.cursor, entities: new Set(step.entities), scope: step.scope };
            watched.push({ id: result.id, states: [state], read: [], cursor: result.cursor, isDeleted: false });
            return;
          }
          const one = find(step.nth);
          if (one === undefined) return;
          if (step.kind === 'read') return void (await read(one, step.limit));
          if (step.kind === 'delete') {
            one.isDeleted = true;
            return monitors.delete(account.accountId, one.id);
          }
          const { entities, scope } = one.states.at(-1) as MonitorState;
          if (step.kind === 'update') {
            const { cursor } = await monitors.update(account, one.id, step.scope);
            one.states.push({ from: cursor, entities, scope: step.scope });
          } else {
            const { cursor } = await monitors.changeEntities(account, one.id, step);
            const changed = new Set([...[...entities].filter((id) => !step.remove.includes(id)), ...step.add]);
            one.states.push({ from: cursor, entities: changed, scope });
          }
        }

        for (const group of groups) {
          // Of steps that change a monitor, only the first of a group: the order of the others would be unknown.
          const [first, ...others] = group;
          const kinds = ['publish', 'pass', 'create'];
          await Promise.all(
            [first, ...others.filter(({ kind }) => kinds.includes(kind))].map((each) => each && take(each)),
          );
        }
        await passes[0]?.run();
        const journal = await readJournal(feed);
        for (const one of watched) {
          const request = { accountId: account.accountId, id: one.id, cursor: undefined, limit: 1_000 };
          if (one.isDeleted) {
            await assert.rejects(reader.readPage(request), { code: 'monitor_not_found' });
            continue;
          }
          const expected = expectChanges(one.states, journal);
          assert.deepEqual((await reader.readPage(request)).data, expected);
          while (await read(one, 2));
          assert.deepEqual(one.read, expected, 'a client that reads page by page');
        }
        const events = createMonitorEvents(db as Db, feed);
        const { events: sent } = await events.ofAccount(account.accountId, null, 0, 10_000);
        const alive = watched.filter(({ isDeleted }) => !isDeleted);
        for (const { id, read } of alive) {
          const own = sent
            .filter(({ monitorId }) => monitorId === id)
            .map(({ data: { monitorId: _, ...rest } }) => rest);
          assert.deepEqual(own, read);
        }
        assert.equal(
          sent.length,
          alive.reduce((sum, { read }) => sum + read.length, 0),
        );
        const positions = sent.map(({ position }) => position);
        assert.deepEqual(
          positions,
          [...positions].sort((a, b) => a - b),
        );
      }),
      { numRuns: runs(10, 150) },
    );
  });
});

const FEW = IDS.slice(0, 3);

for (const engine of usualEngines) {
  test(`events are removed with the changes of the journal, and everything of deleted monitors, on ${engine}`, async () => {
    await using service = await startService(engine);
    const { services } = service;
    const { accountsDb: db, registryDb, monitors, monitorChanges, monitorPass } = services;
    const { account } = await service.signIn();
    const kept = await monitors.create(account, { name: 'kept', watch: FEW });
    const deleted = await monitors.create(account, { name: 'deleted', watch: FEW });
    const publish = (publishedAt: number) => {
      const after = ['ALPHA', 'active', null, null];
      const changes = FEW.map(
        (entityId) => ({ type: 'added', country: 'GB', register: 'gb', entityId, after }) as const,
      );
      return publishChanges(registryDb, { register: 'gb', publishedAt, changes });
    };
    await publish(1);
    const second = parseVersion(await publish(2)).generation;
    await publish(3);
    const count = async (table: string) =>
      (await db.one<{ count: number }>(`SELECT count(*) AS count FROM ${table}`))?.count;
    await until('all are compared', async () => {
      await monitorPass.run();
      return (await count('monitor_events')) === 18;
    });

    const pruning = createMonitorPruning(db, services.changes, services.log);
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
    const result = await monitors.create(account, { name: 'all', watch: FEW });
    const publish = (publishedAt: number) => {
      const changes = FEW.map((entityId) => ({ type: 'added', country: 'GB', register: 'gb', entityId }) as const);
      return publishChanges(registryDb, { register: 'gb', publishedAt, changes });
    };
    await publish(10);
    const lost = parseVersion(await publish(20)).generation;
    const count = async () => (await db.one<{ count: number }>('SELECT count(*) AS count FROM monitor_events'))?.count;
    await until('all are compared', async () => {
      await monitorPass.run();
      return (await count()) === 6;
    });
    // Another import has its number now.
    await registryDb.run('UPDATE journal SET published_at = 15 WHERE generation = $1', [lost]);
    const { data } = await monitorChanges.readPage({ accountId, id: result.id, cursor: undefined, limit: 100 });
    assert.deepEqual(
      data.map(({ entityId, occurredAt }) => [entityId, Date.parse(occurredAt)]),
      FEW.map((id) => [id, 10]),
    );
    assert.deepEqual(await monitorChanges.readLatest(accountId, result.id, 100), data.toReversed());
    const { position } = await monitorEvents.ofAccount(accountId, null, 0, 2);
    assert.equal((await monitorEvents.ofAccount(accountId, null, position, 2)).events.length, 1);
  });
}

/** What a list of companies must report, computed from the journal. */

/** What a monitor was after a place of the journal, by the replies to the requests that changed it. */
interface MonitorState {
  readonly from: string;
  readonly entities: ReadonlySet<string>;
  readonly scope: Scope;
}

function isAfter(a: string, b: string): boolean {
  return isLater(parseStart(a), parseStart(b));
}

function expectChanges(states: readonly MonitorState[], journal: readonly Change[]): Change[] {
  return journal.filter((change) => {
    const state = states.findLast(({ from }) => isAfter(change.cursor, from));
    if (state === undefined || !state.entities.has(change.entityId ?? '')) return false;
    return isReported(state.scope, change.type as MonitorType, change);
  });
}

const ALL = { country: null, register: null, type: null };

async function readJournal(feed: Pick<ChangeFeed, 'readPage'>): Promise<Change[]> {
  const all: Change[] = [];
  for (let cursor: string | undefined, more = true; more; ) {
    const { data, meta } = await feed.readPage({ cursor, filter: ALL, limit: 1_000 });
    all.push(...data);
    [cursor, more] = [meta.nextCursor, meta.hasMore];
  }
  return all;
}
