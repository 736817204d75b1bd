import { randomUUID } from 'node:crypto';
import type { Idempotency, Outcome } from '../accounts/idempotency/idempotency.ts';
import { readSecretName } from '../accounts/secret-name.ts';
import type { Clock } from '../core/clock.ts';
import { type Failure, fail } from '../core/errors.ts';
import { type Plan, plans } from '../core/plans.ts';
import type { AccountTerms } from '../core/usage.ts';
import type { Db, Queries, Transaction } from '../db/db.ts';
import { readGeneration, readStart } from '../journal/feed/cursor.ts';
import type { ChangeFeed } from '../journal/feed/feed.ts';
import { type MonitorType, monitorTypes, readScope, type Scope } from './monitor.ts';
import {
  addToCount,
  countOfAccount,
  deleteEntities,
  findMonitor,
  insertEntities,
  insertMonitor,
  listEntities,
  listMonitors,
  lockPass,
  markDeleted,
  type PassState,
  type StoredMonitor,
  updateMonitor,
} from './store.ts';

/**
 * Monitors: companies, or a saved search, whose changes an account wants to know, and what counts as a change. This folder owns their
 * tables in the accounts store, the pass that compares them with the journal (`pass.ts`) and the events that it writes (`changes.ts`,
 * `events.ts`). It does not own the journal or the search.
 */
export interface Monitors {
  /** Creates a monitor, once per idempotency key. Throws `monitor_limit_reached`. */
  create(account: AccountTerms, given: NewMonitor, idempotencyKey?: string): Promise<Outcome<Monitor>>;
  /** The oldest first. */
  list(accountId: string): Promise<Monitor[]>;
  /** This and all following throw `monitor_not_found`. */
  find(accountId: string, id: string): Promise<Monitor>;
  update(accountId: string, id: string, given: Partial<Scope & { readonly name: string }>): Promise<Changed>;
  delete(accountId: string, id: string): Promise<void>;
  /** Adds companies to a list and removes others. Throws `monitor_limit_reached`, too. */
  changeEntities(account: AccountTerms, id: string, change: EntityChange): Promise<EntitiesChanged>;
  /** Ids of companies after this one, in order. */
  listEntities(accountId: string, id: string, after: string | undefined, limit: number): Promise<string[]>;
}

export interface Monitor extends Scope {
  readonly id: string;
  readonly name: string;
  readonly entities: number;
  /** The place in the journal after which changes are reported. */
  readonly cursor: string;
  readonly hasFeed: boolean;
  readonly createdAt: number;
}

export interface NewMonitor extends Partial<Scope> {
  readonly name: string;
  /** Ids of companies. */
  readonly entities: readonly string[];
}

export interface EntityChange {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

export interface Changed {
  readonly monitor: Monitor;
  /** From this place in the journal on, the change is in effect. */
  readonly cursor: string;
}

export interface EntitiesChanged extends Changed {
  readonly added: number;
  readonly removed: number;
}

export interface MonitorOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly changes: Pick<ChangeFeed, 'readPage'>;
  readonly idempotency: Pick<Idempotency, 'onceInTransaction'>;
}

/** Of one monitor. */
export const MAX_ENTITIES = 10_000;

const LIST_TYPES: readonly MonitorType[] = monitorTypes.filter((type) => type !== 'entered' && type !== 'left');
const ALL = { country: null, register: null, type: null } as const;

