import type { CsvDialect, Json } from '../../base/source-files.ts';
import { readCsv } from '../../formats/csv.ts';
import { readJson } from '../../formats/json.ts';
import { type Batches, FormatError } from '../../formats/rows.ts';
import { watchForMark } from '../../formats/synthetic-mark.ts';
import { openPackage, type Package, type PackedFile } from '../../formats/unpack.ts';
import { readXml } from '../../formats/xml.ts';
import type { Register, TableSource, TreeSource } from '../../registers/contract.ts';
import type { Header } from './table.ts';

/** A part of an imported file (the file, an entry of an archive, a sheet) and the source it was recognized as. */
export type Part = TablePart | TreePart;

export interface TablePart {
  /** Path of the imported file. */
  readonly file: string;
  /** Name of the archive entry or sheet; of a plain file, its own name. */
  readonly entry: string;
  readonly source: TableSource<unknown>;
  /** How a CSV is written; null for a sheet. */
  readonly dialect: CsvDialect | null;
  readonly header: Header;
  /** Bytes to read, for the progress bar; 0 when unknown, as for a sheet. */
  readonly size: number;
  read(onBytes: OnBytes, watch?: Watch): Batches<readonly string[]>;
}

export interface TreePart {
  readonly file: string;
  readonly entry: string;
  readonly source: TreeSource<unknown>;
  readonly size: number;
  read(onBytes: OnBytes, watch?: Watch): Batches<Json>;
}

export type OnBytes = (count: number) => void;
/** What is noticed about a file, at the latest when it has been read. */
export interface Watch {
  /** The file is synthetic (`formats/synthetic-mark.ts`). */
  onSynthetic(): void;
  /** The file ends in the middle of this row. Readers of JSON and XML throw instead. */
  onCut(place: number): void;
}

/** The register cannot use this file. The message says what the file is instead, or what is missing. */
export class FileRefused extends FormatError {}

export function isTable(part: Part): part is TablePart {
  return 'header' in part;
}

/** A source with a `map` holds companies, one per row. Other tables are joined to those, have parties, or are code tables. */
export function hasRecords(part: Part): boolean {
  return part.source.map !== undefined && !hasParties(part);
}

export function hasParties({ source }: Part): boolean {
  return source.parties !== undefined;
}

export function createCsvPart(
  file: string,
  packed: PackedFile,
  table: Pick<TablePart, 'source' | 'header'> & { readonly dialect: CsvDialect },
): TablePart {
  const width = table.header.texts.length;
  const read = (onBytes: OnBytes, watch?: Watch) =>
    readCsv(watchForMark(packed.open(onBytes), watch?.onSynthetic), table.dialect, (place, cells) => {
      if (BLANK.test(cells.join(''))) return;
      if (cells.length < width || place > MAX_UNENDED_ROWS) watch?.onCut(place);
    });
  return { ...table, file, entry: packed.name, size: packed.size, read };
}

/**
 * A last row without a line end may have lost the end of its last cell. Publishers end every row, but a file that a person wrote may lack
 * the last line end, and such files are short.
 */
const MAX_UNENDED_ROWS = 1_000;

/** Spaces after the last row, or the character that ends a file on DOS. */
const BLANK = /^[\s\p{Cc}]*$/u;

export function createTreePart(file: string, packed: PackedFile, source: TreeSource<unknown>): TreePart {
  const read = (onBytes: OnBytes, watch?: Watch) =>
    readTree(watchForMark(packed.open(onBytes), watch?.onSynthetic), source);
  return { source, file, entry: packed.name, size: packed.size, read };
}

export function readTree(bytes: AsyncIterable<Uint8Array>, { format, required }: TreeSource<unknown>): Batches<Json> {
  return format.type === 'json' ? readJson(bytes, required) : readXml(bytes, format.element);
}

/** Reads a part that is not imported only to learn whether it is synthetic. */
export async function watchSkipped({ file, entry }: Part, onMark: () => void): Promise<void> {
  const { files, close } = await openPackage(file);
  try {
    const packed = files.find(({ name }) => name === entry);
    if (packed !== undefined) for await (const _chunk of watchForMark(packed.open(), onMark));
  } finally {
    await close();
  }
}

/** A part as plain data: it can be sent to a thread, which opens the file again without recognizing it again. */
export interface PartPlan {
  readonly file: string;
  readonly entry: string;
  /** Name of the source in the register. */
  readonly source: string;
  /** Null for a tree. */
  readonly table: { readonly dialect: CsvDialect; readonly header: Header } | null;
}

/** Undefined for a sheet: only files that are read as a stream can be planned. */
export function planPart(part: Part): PartPlan | undefined {
  const { file, entry, source } = part;
  if (!isTable(part)) return { file, entry, source: source.name, table: null };
  const { dialect, header } = part;
  return dialect === null ? undefined : { file, entry, source: source.name, table: { dialect, header } };
}

export interface OpenedParts {
  readonly parts: readonly Part[];
  close(): Promise<void>;
}

/** Opens planned parts again, in the same order. */
export async function openParts(plans: readonly PartPlan[], register: Register): Promise<OpenedParts> {
  const packages = new Map<string, Package>();
  for (const { file } of plans) if (!packages.has(file)) packages.set(file, await openPackage(file));
  const parts = plans.map((plan) => {
    const packed = packages.get(plan.file)?.files.find(({ name }) => name === plan.entry);
    const source = register.sources.find(({ name }) => name === plan.source);
    if (packed !== undefined && source?.kind === 'tree') return createTreePart(plan.file, packed, source);
    if (packed !== undefined && source?.kind === 'table' && plan.table !== null)
      return createCsvPart(plan.file, packed, { source, ...plan.table });
    throw new FormatError('the files changed during the import: run it again');
  });
  return {
    parts,
    async close() {
      for (const opened of packages.values()) await opened.close();
    },
  };
}
