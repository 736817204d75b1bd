import { type Excerpt, type ListPage, readExcerpt, readListPage } from '../core/json/json-excerpt.ts';
import type { SetModes } from '../core/party-modes.ts';
import type { Queries } from '../db/db.ts';
import { type EntityWriters, renderEntity } from './entity.ts';
import { limitEntity } from './limit.ts';
import { createProvenanceWriter, type Publication, type SourceFile } from './provenance.ts';
import type { StoredRecord } from './records.ts';
import { createSourceDataWriter } from './source-data.ts';
import { ANY_LENGTH, findEntities, type StoredEntity } from './store.ts';

/** What a caller needs of a record. */
export type Want =
  /** The complete record. */
  | { readonly kind: 'body' }
  /** The part of it that a page shows. */
  | { readonly kind: 'excerpt' }
  /** Some items of the list at a JSON Pointer. */
  | { readonly kind: 'list'; readonly pointer: string; readonly first: number; readonly count: number };

/** The reply of the API: `{"data": EntityDetail}` as JSON. Bytes are UTF-8. */
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
      return { ...readExcerpt(text), json: text.length > MAX_SHOWN_JSON ? null : text, length: text.length };
    case 'list':
      return readListPage(text, want.pointer, want.first, want.count);
  }
}

/** A record whose long columns are still to be read, with everything else that its text is made of. */
export interface LargeRecord {
  /** The version of the data in which it was found. */
  readonly version: string;
  readonly id: string;
  readonly related: StoredRecord['related'];
  readonly partyCounts: StoredEntity['partyCounts'];
  /** The column names of its source; undefined if it is a tree. */
  readonly columns: string | undefined;
  readonly register: Publication | undefined;
  readonly file: SourceFile | undefined;
  /** Set if the record has more than these modes allow. */
  readonly limit?: SetModes | undefined;
}

export interface ReadContent<T> {
  readonly version: string;
  readonly content: T;
}

/** Returns undefined if the record no longer exists. */
export type ReadLargeRecord = <W extends Want>(
  record: LargeRecord,
  want: W,
) => Promise<ReadContent<Contents[W['kind']]> | undefined>;

/**
 * Reads records with all their columns. This takes half a second for a company with 20,000 establishments, so the server
 * does it in a thread of its own (`record-thread.ts`). The text of the last record is kept: a user who pages through its
 * lists causes one read, and each page then takes a tenth of that time.
 */
export function createLargeRecordReader(db: Queries): ReadLargeRecord {
  let last = { id: '', version: '', text: '' };
  return async (record, want) => {
    const { id, version, related, partyCounts } = record;
    // A version of the data never changes, so neither does the record in it.
    if (last.id !== id || last.version !== version) {
      const found = await findEntities(db, [id], 1, ANY_LENGTH);
      const [entity] = found.entities;
      if (entity === undefined) return undefined;
      const shown = record.limit === undefined ? entity : await limitEntity(entity, record.columns, record.limit);
      last = {
        id,
        version: found.version,
        text: renderEntity({ entity: { ...shown, partyCounts }, related }, createWriters(record)),
      };
    }
    return { version: last.version, content: selectContent(last.text, want) };
  };
}

function createWriters({ columns, register, file }: LargeRecord): EntityWriters {
  return {
    writeSourceData: columns === undefined ? undefined : createSourceDataWriter(columns),
    writeProvenance: register && file && createProvenanceWriter(register, file),
  };
}
