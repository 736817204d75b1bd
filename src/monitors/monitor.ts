import { MAX_DETAILS } from '../journal/details.ts';
import type { Change } from '../journal/feed/change.ts';
import { compileMatch, type MatchRow } from '../search/match-row.ts';
import { toSearchQuery } from '../search/parameters.ts';
import type { SearchQuery } from '../search/search.ts';
import type { StoredMonitor } from './store.ts';

/** The changes that a monitor can report. Those of a saved search can also be that a company begins or ceases to match. */
export const monitorTypes = ['added', 'changed', 'delisted', 'relisted', 'entered', 'left'] as const;
export type MonitorType = (typeof monitorTypes)[number];

/** A change as a monitor reports it. */
export interface MonitorChange extends Omit<Change, 'type'> {
  readonly type: Change['type'] | MonitorType;
}

/** The fields whose changes can be reported alone. `address` is the city, and everything in `registry.address`. */
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

/** The most companies that a list has, and that a saved search may match when it is created. */
export const MAX_ENTITIES = 10_000;

/** What counts as a change. */
export interface Scope {
  readonly types: readonly MonitorType[];
  /** Of changes of the type `changed`, only those of one of these fields count. Null: any. */
  readonly fields: readonly MonitorField[] | null;
}

/** A monitor as the pass needs it. */
export interface Watching extends Scope {
  /** Null if it is a list of companies. */
  readonly search: SavedSearch | null;
  /** Changes of this import and of earlier ones are not reported. */
  readonly since: number;
}

export function readScope({ types, fields }: Pick<StoredMonitor, 'types' | 'fields'>): Scope {
  return { types: JSON.parse(types), fields: fields === null ? null : JSON.parse(fields) };
}

export interface SavedSearch {
  readonly query: SearchQuery;
  readonly matches: MatchRow;
}

export function readSearch({ search }: Pick<StoredMonitor, 'search'>): SavedSearch | null {
  if (search === null) return null;
  const query = toSearchQuery(JSON.parse(search));
  return { query, matches: compileMatch(query) };
}

/** Whether a monitor reports the change as one of this type. Without `change`, every change of its fields counts. */
export function counts({ types, fields }: Scope, type: MonitorType, change: Compared | undefined): boolean {
  if (!types.includes(type)) return false;
  if (type !== 'changed' || fields === null || change === undefined) return true;
  return fields.some((field) => hasChanged(field, change));
}

type Compared = Pick<Change, 'fields' | 'details'>;

function hasChanged(field: MonitorField, change: Compared): boolean {
  return field === 'address' ? hasMoved(change) : change.fields.includes(field);
}

/** If the journal does not have all details, a change of `registry` counts: reporting too much is better than missing something. */
function hasMoved(change: Compared): boolean {
  if (change.fields.includes('city')) return true;
  if (!change.fields.includes('registry')) return false;
  const { details } = change;
  if (details === null || details.length >= MAX_DETAILS) return true;
  return details.some(({ field }) => field === 'registry.address' || field.startsWith('registry.address.'));
}
