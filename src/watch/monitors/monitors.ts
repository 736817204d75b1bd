import { randomUUID } from 'node:crypto';
import { requireRoom, takeKey } from '../../accounts/resources.ts';
import type { Clock } from '../../base/clock.ts';
import type { Db, Transaction } from '../../base/db/db.ts';
import { type Failure, fail } from '../../base/errors.ts';
import { describeLimit, type Plan } from '../../base/plans.ts';
import { createToken, hashSecret } from '../../base/secrets.ts';
import { validateName } from '../../base/storable.ts';
import type { AccountTerms } from '../../base/usage.ts';
import { nameSnapshot } from '../../base/version.ts';
import { toSearchQuery } from '../../search/parameters.ts';
import { chooseLater, writeCursor } from '../feed/cursor.ts';
import type { ChangeFeed } from '../feed/feed.ts';
import {
  generationOf,
  MAX_ENTITIES,
  type Monitor,
  type MonitorType,
  monitorTypes,
  type SavedSearches,
  type Scope,
  type SearchFilters,
} from './monitor.ts';
import * as store from './store.ts';

interface NewMonitor extends Partial<Scope> {
  readonly name: string;
  /** Ids of companies, or a saved search. */
  readonly watch: readonly string[] | SearchFilters;
}

/** A change of a monitor's settings. Missing settings keep their value. */
type MonitorChanges = Partial<Scope & { readonly name: string; readonly search: SearchFilters }>;

interface MonitorOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly changes: Pick<ChangeFeed, 'findEnds'>;
  readonly searches: Pick<SavedSearches, 'collect'>;
  readonly version: string;
}

const LIST_TYPES: readonly MonitorType[] = monitorTypes.filter((type) => type !== 'entered' && type !== 'left');

export type Monitors = ReturnType<typeof createMonitors>;

/**
 * Monitors: companies, or a saved search, whose changes an account wants to know, and which changes are reported. This folder owns their tables in
 * the accounts store, the pass that compares them with the journal (`pass.ts`) and the events that it writes (`events.ts`). This folder does not own
 * the journal or the search.
 */
