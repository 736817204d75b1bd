import type { Register } from '../../registers/contract.ts';
import type { StoredFile, StoredPart } from './imports/store.ts';

/**
 * Where a record comes from: the files with its current content. `file`, `hash` and `row` name the main file, `files` all
 * files with the rows. Only the rows differ between the records of a file, so all other texts are written once.
 */

/** The values of a register that the provenance of its records shows. */
export type Publication = Pick<Register, 'id' | 'publisher' | 'sourceUrl' | 'licence'>;

/** A file that records come from, and the parts of its import. */
export interface SourceFile extends StoredFile {
  /** The parts by number. */
  readonly parts: readonly StoredPart[];
}

/** Returns the provenance of a record as JSON. `place` is its row in the file; `origins` are as in `StoredEntity`. */
export type WriteProvenance = (place: number, origins: string | null) => string;

/** Whether only the operator knows where a file comes from: a file that was imported by hand must not be called the publisher's file. */
export function isSupplied({ synthetic, files }: { readonly synthetic?: unknown; readonly files?: unknown }): boolean {
  return synthetic !== true && Array.isArray(files) && files[0]?.url === null;
}

export function createProvenanceWriter(register: Publication, file: SourceFile): WriteProvenance {
  const { parts } = file;
  const frames = { official: writeFrame(register, file, false), synthetic: writeFrame(register, file, true) };
  const partTexts = parts.map(writePart);
  const codes = parts.filter(({ content }) => content === 'codes');
  const codeTexts = codes.map((part) => `${writePart(part)}[]}`);
  const hasSynthetic = file.synthetic === 1 || codes.some((part) => part.synthetic === 1);
  const mainPart = parts.findIndex((part) => part.fileId === file.id && part.content === 'records');

  return (place, origins) => {
    const mainRow = [{ part: mainPart, rows: [{ first: place, last: place }] }];
    // The parts that have rows of the record, with the main part first, and the code tables.
    const texts: string[] = [];
    let synthetic = hasSynthetic;
    for (const { part: number, rows: ranges } of origins === null ? mainRow : parseOrigins(origins)) {
      const part = parts[number];
      if (part === undefined) continue;
      synthetic ||= part.synthetic === 1;
      const rows = ranges.map(({ first, last }) => `{"first":${first},"last":${last}}`);
      texts.push(`${partTexts[number]}[${rows.join(',')}]}`);
    }
    texts.push(...codeTexts);
    const [start, end] = synthetic ? frames.synthetic : frames.official;
    return `${start}${place}${end}${texts.length === 0 ? 'null' : `[${texts.join(',')}]`}}`;
  };
}

/** A synthetic record must not look like an official record, so publisher and licence state that the record is synthetic. */
export const SYNTHETIC = {
  publisher: 'Firmament (synthetic sample, invented companies)',
  licence: 'Synthetic sample in the format of the register; not its data',
} as const;

/** Returns the texts before and after the number of the row. */
function writeFrame(
  register: Publication,
  file: StoredFile,
  synthetic: boolean,
): readonly [start: string, end: string] {
  const { name, hash, asOf, importedAt, url } = file;
  const start = { register: register.id, publisher: (synthetic ? SYNTHETIC : register).publisher, file: name, hash };
  const end = {
    asOf,
    importedAt: new Date(importedAt).toISOString(),
    sourceUrl: url ?? register.sourceUrl,
    licence: (synthetic ? SYNTHETIC : register).licence,
    synthetic,
  };
  return [`${JSON.stringify(start).slice(0, -1)},"row":`, `,${JSON.stringify(end).slice(1, -1)},"files":`];
}

/** The part of the text before the rows. The entry is the name of the archive entry or sheet; null for the file itself. */
function writePart({ file, hash, url, entry, table }: StoredPart): string {
  return `${JSON.stringify({ file, hash, url, entry, table }).slice(0, -1)},"rows":`;
}

export interface RowRange {
  readonly first: number;
  readonly last: number;
}

interface Origin {
  readonly part: number;
  readonly rows: readonly RowRange[];
}

/**
 * Reads the rows that a record was read from, the part with the main row first: `0:184467;3:20-31,40` is row 184467 of part 0 and rows 20 to 31
 * and 40 of part 3. Publishers write the rows of a company together, so a few ranges hold thousands of rows.
 */
export function parseOrigins(text: string): Origin[] {
  return text.split(';').map((origin) => {
    const [part = '', ranges = ''] = origin.split(':');
    return { part: Number(part), rows: ranges.split(',').map(parseRange) };
  });
}

function parseRange(text: string): RowRange {
  const [first, last = first] = text.split('-').map(Number) as [number, number?];
  return { first, last };
}
