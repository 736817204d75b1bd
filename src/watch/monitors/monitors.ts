import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { requireFound, requireRoom, takeKey } from '../../accounts/resources.ts';
import type { Clock } from '../../base/clock.ts';
import type { Db, Transaction } from '../../base/db/db.ts';
import { type Failure, fail } from '../../base/errors.ts';
import { describeLimit, type Plan } from '../../base/plans.ts';
import { createToken, hashSecret } from '../../base/secrets.ts';
import { validateName } from '../../base/storable.ts';
import type { AccountTerms } from '../../base/usage.ts';
import { nameSnapshot } from '../../base/version.ts';
import { toSearchQuery } from '../../search/parameters.ts';
import type { ChangeFeed } from '../feed/feed.ts';
import {
  ALL_CHANGES,
  type Changed,
  chooseLater,
  describeChanged,
  generationOf,
  MAX_ENTITIES,
  type Monitor,
  type MonitorType,
  monitorTypes,
  parseScope,
  type SavedSearches,
  type Scope,
  type SearchFilters,
  toMonitor,
} from './monitor.ts';
import {
  addToCount,
  countOfAccount,
  deleteEntities,
  findMonitorByFeed,
  findPass,
  insertEntities,
  insertMonitor,
  listEntities,
  listMonitors,
  lockPass,
  markDeleted,
  type PassState,
  requireMonitor,
  reviseMonitors,
  type StoredMonitor,
  setFeed,
  updateMonitor,
} from './store.ts';

export type { Monitor, SearchFilters } from './monitor.ts';

interface NewMonitor extends Partial<Scope> {
  readonly name: string;
  /** Ids of companies, or a saved search. */
  readonly watch: readonly string[] | SearchFilters;
}

/** A change of a monitor's settings. Missing settings keep their value. */
type MonitorChanges = Partial<Scope & { readonly name: string; readonly search: SearchFilters }>;

interface Updated extends Changed {
  /** How many companies match only the new search (`added`), and only the old one (`removed`). Null if the search was not changed. */
  readonly added: number | null;
  readonly removed: number | null;
}

interface MonitorOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly changes: Pick<ChangeFeed, 'readPage'>;
  readonly searches: Pick<SavedSearches, 'collect'>;
  readonly version: string;
}

const LIST_TYPES: readonly MonitorType[] = monitorTypes.filter((type) => type !== 'entered' && type !== 'left');
/** How often finding the start of a saved search is tried if imports are compared meanwhile. */
const MAX_TRIES = 3;
/** How often, and with which pause, a new search tries to take effect until the newest import was compared with the old search. */
const [MAX_UPDATE_TRIES, PAUSE_MS] = [8, 250];

export type Monitors = ReturnType<typeof createMonitors>;

/**
 * Monitors: companies, or a saved search, whose changes an account wants to know, and which changes are reported. This folder owns their tables in
 * the accounts store, the pass that compares them with the journal (`pass.ts`) and the events that it writes (`events.ts`). This folder does not own
 * the journal or the search.
 */
