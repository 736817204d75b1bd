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
import type { SetModes } from '../../base/party-modes.ts';
import { keepCompressed } from '../../base/system/compression.ts';
import { takeBreakIfDue } from '../../base/system/event-loop.ts';
import { limitRecord } from './limit.ts';
import { describeEntity, type EntityWriters, joinParts, type StoredRecord } from './records.ts';
import { type RowWindow, writeLongSource } from './source-data.ts';
import { findPiece, type LongText, longTexts, type StoredEntity } from './store.ts';

/** What a caller needs of a record. */
export type Want =
  /** The complete record. */
  | { readonly kind: 'body' }
  /** The part of the record that a page shows. */
  | { readonly kind: 'excerpt' }
  /** Some items of the list at a JSON Pointer. */
  | { readonly kind: 'list'; readonly pointer: string; readonly first: number; readonly count: number };

/** The reply of the API: `{"data": EntityDetail}` as JSON. A buffer has UTF-8. */
export type EntityBody = string | Buffer;

export interface RecordExcerpt extends Excerpt {
  /** EntityDetail as JSON; null if it is too long for a page. */
  readonly json: string | null;
  /** The size of EntityDetail as JSON, in characters. */
  readonly length: number;
}

/** The longest JSON that a page shows. */
const MAX_SHOWN_JSON = 24 * 1024;

export interface Contents {
  readonly body: EntityBody;
  readonly excerpt: RecordExcerpt;
  /** Undefined if the record has no such list. */
  readonly list: ListPage | undefined;
}

/** `text` is EntityDetail as JSON. */
export function selectContent<W extends Want>(text: string, want: W): Contents[W['kind']];
export function selectContent(text: string, want: Want): Contents[Want['kind']] {
  switch (want.kind) {
    case 'body':
      return `{"data":${text}}`;
    case 'excerpt':
      return { ...createExcerpt(text), json: text.length > MAX_SHOWN_JSON ? null : text, length: text.length };
    case 'list':
      return selectListPage(text, want.pointer, want.first, want.count);
  }
}

/** How a record is rendered. */
export interface Rendering {
  readonly writers: EntityWriters;
  /** Set if the record has more than these modes allow. */
  readonly limit: SetModes | undefined;
}

/** Undefined if the data has another version by now. */
export type LoadLongRecord = <W extends Want>(
  record: StoredRecord,
  version: string,
  rendering: Rendering,
  want: W,
) => Promise<{ readonly content: Contents[W['kind']] } | undefined>;

/** How many requests may wait for the record that is being read. Further requests would wait for seconds: their clients try again instead. */
const MAX_WAITING = 16;

/**
 * Reads records of which the finder left out long columns, one at a time. A record of 28 MB takes half a second, so columns are read in
 * pieces, and rows are written with breaks between them. The last record is kept: a user who pages through its lists causes one read.
 */
export function createLongRecordLoader(db: Reads): LoadLongRecord {
  let last: { readonly version: string; readonly record: StoredRecord; body?: Buffer } | undefined;
  let unfinished = 0;
  let line: Promise<unknown> = Promise.resolve();

  async function load(found: StoredRecord, version: string, limit: SetModes | undefined) {
    const { entity } = found;
    if (last?.record.entity.id === entity.id && last.version === version) return last;
    const texts = await loadLongTexts(db, entity, version);
    if (texts === undefined) return undefined;
    const record = { ...found, entity: { ...entity, ...texts } };
    last = { version, record: limit === undefined ? record : await limitRecord(record, limit) };
    return last;
  }

  async function loadNext(found: StoredRecord, version: string, { limit, writers }: Rendering, want: Want) {
    const loaded = await load(found, version, limit);
    if (loaded === undefined) return undefined;
    if (want.kind !== 'body') return { content: await selectPart(loaded.record, writers, want) };
    if (loaded.body === undefined) {
      const { texts } = await renderLong(loaded.record, writers);
      loaded.body = keepCompressed(await encode(['{"data":', ...texts, '}']));
    }
    return { content: loaded.body };
  }

  function read(...request: Parameters<typeof loadNext>) {
    if (unfinished > MAX_WAITING) return Promise.reject(fail('service_unavailable', { retryAfter: 1 }));
    unfinished++;
    const result = line.then(() => loadNext(...request)).finally(() => unfinished--);
    line = result.catch(() => undefined);
    return result;
  }
  return read as LoadLongRecord;
}

/** In bytes. SQLite copies the whole column to find a piece, which takes 10 ms for 18 MB. */
const PIECE = 4 * 1024 * 1024;

/** The columns that were left out. Undefined if the data has another version by now. */
async function loadLongTexts(
  db: Reads,
  entity: StoredEntity,
  version: string,
): Promise<Partial<Record<LongText, string>> | undefined> {
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

/** The text of a record in parts, because joining 14 MB takes 20 ms. */
async function renderLong(record: StoredRecord, writers: EntityWriters, window?: RowWindow) {
  const { entity, layout } = record;
  const tree = { pieces: [entity.sourceData], omitted: 0, totals: new Map<string, number>() };
  const source = layout === undefined ? tree : await writeLongSource(layout.columns, entity.sourceData, window);
  const parts = describeEntity(record, { ...writers, writeSourceData: () => CUT });
  const [start = '', middle = '', end = ''] = joinParts({ ...parts, registry: CUT }).split(CUT);
  return { texts: [start, parts.registry, middle, ...source.pieces, end], source };
}

/** A character that no JSON text contains. */
const CUT = '\0';

/** Only the rows that are shown are written, because nearly all of a long record is rows. */
async function selectPart(record: StoredRecord, writers: EntityWriters, want: Exclude<Want, { kind: 'body' }>) {
  if (want.kind === 'excerpt') {
    const { texts, source } = await renderLong(record, writers, { first: 0, count: MAX_ITEMS });
    const text = texts.join('');
    const { value, totals } = createExcerpt(text);
    const cut = [...source.totals].filter(([, total]) => total > MAX_ITEMS);
    const ofSource = cut.map(([name, total]) => [`/sourceData/${escapeSegment(name)}`, total]);
    return {
      value,
      totals: { ...totals, ...Object.fromEntries(ofSource) },
      json: null,
      length: text.length + source.omitted,
    };
  }
  const { pointer, first, count } = want;
  const [member, name = '', ...rest] = parsePointer(pointer);
  const isOfSource = member === 'sourceData';
  const window = isOfSource ? { first, count } : { first: 0, count: 0 };
  const { texts, source } = await renderLong(record, writers, window);
  const text = texts.join('');
  const total = isOfSource && rest.length === 0 ? source.totals.get(name) : undefined;
  if (total === undefined) return selectListPage(text, pointer, first, count);
  const page = selectListPage(text, pointer, 0, count);
  return page && { ...page, total };
}

/** The bytes of the texts, which together are too long to be joined in one turn. */
async function encode(texts: readonly string[]): Promise<Buffer> {
  const encoded: Buffer[] = [];
  for (const text of texts) {
    await takeBreakIfDue();
    encoded.push(Buffer.from(text));
  }
  return Buffer.concat(encoded);
}
