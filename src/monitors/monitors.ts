import { randomUUID } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { fail } from '../core/errors.ts';
import { readName } from '../core/given-name.ts';
import type { Plan } from '../core/plans.ts';
import { createToken, hashSecret } from '../core/secrets.ts';
import type { AccountTerms } from '../core/usage.ts';
import { nameSnapshot } from '../core/version.ts';
import type { Db, Transaction } from '../db/db.ts';
import { takeIdempotencyKey } from '../db/idempotency.ts';
import { readGeneration, readStart } from '../journal/feed/cursor.ts';
import type { ChangeFeed } from '../journal/feed/feed.ts';
import { toSearchQuery } from '../search/parameters.ts';
import {
  type Changed,
  chooseLater,
  describeChanged,
  type Monitor,
  type SearchFilters,
  type Start,
  toMonitor,
} from './described.ts';
import { checkLimits, tooBroad, tooLarge } from './limits.ts';
import { MAX_ENTITIES, type MonitorType, monitorTypes, type Scope } from './monitor.ts';
import type { SavedSearches } from './saved-search.ts';
import {
  addToCount,
  deleteEntities,
  findMonitorByFeed,
  insertEntities,
  insertMonitor,
  listEntities,
  listMonitors,
  lockPass,
  markDeleted,
  type PassState,
  readPass,
  requireMonitor,
  setFeed,
} from './store.ts';
import { createUpdate, type MonitorChanges, type Updated } from './update.ts';

export type { Monitor, SearchFilters } from './described.ts';

/**
 * Monitors: companies, or a saved search, whose changes an account wants to know, and what counts as a change. This folder owns their
 * tables in the accounts store, the pass that compares them with the journal (`pass.ts`) and the events that it writes (`changes.ts`,
 * `events.ts`). It does not own the journal or the search.
 */
export interface Monitors {
  /** Throws `monitor_limit_reached`, and `idempotency_key_reused` if the key has made a monitor before. */
  create(account: AccountTerms, given: NewMonitor, idempotencyKey?: string): Promise<Monitor>;
  /** The oldest first. */
  list(accountId: string): Promise<Monitor[]>;
  /** This and all following throw `monitor_not_found`. */
  find(accountId: string, id: string): Promise<Monitor>;
  /** Also throws `monitor_limit_reached`, and `service_unavailable` if a new search cannot take effect now. */
  update(account: AccountTerms, id: string, given: MonitorChanges): Promise<Updated>;
  delete(accountId: string, id: string): Promise<void>;
  /** Adds companies to a list and removes others. Throws `monitor_limit_reached`, too. */
  changeEntities(account: AccountTerms, id: string, change: EntityChange): Promise<EntitiesChanged>;
  /** Ids of companies after this one, in order. */
  listEntities(accountId: string, id: string, after: string | undefined, limit: number): Promise<string[]>;
  /** Returns a new secret for the address of its Atom feed. The one before stops working, and only the hash is stored. */
  renewFeed(accountId: string, id: string): Promise<string>;
  removeFeed(accountId: string, id: string): Promise<void>;
  /** Throws `monitor_not_found`. */
  findByFeed(secret: string): Promise<FeedMonitor>;
}

/** A monitor whose feed somebody reads. */
export interface FeedMonitor {
  readonly accountId: string;
  readonly monitor: Monitor;
}

export interface NewMonitor extends Partial<Scope> {
  readonly name: string;
  /** Ids of companies, or a saved search. */
  readonly watch: readonly string[] | SearchFilters;
}

export interface EntityChange {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

export interface EntitiesChanged extends Changed {
  readonly added: number;
  readonly removed: number;
}

export interface MonitorOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly changes: Pick<ChangeFeed, 'readPage'>;
  readonly searches: Pick<SavedSearches, 'collect'>;
  /** Of the program. */
  readonly version: string;
}

const LIST_TYPES: readonly MonitorType[] = monitorTypes.filter((type) => type !== 'entered' && type !== 'left');
/** How often the start of a saved search is looked for if imports are compared meanwhile. */
const MAX_TRIES = 3;
const ALL = { country: null, register: null, type: null } as const;

