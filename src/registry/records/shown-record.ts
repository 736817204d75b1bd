import type { Reads } from '../../base/db/db.ts';
import { fail } from '../../base/errors.ts';
import {
  createExcerpt,
  type Excerpt,
  escapeSegment,
  type ListPage,
  MAX_ITEMS,
  parsePointer,
  selectListPage,
} from '../../base/json/json-excerpt.ts';
import { keepCompressed } from '../../base/system/compression.ts';
import { takeBreakIfDue } from '../../base/system/event-loop.ts';
import { createWorkQueue } from '../../base/system/turns.ts';
import { describeEntity, joinParts, type StoredRecord } from './records.ts';
import { type RowWindow, type WrittenSource, writeLongSource } from './source-data.ts';
import { findPiece, type LongText, longTexts, type StoredEntity } from './store.ts';
import { type FindWithholding, limitRecord } from './withholding.ts';

export interface Wanted<T> {
  /** The rows that are written of a record that is too long to be written in one turn. Nearly all of it is rows. Default: all. */
  readonly window?: RowWindow;
  /** Takes EntityDetail as JSON, which is in several parts if the record is long. */
  select(texts: readonly string[], source?: Rows): T | Promise<T>;
}

type Rows = Omit<WrittenSource, 'pieces'>;

/** Of a record that is written in one turn: no row is left out. */
const ALL_ROWS: Rows = { omitted: 0, totals: new Map() };

export type EntityBody = string | Buffer;

export const wholeRecord: Wanted<EntityBody> = {
  select: (texts) => (texts.length === 1 ? `{"data":${texts[0]}}` : encode(['{"data":', ...texts, '}'])),
};

export interface RecordExcerpt extends Excerpt {
  /** EntityDetail as JSON; null if it is too long for a page. */
  readonly json: string | null;
  readonly length: number;
}

const MAX_SHOWN_JSON = 24 * 1024;

export const recordExcerpt = {
  window: { first: 0, count: MAX_ITEMS },
  select(texts: readonly string[], source = ALL_ROWS): RecordExcerpt {
    const text = texts.join('');
    const { value, totals } = createExcerpt(text);
    const cut = [...source.totals].filter(([, total]) => total > MAX_ITEMS);
    const ofSource = cut.map(([name, total]) => [`/sourceData/${escapeSegment(name)}`, total]);
    const length = text.length + source.omitted;
    const json = length > MAX_SHOWN_JSON ? null : text;
    return { value, totals: { ...totals, ...Object.fromEntries(ofSource) }, json, length };
  },
} satisfies Wanted<RecordExcerpt>;

/** Some items of the list at a JSON Pointer. Undefined if the record has no such list. */
export function itemsOf(pointer: string, first: number, count: number): Wanted<ListPage | undefined> {
  const [member, name = '', ...rest] = parsePointer(pointer);
  const isOfSource = member === 'sourceData';
  return {
    window: isOfSource ? { first, count } : { first: 0, count: 0 },
    select(texts, { totals } = ALL_ROWS) {
      const text = texts.join('');
      const total = isOfSource && rest.length === 0 ? totals.get(name) : undefined;
      if (total === undefined) return selectListPage(text, pointer, first, count);
      const page = selectListPage(text, pointer, 0, count);
      return page && { ...page, total };
    },
  };
}

/** How many requests may wait for the record that is being read. Further requests would wait for seconds: their clients try again instead. */
const MAX_WAITING = 16;

/**
 * Reads records of which the finder left out long columns, one at a time. A record of 28 MB takes half a second, so columns are read in
 * pieces, and rows are written with breaks between them. The last record is kept: a user who pages through its lists causes one read.
 */
export function createLongRecordLoader(db: Reads, findWithholding: FindWithholding) {
  let last:
    | { readonly version: string; readonly record: StoredRecord; readonly known: WeakMap<object, unknown> }
    | undefined;
  let unfinished = 0;
  const inTurn = createWorkQueue();

  async function loadNext<T>(found: StoredRecord, version: string, wanted: Wanted<T>) {
    const { entity } = found;
    if (last?.record.entity.id !== entity.id || last.version !== version) {
      const texts = await loadLongTexts(db, entity, version);
      if (texts === undefined) return undefined;
      const record = { ...found, entity: { ...entity, ...texts } };
      last = { version, record: await limitRecord(record, findWithholding), known: new WeakMap() };
    }
    const { record, known } = last;
    const content = (known.get(wanted) as T | undefined) ?? (await selectLong(record, wanted));
    known.set(wanted, content);
    return { version, content };
  }

  /** Undefined if the data has another version by now. */
  return <T>(...request: Parameters<typeof loadNext<T>>): ReturnType<typeof loadNext<T>> => {
    if (unfinished > MAX_WAITING) throw fail('service_unavailable', { retryAfter: 1 });
    unfinished++;
    return inTurn(() => loadNext(...request)).finally(() => unfinished--);
  };
}

/** In bytes. SQLite copies the whole column to find a piece, which takes 10 ms for 18 MB. */
const PIECE = 4 * 1024 * 1024;

/** The columns that were left out. Undefined if the data has another version by now. */
async function loadLongTexts(db: Reads, entity: StoredEntity, version: string) {
  const texts: Partial<Record<LongText, string>> = {};
  for (const name of longTexts) {
    if (entity[name] !== '') continue;
    const decoder = new TextDecoder();
    let text = '';
    for (let first = 1, isRead = false; !isRead; first += PIECE) {
      await takeBreakIfDue();
      const found = await findPiece(db, entity.id, name, first, PIECE);
      if (found.version !== version) return undefined;
      isRead = found.piece.length < PIECE;
      text += decoder.decode(found.piece, { stream: !isRead });
    }
    texts[name] = text;
  }
  return texts;
}

/** The text of a long record is written in parts, because joining 14 MB takes 20 ms. */
async function selectLong<T>(record: StoredRecord, wanted: Wanted<T>): Promise<T> {
  const { entity, layout } = record;
  const tree = { pieces: [entity.sourceData], ...ALL_ROWS };
  const source = layout === undefined ? tree : await writeLongSource(layout.columns, entity.sourceData, wanted.window);
  const parts = describeEntity({ ...record, layout: undefined, entity: { ...entity, sourceData: CUT } });
  const [start = '', middle = '', end = ''] = joinParts({ ...parts, registry: CUT }).split(CUT);
  return wanted.select([start, parts.registry, middle, ...source.pieces, end], source);
}

/** A character that no JSON text contains. */
const CUT = '\0';

/** The bytes of the texts, which together are too long to be joined in one turn. */
async function encode(texts: readonly string[]): Promise<Buffer> {
  const encoded: Buffer[] = [];
  for (const text of texts) {
    await takeBreakIfDue();
    encoded.push(Buffer.from(text));
  }
  return keepCompressed(Buffer.concat(encoded));
}