export function createMonitors({ db, clock, changes, searches, version: serviceVersion }: MonitorOptions) {
  /** The end of the journal. If an import is published during the read, the page ends within that import and is read again. */
  async function findEnd(): Promise<string> {
    for (;;) {
      const { data, meta } = await changes.readPage({ cursor: 'now', filter: ALL_CHANGES, limit: 1 });
      if (data.length === 0) return meta.nextCursor;
    }
  }

  /** The companies of a new monitor, and the place in the journal that they belong to. */
  async function findStart(watch: NewMonitor['watch'], { maxWatchedCompanies }: Plan) {
    if (Array.isArray(watch)) return { ids: [...new Set<string>(watch)], cursor: await findEnd() };
    const most = Math.min(MAX_ENTITIES, maxWatchedCompanies);
    // The data must not be older than the imports that the pass has already compared.
    const { cursor } = await findPass(db);
    const least = cursor === null ? 0 : generationOf(cursor);
    const { ids, total, version } = await searches.collect(toSearchQuery(watch as SearchFilters), most, least);
    if (ids === undefined) {
      throw limitReached(`The search matches ${total} companies, and a monitor can have ${most}: narrow it down.`);
    }
    return { ids, cursor: nameSnapshot(serviceVersion, version) };
  }

  /** Changes a monitor while the pass waits, so that the change takes effect at the current place of the pass. */
  async function change<T>(revised: 0 | 1, work: (tx: Transaction, state: PassState) => Promise<T>): Promise<T> {
    const end = await findEnd();
    return db.transaction(async (tx) => work(tx, await lockPass(tx, end, 0, revised)));
  }

  async function apply(tx: Transaction, stored: StoredMonitor, given: Omit<MonitorChanges, 'search'>) {
    const name = given.name === undefined ? stored.name : validateName(given.name, 'monitor');
    const { types, fields } = { ...parseScope(stored), ...given };
    const changed = { ...stored, name, types: JSON.stringify(types), fields: fields && JSON.stringify(fields) };
    await updateMonitor(tx, changed);
    await reviseMonitors(tx);
    return changed;
  }

  /**
   * A new search needs its companies at exactly the current place of the pass: then each change is compared either with the old search or with the
   * new one, and the companies plus all later events are always what the new search finds. Undefined if the pass is elsewhere.
   */
  async function changeSearch(
    { accountId, plan }: AccountTerms,
    id: string,
    search: SearchFilters,
    given: Omit<MonitorChanges, 'search'>,
  ): Promise<Updated | undefined> {
    const { ids, cursor: start } = await findStart(search, plan);
    const end = await findEnd();
    const since = generationOf(start);
    if (since !== generationOf(end)) return undefined;
    return db.transaction(async (tx) => {
      const state = await lockPass(tx, end, 0, 0);
      if (state.cursor !== end) return undefined;
      const stored = requireSearch(await requireMonitor(tx, accountId, id));
      const wanted = new Set(ids);
      const known = await listEntities(tx, stored.number, '', Number.MAX_SAFE_INTEGER);
      const removed = await deleteEntities(
        tx,
        stored.number,
        known.filter((entity) => !wanted.has(entity)),
      );
      const added = await insertEntities(tx, stored.number, ids);
      if (added > removed) await checkEntities(tx, accountId, plan, added - removed);
      const entities = stored.entities + added - removed;
      const next = { ...stored, search: JSON.stringify(search), entities, since, problem: null };
      return { ...describeChanged(await apply(tx, next, given), state), added, removed };
    });
  }

  return {
    /** Throws `monitor_limit_reached`, and `idempotency_key_reused` if an earlier request has created a monitor with this key. */
    async create({ accountId, plan }: AccountTerms, { watch, ...given }: NewMonitor, key?: string): Promise<Monitor> {
      const name = validateName(given.name, 'monitor');
      const isList = Array.isArray(watch);
      const { types = isList ? LIST_TYPES : monitorTypes, fields = null } = given;
      for (let tries = 1; ; tries++) {
        const { ids, cursor: start } = await findStart(watch, plan);
        const generation = generationOf(start);
        const made = await db.transaction(async (tx) => {
          const state = await lockPass(tx, start, 1, 1);
          const passed = state.cursor ?? start;
          // The companies of a saved search are those at its start, so the pass must not be ahead of this start.
          if (!isList && generationOf(passed) > generation) return null;
          const id = randomUUID();
          await takeKey(tx, accountId, { kind: 'monitor', id, key, now: clock.now() });
          const count = await countOfAccount(tx, accountId);
          requireRoom('monitor', { plan }, count.monitors);
          requireRoomForEntities(plan, count.entities, ids.length);
          const monitor = {
            number: state.lastNumber,
            id,
            accountId,
            name,
            search: isList ? null : JSON.stringify(watch),
            types: JSON.stringify(types),
            fields: fields && JSON.stringify(fields),
            entities: ids.length,
            // Since the end of the journal was read, an import may have been published and compared.
            startCursor: isList ? chooseLater(start, passed) : start,
            since: generation,
            createdAt: clock.now(),
          };
          await insertMonitor(tx, monitor);
          await insertEntities(tx, monitor.number, ids);
          return toMonitor({ ...monitor, hasFeed: 0, problem: null });
        });
        if (made !== null) return made;
        if (tries >= MAX_TRIES) throw fail('service_unavailable');
      }
    },
    /** Lists the monitors, the oldest first. */
    list: async (accountId: string): Promise<Monitor[]> => (await listMonitors(db, accountId)).map(toMonitor),
    /** This method and all following ones throw `monitor_not_found`. */
    find: async (accountId: string, id: string): Promise<Monitor> => toMonitor(await requireMonitor(db, accountId, id)),
    /** Also throws `monitor_limit_reached`, and `service_unavailable` if a new search cannot take effect now. */
    async update(account: AccountTerms, id: string, { search, ...given }: MonitorChanges): Promise<Updated> {
      if (search === undefined) {
        return change(0, async (tx, state) => {
          const changed = await apply(tx, await requireMonitor(tx, account.accountId, id), given);
          return { ...describeChanged(changed, state), added: null, removed: null };
        });
      }
      for (let tries = 1; ; tries++) {
        requireSearch(await requireMonitor(db, account.accountId, id));
        const updated = await changeSearch(account, id, search, given);
        if (updated !== undefined) return updated;
        if (tries === MAX_UPDATE_TRIES) throw fail('service_unavailable', { message: BUSY, retryAfter: 1 });
        await pause(PAUSE_MS);
      }
    },
    delete: (accountId: string, id: string): Promise<void> =>
      change(1, async (tx) => {
        requireFound('monitor', await markDeleted(tx, accountId, id, clock.now()));
      }),
    /** Adds companies to a list and removes others. Also throws `monitor_limit_reached`. */
    changeEntities: (
      { accountId, plan }: AccountTerms,
      id: string,
      { add, remove }: { readonly add: readonly string[]; readonly remove: readonly string[] },
    ): Promise<Changed & { readonly added: number; readonly removed: number }> =>
      change(0, async (tx, state) => {
        const stored = await requireMonitor(tx, accountId, id);
        if (stored.search !== null) throw fail('invalid_request', { message: NO_LIST });
        const removed = await deleteEntities(tx, stored.number, remove);
        const added = await insertEntities(tx, stored.number, [...new Set(add)]);
        const entities = stored.entities + added - removed;
        if (added > 0) {
          if (entities > MAX_ENTITIES)
            throw limitReached(`A monitor has at most ${MAX_ENTITIES} companies: create another one.`);
          await checkEntities(tx, accountId, plan, added - removed);
        }
        await addToCount(tx, stored.number, added - removed);
        return { ...describeChanged({ ...stored, entities }, state), added, removed };
      }),
    /** Ids of the companies after the id `after`, in order. */
    async listEntities(accountId: string, id: string, after: string | undefined, limit: number): Promise<string[]> {
      const { number } = await requireMonitor(db, accountId, id);
      return listEntities(db, number, after ?? '', limit);
    },
    /** Returns a new secret for the address of the monitor's Atom feed. The previous secret stops working; only the hash is stored. */
    async renewFeed(accountId: string, id: string): Promise<string> {
      const secret = createToken();
      requireFound('monitor', await setFeed(db, accountId, id, hashSecret(secret)));
      return secret;
    },
    async removeFeed(accountId: string, id: string): Promise<void> {
      requireFound('monitor', await setFeed(db, accountId, id, null));
    },
    /** Throws `monitor_not_found`. */
    async findByFeed(secret: string): Promise<{ readonly accountId: string; readonly monitor: Monitor }> {
      const found = await findMonitorByFeed(db, hashSecret(secret));
      if (found === undefined) throw fail('monitor_not_found', { message: UNKNOWN_FEED });
      return { accountId: found.accountId, monitor: toMonitor(found) };
    },
  };
}

