import type { Db, Queries } from '../../base/db/db.ts';
import { fail } from '../../base/errors.ts';
import { parseVersion } from '../../base/version.ts';
import type { ChangedDetail } from '../../registry/journal/details.ts';
import { createLogReader, splitPage } from '../log.ts';
import { cursorsOf, invalidCursor, isLater, type Place, parseCursor, parseStart, writeCursor } from './cursor.ts';
import * as store from './store.ts';

export const changeTypes = ['added', 'changed', 'delisted', 'relisted', 'loaded'] as const;
type ChangeType = (typeof changeTypes)[number];

export interface Change {
  readonly cursor: string;
  readonly type: ChangeType;
  readonly occurredAt: string;
  readonly entityId: string | null;
  readonly countryCode: string;
  readonly register: string;
  readonly fields: readonly string[];
  readonly before: ChangedValues | null;
  readonly after: ChangedValues | null;
  /** The changes of other fields. Null if they are not known, or if nothing else changed. */
  readonly details: readonly ChangedDetail[] | null;
}

export interface ChangedValues {
  readonly canonicalName: string;
  readonly status: string;
  readonly legalForm: string | null;
  readonly registeredAt: string | null;
}

export type ChangeFeed = ReturnType<typeof createChangeFeed>;

/** Reads the journal for clients: the changes since a cursor, and the history of one record. */
export function createChangeFeed(db: Db) {
  const findState = async () => describeState(await findEnds(db));
  return {
    ...createLogReader(async (request: PageRequest) => {
      const page = await readPage(db, request);
      return { page, newest: page.version };
    }, findState),
    findEnds: () => findEnds(db),
    /** Throws `cursor_expired` unless the journal contains all changes after the place. */
    async requirePlace(place: Place): Promise<void> {
      const { first } = requirePlaceIn(await store.findEntry(db, place.generation), place);
      if (place.seen < first) throw fail('cursor_expired');
    },
    readAt: (places: readonly Place[]) => readAt(db, places),
    /** The cursor before the first change since this time, epoch ms. If there is no such change, the end of the feed. */
    async findStart(since: number): Promise<string> {
      const first = await store.findFirstSince(db, since);
      return writeCursor(first === undefined ? (await findEnds(db)).end : startOf(first));
    },
    findHistory: (id: string, request: HistoryRequest) => findHistory(db, id, request),
  };
}

export interface PageRequest {
  /** The cursor of a page or the name of a snapshot. `now` is the end of the feed, undefined its start. */
  readonly cursor: string | undefined;
  readonly filter: store.ChangeFilter;
  readonly limit: number;
}

export interface ChangePage {
  readonly data: readonly Change[];
  readonly meta: {
    readonly nextCursor: string;
    /** Whether more changes may already exist. */
    readonly hasMore: boolean;
    readonly oldest: string;
  };
  /** Identifies the state of the journal that the page comes from. */
  readonly version: string;
}

/** The value of `cursor` for the current end of the feed. */
const NOW = 'now';

/** Bounds on the work for one page: examined changes, whether they pass the filter or not, and imports, with one statement each. */
const BOUNDS = { changes: 10_000, imports: 25 };
type PageBounds = typeof BOUNDS;
/** How often a page is tried again if pruning removes its first import meanwhile. */
const MAX_TRIES = 3;

/** Reads one page. Its work is bounded even if few changes pass the filter. */
export async function readPage(db: Queries, request: PageRequest, bounds = BOUNDS): Promise<ChangePage> {
  const { cursor } = request;
  const isGiven = cursor !== undefined && cursor !== NOW;
  for (let tries = 1; ; tries++) {
    const ends = await findEnds(db);
    const start = cursor === undefined ? ends.start : ends.end;
    const scan = await scanFrom(db, isGiven ? parseStart(cursor) : start, ends.end, request, bounds);
    if (scan !== undefined) {
      const { data, at, hasMore } = scan;
      const meta = { nextCursor: writeCursor(at), hasMore, oldest: writeCursor(ends.start) };
      return { data, meta, version: describeState(ends) };
    }
    if (isGiven || tries >= MAX_TRIES) throw fail('cursor_expired');
  }
}

/** The places before the first kept change and after the last change of the journal. */
async function findEnds(db: Queries) {
  const [oldest, newest = oldest] = await store.listEnds(db);
  if (oldest === undefined || newest === undefined) throw new Error('the journal is empty');
  return { start: startOf(oldest), end: placeIn(newest, newest.changes) };
}

/** Describes the state of the journal. A page contains the start of the journal, so the page changes with imports and with pruning. */
function describeState({ start, end }: Awaited<ReturnType<typeof findEnds>>): string {
  return `${writeCursor(start)}.${writeCursor(end)}`;
}

function placeIn({ generation, publishedAt }: store.JournalEntry, seen: number): Place {
  return { generation, publishedAt, seen };
}

function startOf(entry: store.JournalEntry): Place {
  return placeIn(entry, entry.first);
}