export function createMonitors({ db, clock, changes, searches, version: serviceVersion }: MonitorOptions) {
  const findEnd = async () => writeCursor((await changes.findEnds()).end);

  /** The companies that match a search, and the place in the journal that they belong to. */
  async function collect(search: SearchFilters, { maxWatchedCompanies }: Plan) {
    const most = Math.min(MAX_ENTITIES, maxWatchedCompanies);
    // The data must not be older than the imports that the pass has already compared.
    const { cursor } = await store.findPass(db);
    const least = cursor === null ? 0 : generationOf(cursor);
    const { ids, total, version } = await searches.collect(toSearchQuery(search), most, least);
    if (ids === undefined) {
      throw limitReached(`The search matches ${total} companies, and a monitor can have ${most}: narrow it down.`);
    }
    return { ids, cursor: nameSnapshot(serviceVersion, version) };
  }

  /** Changes a monitor while the pass waits, so that the change takes effect at the current place of the pass. */
  async function change<T>(work: (tx: Transaction, cursor: string) => Promise<T>): Promise<T> {
    const end = await findEnd();
    return db.transaction(async (tx) => work(tx, (await store.lockPass(tx, end)).cursor));
  }

  return {
    /**
     * Throws `monitor_limit_reached`, `idempotency_key_reused` if an earlier request has created a monitor with this key, and `service_unavailable`
     * if the pass has compared an import that the search did not contain yet.
     */
    async create({ accountId, plan }: AccountTerms, { watch, ...given }: NewMonitor, key?: string): Promise<Monitor> {
      const name = validateName(given.name, 'monitor');
      const search = Array.isArray(watch) ? null : (watch as SearchFilters);
      const { types = search === null ? LIST_TYPES : monitorTypes, fields = null } = given;
      const { ids, cursor: start } =
        search === null
          ? { ids: [...new Set(watch as readonly string[])], cursor: await findEnd() }
          : await collect(search, plan);
      const since = generationOf(start);
      return db.transaction(async (tx) => {
        const { cursor: passed, lastNumber: number } = await store.lockPass(tx, start, 1);
        // The companies of a saved search are those at its start, so the pass must not be ahead of this start.
        if (search !== null && generationOf(passed) > since) throw busy();
        const [id, createdAt] = [randomUUID(), clock.now()];
        await takeKey(tx, accountId, { kind: 'monitor', id, key, now: createdAt });
        requireRoom('monitor', { plan }, (await store.countOfAccount(tx, accountId)).monitors);
        await requireRoomForEntities(tx, accountId, plan, ids.length);
        // Since the end of the journal was read, an import may have been published and compared.
        const cursor = search === null ? chooseLater(start, passed) : start;
        const settings = { name, search, types, fields, entities: ids.length };
        const monitor = { number, id, accountId, ...settings, cursor, since, hasFeed: false, problem: null, createdAt };
        await store.insertMonitor(tx, monitor);
        await store.insertEntities(tx, number, ids);
        await store.reviseMonitors(tx);
        return monitor;
      });
    },
    list: (accountId: string): Promise<Monitor[]> => store.listMonitors(db, accountId),
    /** This method and all following ones throw `monitor_not_found`. */
    find: (accountId: string, id: string): Promise<Monitor> => store.requireMonitor(db, accountId, id),
    /**
     * Also throws `monitor_limit_reached`, and `service_unavailable` while the newest import is compared, if the search is changed: a new search needs
     * its companies at exactly the current place of the pass. Then each change is compared either with the old search or with the new one, and the
     * companies plus all later events are always what the new search finds. Returns how many companies match only the new search (`added`), and only
     * the old one (`removed`), or null if the search is not changed, and the place in the journal from which the change is in effect (`cursor`).
     */
    async update({ accountId, plan }: AccountTerms, id: string, { search, ...given }: MonitorChanges) {
      const { search: known } = await store.requireMonitor(db, accountId, id);
      if (search !== undefined && known === null) throw fail('invalid_request', { message: NO_SEARCH });
      const found = search && (await collect(search, plan));
      const end = await findEnd();
      return db.transaction(async (tx) => {
        const { cursor } = await store.lockPass(tx, end);
        const stored = await store.requireMonitor(tx, accountId, id);
        const name = given.name === undefined ? stored.name : validateName(given.name, 'monitor');
        let monitor: Monitor = { ...stored, ...given, name };
        let added: number | null = null;
        let removed: number | null = null;
        if (search !== undefined && found !== undefined) {
          const since = generationOf(found.cursor);
          if (cursor !== end || since !== generationOf(end)) throw busy();
          const wanted = new Set(found.ids);
          const old = await store.listEntities(tx, stored.number, '', Number.MAX_SAFE_INTEGER);
          const dropped = old.filter((entity) => !wanted.has(entity));
          removed = await store.deleteEntities(tx, stored.number, dropped);
          added = await store.insertEntities(tx, stored.number, found.ids);
          if (added > removed) await requireRoomForEntities(tx, accountId, plan, added - removed);
          monitor = { ...monitor, search, entities: stored.entities + added - removed, since, problem: null };
        }
        const { types, fields, entities, since, problem } = monitor;
        await store.updateMonitor(tx, stored.number, { name, types, fields, search, entities, since, problem });
        await store.reviseMonitors(tx);
        return { monitor, cursor: chooseLater(monitor.cursor, cursor), added, removed };
      });
    },
    delete: (accountId: string, id: string): Promise<void> =>
      change(async (tx) => {
        const { number } = await store.requireMonitor(tx, accountId, id);
        await store.updateMonitor(tx, number, { deletedAt: clock.now(), feedHash: null });
        await store.reviseMonitors(tx);
      }),
    /** Adds companies to a list and removes others, from the place `cursor` in the journal on. Also throws `monitor_limit_reached`. */
    changeEntities: (
      { accountId, plan }: AccountTerms,
      id: string,
      { add, remove }: { readonly add: readonly string[]; readonly remove: readonly string[] },
    ) =>
      change(async (tx, cursor) => {
        const stored = await store.requireMonitor(tx, accountId, id);
        if (stored.search !== null) throw fail('invalid_request', { message: NO_LIST });
        const removed = await store.deleteEntities(tx, stored.number, remove);
        const added = await store.insertEntities(tx, stored.number, [...new Set(add)]);
        const entities = stored.entities + added - removed;
        if (added > removed) {
          if (entities > MAX_ENTITIES)
            throw limitReached(`A monitor has at most ${MAX_ENTITIES} companies: create another one.`);
          await requireRoomForEntities(tx, accountId, plan, added - removed);
        }
        await store.addToCount(tx, stored.number, added - removed);
        return { monitor: { ...stored, entities }, cursor: chooseLater(stored.cursor, cursor), added, removed };
      }),
    async listEntities(accountId: string, id: string, after: string | undefined, limit: number): Promise<string[]> {
      const { number } = await store.requireMonitor(db, accountId, id);
      return store.listEntities(db, number, after ?? '', limit);
    },
    /** Returns a new secret for the address of the monitor's Atom feed. The previous secret stops working; only the hash is stored. */
    async renewFeed(accountId: string, id: string): Promise<string> {
      const secret = createToken();
      const { number } = await store.requireMonitor(db, accountId, id);
      await store.updateMonitor(db, number, { feedHash: hashSecret(secret) });
      return secret;
    },
    async removeFeed(accountId: string, id: string): Promise<void> {
      const { number } = await store.requireMonitor(db, accountId, id);
      await store.updateMonitor(db, number, { feedHash: null });
    },
    /** Throws `monitor_not_found`. */
    async findByFeed(secret: string): Promise<Monitor> {
      const found = await store.findMonitorByFeed(db, hashSecret(secret));
      if (found === undefined) throw fail('monitor_not_found', { message: UNKNOWN_FEED });
      return found;
    },
  };
}

/** Throws `monitor_limit_reached` if the monitors of the account would have more companies than its plan allows. */
async function requireRoomForEntities(tx: Transaction, accountId: string, plan: Plan, added: number): Promise<void> {
  const { entities: count } = await store.countOfAccount(tx, accountId);
  const { maxWatchedCompanies } = plan;
  if (count + added <= maxWatchedCompanies) return;
  const allowed = `${maxWatchedCompanies} watched companies, ${Math.max(0, maxWatchedCompanies - count)} more than now`;
  throw limitReached(describeLimit(plan, allowed, 'watch fewer'));
}

function limitReached(message: string): Failure {
  return fail('monitor_limit_reached', { message });
}

function busy(): Failure {
  const message = 'The newest import is still being compared with your monitors: try again shortly.';
  return fail('service_unavailable', { message, retryAfter: 1 });
}

const UNKNOWN_FEED = 'There is no feed at this address: it was renewed, or its monitor was deleted.';
const NO_LIST =
  'This monitor follows a saved search, which decides about its companies: create another monitor for a list.';
const NO_SEARCH =
  'This monitor is a list of companies: add or remove companies, or create another monitor for a search.';