export function createMonitors(options: MonitorOptions): Monitors {
  const { db, clock, changes, searches, version: serviceVersion } = options;
  /** The end of the journal. If an import is published while it is read, the page ends within that import and is read again. */
  async function findEnd(): Promise<string> {
    for (;;) {
      const { data, meta } = await changes.readPage({ cursor: 'now', filter: ALL, limit: 1 });
      if (data.length === 0) return meta.nextCursor;
    }
  }

  /** The companies to start with, and the place in the journal that they belong to. */
  async function findStart(watch: NewMonitor['watch'], { maxWatchedCompanies }: Plan): Promise<Start> {
    if (Array.isArray(watch)) return { ids: [...new Set<string>(watch)], cursor: await findEnd() };
    const most = Math.min(MAX_ENTITIES, maxWatchedCompanies);
    // Not older than what the pass has compared already.
    const { cursor } = await readPass(db);
    const least = cursor === null ? 0 : readGeneration(readStart(cursor).version);
    const { ids, total, version } = await searches.collect(toSearchQuery(watch as SearchFilters), most, least);
    if (ids === undefined) throw tooBroad(total, most);
    return { ids, cursor: nameSnapshot(serviceVersion, version) };
  }

  /** Changes a monitor while the pass waits, so that the change takes effect at the place where the pass is. */
  async function change<T>(revised: 0 | 1, work: (tx: Transaction, state: PassState) => Promise<T>): Promise<T> {
    const end = await findEnd();
    return db.transaction(async (tx) => work(tx, await lockPass(tx, end, 0, revised)));
  }

  return {
    async create({ accountId, plan }, { watch, ...given }, key) {
      const name = readName(given.name, 'monitor');
      const isList = Array.isArray(watch);
      const { types = isList ? LIST_TYPES : monitorTypes, fields = null } = given;
      for (let tries = 1; ; tries++) {
        const { ids, cursor: start } = await findStart(watch, plan);
        const generation = readGeneration(readStart(start).version);
        const made = await db.transaction(async (tx) => {
          const state = await lockPass(tx, start, 1, 1);
          const passed = state.cursor ?? start;
          // The members of a saved search are those at its start, so the pass must not be further.
          if (!isList && readGeneration(readStart(passed).version) > generation) return null;
          const id = randomUUID();
          await takeIdempotencyKey(tx, { accountId, operation: 'createMonitor', key }, id, clock.now());
          await checkLimits(tx, accountId, plan, { monitors: 1, entities: ids.length });
          const monitor = {
            number: state.lastNumber,
            id,
            accountId,
            name,
            search: isList ? null : JSON.stringify(watch),
            types: JSON.stringify(types),
            fields: fields && JSON.stringify(fields),
            entities: ids.length,
            // An import may have been published, and compared, since the end of the journal was read.
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
    list: async (accountId) => (await listMonitors(db, accountId)).map(toMonitor),
    find: async (accountId, id) => toMonitor(await requireMonitor(db, accountId, id)),
    update: createUpdate({ db, findEnd, findStart }),
    delete: (accountId, id) =>
      change(1, async (tx) => {
        if (!(await markDeleted(tx, accountId, id, clock.now()))) throw fail('monitor_not_found');
      }),
    changeEntities: ({ accountId, plan }, id, { add, remove }) =>
      change(0, async (tx, state) => {
        const stored = await requireMonitor(tx, accountId, id);
        if (stored.search !== null) throw fail('invalid_request', { message: NO_LIST });
        const removed = await deleteEntities(tx, stored.number, remove);
        const added = await insertEntities(tx, stored.number, [...new Set(add)]);
        const entities = stored.entities + added - removed;
        if (added > 0) {
          if (entities > MAX_ENTITIES) throw tooLarge();
          await checkLimits(tx, accountId, plan, { monitors: 0, entities: added - removed });
        }
        await addToCount(tx, stored.number, added - removed);
        return { ...describeChanged({ ...stored, entities }, state), added, removed };
      }),
    async listEntities(accountId, id, after, limit) {
      const { number } = await requireMonitor(db, accountId, id);
      return listEntities(db, number, after ?? '', limit);
    },
    async renewFeed(accountId, id) {
      const secret = createToken();
      if (!(await setFeed(db, accountId, id, hashSecret(secret)))) throw fail('monitor_not_found');
      return secret;
    },
    async removeFeed(accountId, id) {
      if (!(await setFeed(db, accountId, id, null))) throw fail('monitor_not_found');
    },
    async findByFeed(secret) {
      const found = await findMonitorByFeed(db, hashSecret(secret));
      if (found === undefined) throw fail('monitor_not_found', { message: UNKNOWN_FEED });
      return { accountId: found.accountId, monitor: toMonitor(found) };
    },
  };
}

const UNKNOWN_FEED = 'There is no feed at this address: it was renewed, or its monitor was deleted.';

const NO_LIST =
  'This monitor follows a saved search, which decides about its companies: create another monitor for a list.';
