import type { Register } from '../registers/contract.ts';
import type { StoredPart } from './imports/store.ts';
import { type RowRange, readOrigins } from './origins.ts';
import type { StoredEntity } from './store.ts';

/** Where a record comes from: the files with its current content. `file`, `hash` and `row` name the main one. */
export interface Provenance {
  readonly register: string;
  readonly publisher: string;
  readonly file: string;
  readonly hash: string;
  readonly row: number;
  readonly asOf: string | null;
  readonly importedAt: string;
  readonly sourceUrl: string;
  readonly licence: string;
  /** Whether the company is invented. */
  readonly synthetic: boolean;
  /** Null for records of a release that did not record them. */
  readonly files: readonly ProvenanceFile[] | null;
}

interface ProvenanceFile {
  readonly file: string;
  readonly hash: string;
  /** Name of the archive entry or sheet; null for the file itself. */
  readonly entry: string | null;
  readonly table: string;
  /** Empty for a code table. */
  readonly rows: readonly RowRange[];
}

/** What a register says about itself in the provenance of its records. */
export type Publication = Pick<Register, 'id' | 'publisher' | 'sourceUrl' | 'licence'>;

type OriginColumns = Pick<
  StoredEntity,
  'place' | 'origins' | 'fileId' | 'fileName' | 'fileHash' | 'fileImportedAt' | 'fileSynthetic' | 'fileAsOf'
>;

/**
 * A synthetic record must not look like an official one, so publisher and licence say that it is synthetic. Null if the
 * file is no longer known: incomplete provenance would be misleading.
 */
export function describeProvenance(
  register: Publication,
  origin: OriginColumns,
  parts: readonly StoredPart[],
): Provenance | null {
  const { fileName, fileHash, fileImportedAt, fileSynthetic, fileAsOf, place } = origin;
  if (fileName === null || fileHash === null || fileImportedAt === null) return null;
  const sources = listSources(origin, parts);
  const synthetic = fileSynthetic === 1 || sources.some(({ part }) => part.synthetic === 1);
  return {
    register: register.id,
    publisher: synthetic ? 'Firmament (synthetic sample, invented companies)' : register.publisher,
    file: fileName,
    hash: fileHash,
    row: place,
    asOf: fileAsOf,
    importedAt: new Date(fileImportedAt).toISOString(),
    sourceUrl: register.sourceUrl,
    licence: synthetic ? 'Synthetic sample in the format of the register; not its data' : register.licence,
    synthetic,
    files: sources.length === 0 ? null : sources.map(describeFile),
  };
}

interface Source {
  readonly part: StoredPart;
  readonly rows: readonly RowRange[];
}

/** The parts that the record has rows of, the main one first, and the code tables. */
function listSources({ origins, fileId, place }: OriginColumns, parts: readonly StoredPart[]): Source[] {
  const rows =
    origins === null
      ? [{ part: findMainPart(parts, fileId), rows: [{ first: place, last: place }] }]
      : readOrigins(origins);
  const codes = parts.filter(({ content }) => content === 'codes').map((part) => ({ part, rows: [] }));
  return [
    ...rows.flatMap(({ part: number, rows }) => {
      const part = parts[number];
      return part === undefined ? [] : [{ part, rows }];
    }),
    ...codes,
  ];
}

function findMainPart(parts: readonly StoredPart[], fileId: number): number {
  return parts.findIndex((part) => part.fileId === fileId && part.content === 'records');
}

function describeFile({ part: { file, hash, entry, table }, rows }: Source): ProvenanceFile {
  return { file, hash, entry, table, rows };
}
