import { setTimeout as pause } from 'node:timers/promises';
import { fail } from '../core/errors.ts';
import { readName } from '../core/given-name.ts';
import type { Plan } from '../core/plans.ts';
import type { AccountTerms } from '../core/usage.ts';
import type { Db, Transaction } from '../db/db.ts';
import { readGeneration, readStart } from '../journal/feed/cursor.ts';
import { type Changed, describeChanged, type SearchFilters, type Start } from './described.ts';
import { checkLimits } from './limits.ts';
import { readScope, type Scope } from './monitor.ts';
import {
  deleteEntities,
  insertEntities,
  listEntities,
  lockPass,
  requireMonitor,
  reviseMonitors,
  type StoredMonitor,
  updateMonitor,
} from './store.ts';

/** What can be changed about a monitor. What is left out stays as it is. */
export type MonitorChanges = Partial<Scope & { readonly name: string; readonly search: SearchFilters }>;

export interface Updated extends Changed {
  /** How many companies the new search matches that the old one did not, and the other way round. Null if the search stays. */
  readonly added: number | null;
  readonly removed: number | null;
}

interface UpdateOptions {
  readonly db: Db;
  /** The end of the journal. */
  readonly findEnd: () => Promise<string>;
  /** The companies that match a search, and the place in the journal that they belong to. */
  readonly findStart: (search: SearchFilters, plan: Plan) => Promise<Start>;
}

/** How long a new search waits until the newest import was compared with the old one. */
const [MAX_TRIES, PAUSE_MS] = [8, 250];

/**
 * Changes a monitor at the place where the pass is. A new search needs its companies at exactly this place: then each change is compared
 * either with the old search or with the new one, and the companies plus all later events are always what the new search finds.
 */
export function createUpdate({ db, findEnd, findStart }: UpdateOptions) {
  async function apply(tx: Transaction, stored: StoredMonitor, given: MonitorChanges): Promise<StoredMonitor> {
    const name = given.name === undefined ? stored.name : readName(given.name, 'monitor');
    const { types, fields } = { ...readScope(stored), ...given };
    const changed = { ...stored, name, types: JSON.stringify(types), fields: fields && JSON.stringify(fields) };
    await updateMonitor(tx, changed);
    await reviseMonitors(tx);
    return changed;
  }

  async function changeSearch(
    { accountId, plan }: AccountTerms,
    id: string,
    { search, ...given }: MonitorChanges & { readonly search: SearchFilters },
  ): Promise<Updated | undefined> {
    const { ids, cursor: start } = await findStart(search, plan);
    const end = await findEnd();
    const since = readGeneration(readStart(start).version);
    if (since !== readGeneration(readStart(end).version)) return undefined;
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
      if (added > removed) await checkLimits(tx, accountId, plan, { monitors: 0, entities: added - removed });
      const entities = stored.entities + added - removed;
      const next = { ...stored, search: JSON.stringify(search), entities, since, problem: null };
      return { ...describeChanged(await apply(tx, next, given), state), added, removed };
    });
  }

  return async (account: AccountTerms, id: string, given: MonitorChanges): Promise<Updated> => {
    const { accountId } = account;
    const { search } = given;
    if (search === undefined) {
      const end = await findEnd();
      return db.transaction(async (tx) => {
        const state = await lockPass(tx, end, 0, 0);
        const changed = await apply(tx, await requireMonitor(tx, accountId, id), given);
        return { ...describeChanged(changed, state), added: null, removed: null };
      });
    }
    for (let tries = 1; ; tries++) {
      requireSearch(await requireMonitor(db, accountId, id));
      const updated = await changeSearch(account, id, { ...given, search });
      if (updated !== undefined) return updated;
      if (tries === MAX_TRIES) throw fail('service_unavailable', { message: BUSY, retryAfter: 1 });
      await pause(PAUSE_MS);
    }
  };
}

function requireSearch(stored: StoredMonitor): StoredMonitor {
  if (stored.search === null) throw fail('invalid_request', { message: NO_SEARCH });
  return stored;
}

const NO_SEARCH =
  'This monitor is a list of companies: add or remove companies, or create another monitor for a search.';
const BUSY = 'The newest import is still being compared with your monitors: try again shortly.';