function requirePlaceIn(entry: store.JournalEntry | undefined, { generation, publishedAt, seen }: Place) {
  if (entry?.generation !== generation || entry.publishedAt !== publishedAt) throw fail('cursor_expired');
  if (seen !== Number.POSITIVE_INFINITY && seen > entry.changes) throw invalidCursor();
  return entry;
}

/** The changes after a place, and the place `at` up to which all were examined. Undefined if changes after the start are already pruned. */
async function scanFrom(db: Queries, start: Place, end: Place, { filter, limit }: PageRequest, bounds: PageBounds) {
  const data: Change[] = [];
  const entries = await store.listEntries(db, start.generation, filter, bounds.imports);
  let at = { ...start, seen: Math.min(start.seen, requirePlaceIn(entries[0], start).changes) };
  let examined = 0;
  for (const entry of entries) {
    const from = entry.generation === start.generation ? at.seen : 0;
    if (from < entry.first) return undefined;
    if (from === entry.changes) continue;
    if (data.length >= limit || examined >= bounds.changes) return { data, at, hasMore: true };
    const until = Math.min(entry.changes, from + bounds.changes - examined);
    const found = await store.listChanges(db, entry, { first: from, end: until }, filter, limit - data.length);
    if (found === undefined) return undefined;
    data.push(...toChanges(found, entry));
    const seen = data.length >= limit ? (found.at(-1)?.position ?? from) + 1 : until;
    examined += seen - from;
    at = placeIn(entry, seen);
    if (seen < entry.changes) return { data, at, hasMore: true };
  }
  const hasMore = entries.length === bounds.imports;
  // The imports after the last one have no changes that pass the filter.
  return { data, at: !hasMore && isLater(end, at) ? end : at, hasMore };
}

function toChanges(stored: readonly store.StoredChange[], entry: Omit<Place, 'seen'>): Change[] {
  const writeSeen = cursorsOf(entry);
  const occurredAt = new Date(entry.publishedAt).toISOString();
  return stored.map((change) => ({
    cursor: writeSeen(change.position + 1),
    type: change.type as ChangeType,
    occurredAt,
    entityId: change.entityId,
    countryCode: change.countryCode,
    register: change.register,
    fields: JSON.parse(change.fields),
    before: toValues(change.nameBefore, change.statusBefore, change.legalFormBefore, change.registeredBefore),
    after: toValues(change.nameAfter, change.statusAfter, change.legalFormAfter, change.registeredAfter),
    details: change.details === null ? null : JSON.parse(change.details),
  }));
}

/** Returns null if there was no entity: every entity has a name and a status. */
function toValues(
  canonicalName: string | null,
  status: string | null,
  legalForm: string | null,
  registeredAt: string | null,
): ChangedValues | null {
  return canonicalName === null || status === null ? null : { canonicalName, status, legalForm, registeredAt };
}

/** The changes that end at these places, in their order. Undefined for places that the journal no longer contains. */
async function readAt(db: Queries, places: readonly Place[]): Promise<(Change | undefined)[]> {
  const found = new Map<string, Change>();
  for (const [generation, own] of Map.groupBy(places, (each) => each.generation)) {
    const entry = await store.findEntry(db, generation);
    if (entry === undefined) continue;
    const positions = new Set(own.map(({ seen }) => seen - 1));
    const stored = await store.listChangesAt(db, entry.batch, [...positions]);
    for (const change of toChanges(stored, entry)) found.set(change.cursor, change);
  }
  return places.map((place) => found.get(writeCursor(place)));
}

interface HistoryRequest {
  /** Only changes before the change with this cursor. */
  readonly cursor?: string | undefined;
  /** Only changes that this version of the data contains. */
  readonly upTo?: string;
  readonly limit: number;
}

export interface PastChange {
  readonly change: Change;
  /** Name of the file that the change was imported from; if there were several files, the first. */
  readonly file: string | null;
}

/** Changes of one entity, the newest first. Undefined if there is no such entity. */
async function findHistory(db: Queries, id: string, { cursor, upTo, limit }: HistoryRequest) {
  const ends = await findEnds(db);
  const latest = upTo === undefined ? ends.end : parseVersion(upTo);
  const place = cursor === undefined ? undefined : parseCursor(cursor);
  if (place && requirePlaceIn(await store.findEntry(db, place.generation), place).first > 0)
    throw fail('cursor_expired');
  const before = place ?? { generation: latest.generation + 1, seen: 1 };
  const found = await store.listEntityChanges(db, id, before, limit + 1);
  if (found.length === 0 && !(await store.hasEntity(db, id))) return undefined;
  const { data: stored, hasMore } = splitPage(found, limit);
  const data = stored.flatMap((each): PastChange[] =>
    toChanges([each], each).map((change) => ({ change, file: each.file })),
  );
  const nextCursor = hasMore ? (data.at(-1)?.change.cursor ?? null) : null;
  return { data, meta: { nextCursor, hasMore, oldest: writeCursor(ends.start) }, version: describeState(ends) };
}
