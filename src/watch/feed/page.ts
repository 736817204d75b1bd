import type { Queries } from '../../base/db/db.ts';
import { type Failure, fail } from '../../base/errors.ts';
import { type Change, toChanges } from './change.ts';
import { type Cursor, invalidCursor, parseGeneration, parseStart, writeCursor } from './cursor.ts';
import { type ChangeFilter, findFirstSince, type JournalEntry, listChanges, listEnds, listEntries } from './store.ts';

export interface PageRequest {
  /** The cursor of a page or the name of a snapshot. `now` is the end of the feed, undefined its start. */
  readonly cursor: string | undefined;
  readonly filter: ChangeFilter;
  readonly limit: number;
}

/** One page of changes, the oldest first. */
export interface ChangePage {
  readonly data: readonly Change[];
  readonly meta: {
    readonly nextCursor: string;
    /** Whether more changes may already exist. */
    readonly hasMore: boolean;
    readonly oldest: string;
  };
  /** The version of the newest import. */
  readonly newest: string;
  /** Identifies the state of the journal that the page comes from. */
  readonly version: string;
}

/** The value of `cursor` for the current end of the feed. */
const NOW = 'now';

/** Bounds on the work for one page. */
export interface PageBounds {
  /** The number of examined changes, whether they pass the filter or not. */
  readonly changes: number;
  /** The number of imports whose changes are read, with one statement each. */
  readonly reads: number;
  /** The number of imports that are read or skipped. */
  readonly imports: number;
}

const BOUNDS: PageBounds = { changes: 10_000, reads: 50, imports: 1_000 };
/** How often a page is tried again if pruning removes its first import meanwhile. */
const MAX_TRIES = 3;

/** Reads one page. Its work is bounded even if few changes pass the filter. */
export async function readPage(db: Queries, request: PageRequest, bounds = BOUNDS): Promise<ChangePage> {
  for (let tries = 1; ; tries++) {
    const { oldest, newest } = await findEnds(db);
    const scan = await scanFrom(db, chooseStart(request.cursor, oldest, newest), request, bounds);
    if (scan !== undefined) {
      const meta = { nextCursor: writeCursor(scan.at), hasMore: scan.hasMore, oldest: writeStart(oldest) };
      return { data: scan.data, meta, newest: newest.version, version: describeState(oldest, newest) };
    }
    const isGiven = request.cursor !== undefined && request.cursor !== NOW;
    if (isGiven || tries >= MAX_TRIES) throw expired();
  }
}

interface Ends {
  readonly oldest: JournalEntry;
  readonly newest: JournalEntry;
}

export async function findEnds(db: Queries): Promise<Ends> {
  const [oldest, newest = oldest] = await listEnds(db);
  if (oldest === undefined || newest === undefined) throw new Error('the journal is empty');
  return { oldest, newest };
}

/** Describes the state of the journal. A page contains the start of the journal, so the page changes with imports and with pruning. */
export function describeState(oldest: JournalEntry, newest: JournalEntry): string {
  return `${newest.version}.${oldest.generation}.${oldest.first}`;
}

/** The cursor before the first kept change of an import. */
export function writeStart({ version, first }: JournalEntry): string {
  return writeCursor({ version, seen: first });
}

/** The cursor before the first change since this time, epoch ms. If there is no such change, the end of the feed. */
export async function findStart(db: Queries, since: number): Promise<string> {
  const first = await findFirstSince(db, since);
  if (first !== undefined) return writeStart(first);
  const { newest } = await findEnds(db);
  return writeCursor({ version: newest.version, seen: newest.changes });
}

export function expired(): Failure {
  return fail('cursor_expired');
}

function chooseStart(cursor: string | undefined, oldest: JournalEntry, newest: JournalEntry): Cursor {
  if (cursor === undefined) return { version: oldest.version, seen: oldest.first };
  if (cursor === NOW) return { version: newest.version, seen: newest.changes };
  return parseStart(cursor);
}

interface Scan {
  readonly data: readonly Change[];
  /** The position up to which all changes were examined. */
  readonly at: Cursor;
  readonly hasMore: boolean;
}

/** Most pages need one or two imports, and listing more than ten takes longer than reading the changes. */
const FIRST_LIST = 10;

/** Returns undefined if changes after the start are already pruned. */
async function scanFrom(
  db: Queries,
  start: Cursor,
  { filter, limit }: PageRequest,
  bounds: PageBounds,
): Promise<Scan | undefined> {
  const data: Change[] = [];
  let at = start;
  let changes = 0;
  let reads = 0;

  /** Reads changes of an import and moves `at`. Returns false if the journal no longer has it. */
  async function readImport(entry: JournalEntry, first: number): Promise<boolean> {
    const end = Math.min(entry.changes, first + bounds.changes - changes);
    const found = await listChanges(db, entry, { first, end }, filter, limit - data.length);
    if (found === undefined) return false;
    data.push(...toChanges(found, entry.generation, entry.publishedAt));
    // A full page ends with its last change; later changes were not examined.
    const seen = data.length >= limit ? (found.at(-1)?.position ?? first) + 1 : end;
    changes += seen - first;
    reads++;
    at = { version: entry.version, seen };
    return true;
  }

  let size = Math.min(FIRST_LIST, bounds.imports);
  for (let listed = 0; listed < bounds.imports; size = bounds.imports) {
    // Each list starts with the last import of the list before: if that import is gone, the imports after it may be gone too.
    const entries = await listEntries(db, parseGeneration(at.version), size);
    if (entries[0]?.version !== at.version) return undefined;
    if (at.seen === Number.POSITIVE_INFINITY) at = { version: at.version, seen: entries[0].changes };
    if (at.seen > entries[0].changes) throw invalidCursor();
    for (const entry of entries) {
      const seen = entry === entries[0] ? at.seen : 0;
      if (seen < entry.first) return undefined;
      if (seen < entry.changes && canPass(entry, filter)) {
        if (data.length >= limit || changes >= bounds.changes || reads >= bounds.reads)
          return { data, at, hasMore: true };
        if (!(await readImport(entry, seen))) return undefined;
        if (at.seen < entry.changes) return { data, at, hasMore: true };
      }
      at = { version: entry.version, seen: entry.changes };
    }
    if (entries.length < size) return { data, at, hasMore: false };
    listed += size;
  }
  return { data, at, hasMore: true };
}

function canPass({ register, loaded, mixed }: JournalEntry, filter: ChangeFilter): boolean {
  if (mixed === 1) return true;
  if (filter.register !== null && filter.register !== register) return false;
  return filter.type === null || (filter.type === 'loaded') === (loaded === 1);
}
