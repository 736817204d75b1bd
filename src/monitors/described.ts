import type { Static } from 'typebox';
import { readGeneration, readStart } from '../journal/feed/cursor.ts';
import type { SearchParameters } from '../search/parameters.ts';
import { readScope, type Scope } from './monitor.ts';
import type { PassState, StoredMonitor } from './store.ts';

export interface Monitor extends Scope {
  readonly id: string;
  readonly name: string;
  /** Null if it is a list of companies. */
  readonly search: SearchFilters | null;
  readonly entities: number;
  /** The place in the journal after which changes are reported. */
  readonly cursor: string;
  readonly hasFeed: boolean;
  /** Why it has stopped; null if it has not. */
  readonly problem: StoredMonitor['problem'];
  readonly createdAt: number;
}

/** The parameters of a search that decide what matches. */
export type SearchFilters = Omit<Static<typeof SearchParameters>, 'sort' | 'page' | 'pageSize'>;

export interface Changed {
  readonly monitor: Monitor;
  /** From this place in the journal on, the change is in effect. */
  readonly cursor: string;
}

/** The companies to start with, and the place in the journal that they belong to. */
export interface Start {
  readonly ids: readonly string[];
  readonly cursor: string;
}

/** Of two places in the journal, the later one. */
export function chooseLater(a: string, b: string): string {
  const [first, second] = [readStart(a), readStart(b)];
  const order = readGeneration(first.version) - readGeneration(second.version) || first.seen - second.seen;
  return order >= 0 ? a : b;
}

export function describeChanged(stored: StoredMonitor, { cursor }: PassState): Changed {
  const monitor = toMonitor(stored);
  return { monitor, cursor: chooseLater(monitor.cursor, cursor ?? monitor.cursor) };
}

export function toMonitor(stored: StoredMonitor): Monitor {
  const { id, name, entities, startCursor, hasFeed, problem, createdAt } = stored;
  const search = stored.search === null ? null : JSON.parse(stored.search);
  const described = { id, name, search, ...readScope(stored), entities, cursor: startCursor };
  return { ...described, hasFeed: hasFeed === 1, problem, createdAt };
}
