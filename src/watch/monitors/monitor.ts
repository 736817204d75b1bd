import type { Static } from 'typebox';
import type { Queries } from '../../base/db/db.ts';
import { fail } from '../../base/errors.ts';
import { parseVersion } from '../../base/version.ts';
import { MAX_DETAILS } from '../../registry/journal/details.ts';
import { findMatching, type MatchRow } from '../../search/match-row.ts';
import type { SearchParameters } from '../../search/parameters.ts';
import type { Search, SearchQuery, WholeResult } from '../../search/search.ts';
import { parseStart } from '../feed/cursor.ts';
import type { Change } from '../feed/feed.ts';

/** The changes that a monitor can report. A saved search also reports companies that begin to match (`entered`) or cease to match (`left`). */
export const monitorTypes = ['added', 'changed', 'delisted', 'relisted', 'entered', 'left'] as const;
export type MonitorType = (typeof monitorTypes)[number];

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
type MonitorField = (typeof monitorFields)[number];

/** The maximum number of companies in a list, and of matches of a saved search when it is created. */
export const MAX_ENTITIES = 10_000;

export interface Scope {
  readonly types: readonly MonitorType[];
  /** Reports changes of the type `changed` only if one of these fields has changed. Null reports all. */
  readonly fields: readonly MonitorField[] | null;
}

/** The parameters of a search that decide which companies match. */
export type SearchFilters = Omit<Static<typeof SearchParameters>, 'sort' | 'page' | 'pageSize'>;

export interface Monitor extends Scope {
  /** The number by which other tables refer to the monitor. */
  readonly number: number;
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** Null for a list of companies. */
  readonly search: SearchFilters | null;
  readonly entities: number;
  /** The place in the journal after which changes are reported. */
  readonly cursor: string;
  /** Changes of this import and of earlier imports are not reported. */
  readonly since: number;
  readonly hasFeed: boolean;
  /** Why the monitor has stopped. */
  readonly problem: 'too_many_companies' | null;
  readonly createdAt: number;
}

export function isReported({ types, fields }: Scope, type: MonitorType, change: Compared): boolean {
  if (!types.includes(type)) return false;
  if (type !== 'changed' || fields === null) return true;
  return fields.some((field) => (field === 'address' ? hasMoved(change) : change.fields.includes(field)));
}

type Compared = Pick<Change, 'fields' | 'details'>;

/** If the journal does not contain all details, every change of `registry` is reported: an extra report is better than a missed one. */
function hasMoved({ fields, details }: Compared): boolean {
  if (fields.includes('city')) return true;
  if (!fields.includes('registry')) return false;
  if (details === null || details.length >= MAX_DETAILS) return true;
  return details.some(({ field }) => field === 'registry.address' || field.startsWith('registry.address.'));
}

export function generationOf(cursor: string): number {
  return parseStart(cursor).generation;
}

export interface Collected {
  readonly version: string;
  readonly total: number;
  /** Undefined if too many companies match. */
  readonly ids: readonly string[] | undefined;
}

export type SavedSearches = ReturnType<typeof createSavedSearches>;

export function createSavedSearches(search: Pick<Search, 'refresh' | 'readAll'>, registryDb: Queries) {
  return {
    /** The companies that match now, undefined if more than `most`. Throws `service_unavailable` if the index is older than `generation`. */
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