async function checkEntities(tx: Transaction, accountId: string, plan: Plan, added: number): Promise<void> {
  requireRoomForEntities(plan, (await countOfAccount(tx, accountId)).entities, added);
}

/** Throws `monitor_limit_reached` if the monitors of the account would have more companies than its plan allows. */
function requireRoomForEntities(plan: Plan, count: number, added: number): void {
  const { maxWatchedCompanies } = plan;
  if (count + added <= maxWatchedCompanies) return;
  const allowed = `${maxWatchedCompanies} watched companies, ${Math.max(0, maxWatchedCompanies - count)} more than now`;
  throw limitReached(describeLimit(plan, allowed, 'watch fewer'));
}

function limitReached(message: string): Failure {
  return fail('monitor_limit_reached', { message });
}

function requireSearch(stored: StoredMonitor): StoredMonitor {
  if (stored.search === null) throw fail('invalid_request', { message: NO_SEARCH });
  return stored;
}

const UNKNOWN_FEED = 'There is no feed at this address: it was renewed, or its monitor was deleted.';
const NO_LIST =
  'This monitor follows a saved search, which decides about its companies: create another monitor for a list.';
const NO_SEARCH =
  'This monitor is a list of companies: add or remove companies, or create another monitor for a search.';
const BUSY = 'The newest import is still being compared with your monitors: try again shortly.';