export function createMonitors({ db, clock, changes, idempotency }: MonitorOptions): Monitors {
  /** The end of the journal. */
  async function findEnd(): Promise<string> {
    return (await changes.readPage({ cursor: 'now', filter: ALL, limit: 1 })).meta.nextCursor;
  }

  async function require(queries: Queries, accountId: string, id: string): Promise<StoredMonitor> {
    const found = await findMonitor(queries, accountId, id);
    if (found === undefined) throw fail('monitor_not_found');
    return found;
  }

  /** Changes a monitor while the pass waits, so that the change takes effect at the place where the pass is. */
  async function change<T>(revised: 0 | 1, work: (tx: Transaction, state: PassState) => Promise<T>): Promise<T> {
    const end = await findEnd();
    return db.transaction(async (tx) => work(tx, await lockPass(tx, end, 0, revised)));
  }

  return {
    async create({ accountId, plan }, given, key) {
      const name = readSecretName(given.name, 'monitor');
      const entities = [...new Set(given.entities)];
      const { types = LIST_TYPES, fields = null } = given;
      const end = await findEnd();
      const request = {
        accountId,
        operation: 'createMonitor',
        key,
        body: JSON.stringify({ ...given, name, entities }),
      };
      const outcome = await idempotency.onceInTransaction(request, {
        lock: (tx) => lockPass(tx, end, 1, 1),
        async make(tx, state) {
          await checkLimits(tx, accountId, plan, { monitors: 1, entities: entities.length });
          const monitor = {
            number: state.lastNumber,
            id: randomUUID(),
            accountId,
            name,
            search: null,
            types: JSON.stringify(types),
            fields: fields && JSON.stringify(fields),
            entities: entities.length,
            // An import may have been published, and compared, since its end was read.
            startCursor: chooseLater(end, state.cursor ?? end),
            since: readGeneration(readStart(end).version),
            createdAt: clock.now(),
          };
          await insertMonitor(tx, monitor);
          await insertEntities(tx, monitor.number, entities);
          return { ...monitor, hasFeed: 0 };
        },
      });
      return { ...outcome, result: toMonitor(outcome.result) };
    },
    list: async (accountId) => (await listMonitors(db, accountId)).map(toMonitor),
    find: async (accountId, id) => toMonitor(await require(db, accountId, id)),
    update: (accountId, id, given) =>
      change(1, async (tx, state) => {
        const stored = await require(tx, accountId, id);
        const name = given.name === undefined ? stored.name : readSecretName(given.name, 'monitor');
        const { types, fields } = { ...readScope(stored), ...given };
        const changed = { name, types: JSON.stringify(types), fields: fields && JSON.stringify(fields) };
        await updateMonitor(tx, { ...stored, ...changed });
        return describeChanged({ ...stored, ...changed }, state);
      }),
    delete: (accountId, id) =>
      change(1, async (tx) => {
        if (!(await markDeleted(tx, accountId, id, clock.now()))) throw fail('monitor_not_found');
      }),
    changeEntities: ({ accountId, plan }, id, { add, remove }) =>
      change(0, async (tx, state) => {
        const stored = await require(tx, accountId, id);
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
      const { number } = await require(db, accountId, id);
      return listEntities(db, number, after ?? '', limit);
    },
  };
}

/** Throws if the account would have more than its plan allows. */
async function checkLimits(
  tx: Queries,
  accountId: string,
  { id, maxMonitors, maxWatchedCompanies }: Plan,
  added: { readonly monitors: number; readonly entities: number },
): Promise<void> {
  const now = await countOfAccount(tx, accountId);
  const upgrade = id === plans.at(-1)?.id ? '' : ', or upgrade';
  const refuse = (allowed: string, advice: string) =>
    fail('monitor_limit_reached', { message: `Your plan allows ${allowed}: ${advice}${upgrade}.` });
  if (now.monitors + added.monitors > maxMonitors) throw refuse(`${maxMonitors} monitors`, 'delete one first');
  if (now.entities + added.entities > maxWatchedCompanies) {
    const left = Math.max(0, maxWatchedCompanies - now.entities);
    throw refuse(`${maxWatchedCompanies} watched companies, ${left} more than now`, 'watch fewer');
  }
}

export function tooLarge(): Failure {
  return fail('monitor_limit_reached', {
    message: `A monitor has at most ${MAX_ENTITIES} companies: create another one.`,
  });
}

/** Of two places in the journal, the later one. */
function chooseLater(a: string, b: string): string {
  const [first, second] = [readStart(a), readStart(b)];
  const order = readGeneration(first.version) - readGeneration(second.version) || first.seen - second.seen;
  return order >= 0 ? a : b;
}

function describeChanged(stored: StoredMonitor, { cursor }: PassState): Changed {
  const monitor = toMonitor(stored);
  return { monitor, cursor: chooseLater(monitor.cursor, cursor ?? monitor.cursor) };
}

export function toMonitor(stored: StoredMonitor): Monitor {
  const { id, name, entities, startCursor, hasFeed, createdAt } = stored;
  return { id, name, ...readScope(stored), entities, cursor: startCursor, hasFeed: hasFeed === 1, createdAt };
}
