import type { Static } from 'typebox';
import type { Queries } from '../../base/db/db.ts';
import { fail } from '../../base/errors.ts';
import { parseVersion } from '../../base/version.ts';
import { MAX_DETAILS } from '../../registry/journal/details.ts';
import { compileMatch, findMatching, type MatchRow } from '../../search/match-row.ts';
import { type SearchParameters, toSearchQuery } from '../../search/parameters.ts';
import type { Search, SearchQuery, WholeResult } from '../../search/search.ts';
import type { Change } from '../feed/change.ts';
import { type Cursor, parseGeneration, parseStart } from '../feed/cursor.ts';
import type { PassState, StoredMonitor } from './store.ts';

/** The changes that a monitor can report. A saved search also reports companies that begin to match (`entered`) or cease to match (`left`). */
export const monitorTypes = ['added', 'changed', 'delisted', 'relisted', 'entered', 'left'] as const;
export type MonitorType = (typeof monitorTypes)[number];

/** A change in the form that a monitor reports. */
export interface MonitorChange extends Omit<Change, 'type'> {
  readonly type: Change['type'] | MonitorType;
}

/** The fields whose changes can be reported alone. `address` is the city and all of `registry.address`. */
export const monitorFields = [
  'status',
  'canonicalName',
  'address',
  'legalForm',
  'registeredAt',
  'related',
  'parties',
] as const;
export type MonitorField = (typeof monitorFields)[number];

/** The maximum number of companies in a list, and of matches of a saved search when it is created. */
export const MAX_ENTITIES = 10_000;

/** The changes that a monitor reports. */
export interface Scope {
  readonly types: readonly MonitorType[];
  /** Reports changes of the type `changed` only if one of these fields has changed. Null reports all. */
  readonly fields: readonly MonitorField[] | null;
}

/** The fields of a monitor that the pass needs. */
export interface Watching extends Scope {
  /** Null for a list of companies. */
  readonly search: SavedSearch | null;
  /** Changes of this import and of earlier imports are not reported. */
  readonly since: number;
}

export function parseScope({ types, fields }: Pick<StoredMonitor, 'types' | 'fields'>): Scope {
  return { types: JSON.parse(types), fields: fields === null ? null : JSON.parse(fields) };
}

export interface SavedSearch {
  readonly query: SearchQuery;
  readonly matches: MatchRow;
}

export function parseSearch({ search }: Pick<StoredMonitor, 'search'>): SavedSearch | null {
  if (search === null) return null;
  const query = toSearchQuery(JSON.parse(search));
  return { query, matches: compileMatch(query) };
}

/** Whether a monitor reports the change as one of this type. */
export function isReported({ types, fields }: Scope, type: MonitorType, change: Compared): boolean {
  if (!types.includes(type)) return false;
  if (type !== 'changed' || fields === null) return true;
  return fields.some((field) => hasChanged(field, change));
}

type Compared = Pick<Change, 'fields' | 'details'>;

function hasChanged(field: MonitorField, change: Compared): boolean {
  return field === 'address' ? hasMoved(change) : change.fields.includes(field);
}

/** If the journal does not contain all details, every change of `registry` is reported: an extra report is better than a missed one. */
function hasMoved(change: Compared): boolean {
  if (change.fields.includes('city')) return true;
  if (!change.fields.includes('registry')) return false;
  const { details } = change;
  if (details === null || details.length >= MAX_DETAILS) return true;
  return details.some(({ field }) => field === 'registry.address' || field.startsWith('registry.address.'));
}

export interface Monitor extends Scope {
  readonly id: string;
  readonly name: string;
  /** Null for a list of companies. */
  readonly search: SearchFilters | null;
  readonly entities: number;
  /** The place in the journal after which changes are reported. */
  readonly cursor: string;
  readonly hasFeed: boolean;
  readonly problem: StoredMonitor['problem'];
  readonly createdAt: number;
}

/** The parameters of a search that decide which companies match. */
export type SearchFilters = Omit<Static<typeof SearchParameters>, 'sort' | 'page' | 'pageSize'>;

export interface Changed {
  readonly monitor: Monitor;
  /** The place in the journal from which the change is in effect. */
  readonly cursor: string;
}

export const ALL_CHANGES = { country: null, register: null, type: null } as const;

/** The import that a place in the journal belongs to. */
export function generationOf(cursor: string): number {
  return parseGeneration(parseStart(cursor).version);
}

/** Whether the first of two places in the journal comes after the second. */
export function isLater(a: Cursor, b: Cursor): boolean {
  const order = parseGeneration(a.version) - parseGeneration(b.version);
  return order === 0 ? a.seen > b.seen : order > 0;
}

export function chooseLater(a: string, b: string): string {
  return isLater(parseStart(b), parseStart(a)) ? b : a;
}

export function describeChanged(stored: StoredMonitor, { cursor }: PassState): Changed {
  const monitor = toMonitor(stored);
  return { monitor, cursor: chooseLater(monitor.cursor, cursor ?? monitor.cursor) };
}

export function toMonitor(stored: StoredMonitor): Monitor {
  const { id, name, entities, startCursor, hasFeed, problem, createdAt } = stored;
  const search = stored.search === null ? null : JSON.parse(stored.search);
  const described = { id, name, search, ...parseScope(stored), entities, cursor: startCursor };
  return { ...described, hasFeed: hasFeed === 1, problem, createdAt };
}

export interface Collected {
  /** The version of the data in which the companies match. */
  readonly version: string;
  readonly total: number;
  /** Undefined if too many companies match. */
  readonly ids: readonly string[] | undefined;
}

export type SavedSearches = ReturnType<typeof createSavedSearches>;

export function createSavedSearches(search: Pick<Search, 'refresh' | 'readAll'>, registryDb: Queries) {
  return {
    /**
     * The companies that match now, or undefined if there are more than `most`. The data is not older than `generation`: if the index is older, this
     * throws `service_unavailable`.
     */
    async collect(query: SearchQuery, most: number, generation: number): Promise<Collected> {
      await search.refresh();
      return search.readAll(query, async (result) => {
        const { version, total } = result;
        if (parseVersion(version).generation < generation) throw fail('service_unavailable', BEHIND);
        return { version, total, ids: total > most ? undefined : await collectIds(result) };
      });
    },
    /** The numbers of the searches that each of these companies matches now, by id. */
    evaluate: (
      searches: ReadonlyMap<number, MatchRow>,
      ids: readonly string[],
    ): Promise<ReadonlyMap<string, ReadonlySet<number>>> => findMatching(registryDb, searches, ids),
  };
}

const BEHIND = { message: 'Search does not have the newest data yet: try again shortly.', retryAfter: 1 } as const;

async function collectIds(result: WholeResult): Promise<string[]> {
  const ids: string[] = [];
  for await (const { lines } of result.read(result.total)) {
    for (const line of Buffer.from(lines).toString().split('\n')) if (line !== '') ids.push(JSON.parse(line).id);
  }
  return ids;
}
