import type { Queries } from '../../base/db/db.ts';
import { sourceNames, storedNames } from '../../base/entity-summary.ts';
import type { Json } from '../../base/source-files.ts';
import { listSuppressed } from '../../registry/parties/store.ts';
import type { StoredPart } from '../../registry/records/imports/store.ts';
import { createRecordFinder, parseOrigins, type RowRange, type SourceFile } from '../../registry/records/records.ts';
import { ANY_LENGTH, createEntityFinder, type StoredEntity } from '../../registry/records/store.ts';
import type { SuppressedParty } from '../../registry/records/withholding.ts';

/** What the store has about a record: its content, and the rows of files that the record was read from. */
export interface Claim {
  readonly id: string;
  readonly register: string;
  readonly name: string;
  readonly isDelisted: boolean;
  /** The file with the main row. Undefined if the store no longer knows the file. */
  readonly file: SourceFile | undefined;
  readonly row: number;
  /** Parties that were left out at somebody's request. */
  readonly suppressed: readonly SuppressedParty[];
  /** The parts with rows of the record, the main part first, and the code tables. */
  readonly parts: readonly ClaimedPart[];
  readonly sourceData: Json;
  /** The normalized fields that depend only on the source. */
  readonly fields: { readonly [name: string]: Json };
}

export interface ClaimedPart extends Omit<StoredPart, 'fileId'> {
  readonly number: number;
  /** The ranges in order. Empty for a code table, which all records share. */
  readonly rows: readonly RowRange[];
}

/** `id` is in lower case. Null if there is no such record. */
export async function findClaim(db: Queries, id: string): Promise<Claim | null> {
  const findRecords = createRecordFinder(new Map(), createEntityFinder(ANY_LENGTH));
  const [record] = (await findRecords(db, [id])).records;
  if (record === undefined) return null;
  const { entity, file, layout } = record;
  const summary = Object.fromEntries(storedNames.map((name, index) => [name, entity.summary[index] ?? null]));
  const { status, ...others } = Object.fromEntries(sourceNames.map((name) => [name, summary[name] ?? null]));
  const isDelisted = status === 'delisted';
  return {
    id,
    register: entity.register,
    name: String(summary.canonicalName),
    isDelisted,
    file,
    row: entity.place,
    suppressed: await listSuppressed(db, { entityId: id }),
    parts: file === undefined ? [] : listParts(entity, file),
    // A tree has no layout.
    sourceData: JSON.parse(layout?.write(entity.sourceData) ?? entity.sourceData),
    fields: {
      ...others,
      // "delisted" means that a later file lacks the company, so this status does not come from this file.
      ...(!isDelisted && { status: status as Json }),
      registrations: JSON.parse(entity.registrations),
      registry: JSON.parse(entity.registry),
    },
  };
}

function listParts({ place, origins }: StoredEntity, file: SourceFile): ClaimedPart[] {
  const mainRow = [{ first: place, last: place }];
  const mainPart = file.parts.findIndex(({ fileId, content }) => fileId === file.id && content === 'records');
  const rows = new Map(
    origins === null ? [[mainPart, mainRow]] : parseOrigins(origins).map(({ part, rows }) => [part, rows]),
  );
  const claimed = file.parts.flatMap((part, number): ClaimedPart[] => {
    const ranges = part.content === 'codes' ? [] : rows.get(number);
    return ranges === undefined ? [] : [{ ...part, number, rows: ranges }];
  });
  const [main] = rows.keys();
  return claimed.sort((one, other) => Number(other.number === main) - Number(one.number === main));
}

export function isSynthetic({ file, parts }: Claim): boolean {
  return file?.synthetic === 1 || parts.some(({ synthetic }) => synthetic === 1);
}
