import { basename } from 'node:path';
import type { CsvDialect, Json } from '../core/source-files.ts';
import { readCsv } from '../formats/csv.ts';
import { readJson } from '../formats/json.ts';
import { type Batches, FormatError } from '../formats/rows.ts';
import { describeUnexpected, HTML_PAGE } from '../formats/sniff.ts';
import { openPackage, type PackedFile } from '../formats/unpack.ts';
import { openWorkbook } from '../formats/xlsx.ts';
import { readXml } from '../formats/xml.ts';
import type { Register, TableSource, TreeSource } from '../registers/contract.ts';
import { describeLeftOut, explainMiss, findBroken, type Miss } from './miss.ts';
import { type Header, matchHeader, placeColumns } from './table.ts';

/** A part of a given file (a sheet, an archive's entry, the file itself) and the source of the register it is. */
export type Recognized = RecognizedTable | RecognizedTree;

export interface RecognizedTable {
  readonly file: string;
  readonly source: TableSource<unknown>;
  readonly kind: 'csv' | 'sheet';
  readonly header: Header;
  /** Bytes to read, for the progress bar; 0 when that is not known, as for a sheet. */
  readonly size: number;
  read(onBytes: (count: number) => void): Batches<readonly string[]>;
}

export interface RecognizedTree {
  readonly file: string;
  readonly source: TreeSource<unknown>;
  readonly size: number;
  read(onBytes: (count: number) => void): Batches<Json>;
}

export interface OpenedFile {
  readonly parts: readonly Recognized[];
  /** Entries of an archive, or sheets, that are nothing the register knows: a sentence for each. */
  readonly leftOut: readonly string[];
  close(): Promise<void>;
}

/** A file that is not what the register needs; the message says what it is instead, or what is missing. */
export class NotThisRegister extends FormatError {}

/** The header may stand below a title. */
const HEADER_WITHIN_ROWS = 10;

/** The first records of a tree end within this; an XML with other elements is not read to its end to find none. */
const TREE_WITHIN_BYTES = 16 * 1024 * 1024;

export async function recognizeFile(
  path: string,
  register: Register,
  others: readonly Register[],
): Promise<OpenedFile> {
  const { entries, close } = await openEntries(path);
  try {
    const parts: Recognized[] = [];
    const misses = new Map<string, Miss>();
    for (const { name, recognize } of entries) {
      const result = await recognize(register);
      if ('missing' in result) misses.set(name, result);
      else parts.push(result);
    }
    const file = basename(path);
    if (parts.length === 0) {
      const lookalike = await findLookalike(path, register, others);
      throw new NotThisRegister(explainMiss(file, register, [...misses.values()], lookalike));
    }
    const found = entries.map(({ name }) => name).filter((name) => !misses.has(name));
    const broken = findBroken(file, misses, found);
    if (broken !== undefined) throw new NotThisRegister(broken);
    return { parts, leftOut: describeLeftOut(file, misses), close };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Entry {
  readonly name: string;
  recognize(register: Register): Promise<Recognized | Miss>;
}

/** The files of an archive, the sheets of a workbook, or the file itself. */
async function openEntries(path: string): Promise<{ entries: readonly Entry[]; close(): Promise<void> }> {
  const opened = await openPackage(path);
  if (opened.kind !== 'xlsx') {
    const entries = opened.files.map((packed) => ({
      name: packed.name,
      recognize: (register: Register) => recognizePacked(path, packed, register),
    }));
    return { entries, close: opened.close };
  }
  await opened.close();
  const { sheets, close } = await openWorkbook(path);
  const entries = sheets.map((sheet) => ({
    name: `sheet "${sheet.name}"`,
    recognize: (register: Register) => recognizeSheet(path, sheet, register),
  }));
  return { entries, close };
}

async function recognizeSheet(
  file: string,
  sheet: { name: string; rows(): Batches<readonly string[]> },
  register: Register,
): Promise<Recognized | Miss> {
  const rows = await readFirst(sheet.rows());
  let nearest: Miss = { missing: [], looksLike: `a sheet "${sheet.name}" without a header it knows` };
  for (const source of register.sources) {
    if (source.kind !== 'table') continue;
    for (const { place, value } of rows) {
      const header = matchHeader(value, place, source);
      if (!Array.isArray(header)) return { file, source, kind: 'sheet', header, size: 0, read: () => sheet.rows() };
      if (header.length < source.required.length) nearest = { missing: header, source };
    }
  }
  return nearest;
}

async function recognizePacked(file: string, packed: PackedFile, register: Register): Promise<Recognized | Miss> {
  const start = await readStart(packed);
  const looksLike = describeUnexpected(start);
  if (looksLike === HTML_PAGE) return { missing: [], looksLike };
  const opening = /^\ufeff?\s*([[{<])/.exec(new TextDecoder('utf-8', { ignoreBOM: true }).decode(start))?.[1];
  const tree = opening === undefined ? null : opening === '<' ? 'xml' : 'json';
  let nearest: Miss = { missing: [], looksLike };
  for (const source of register.sources) {
    const result =
      source.kind === 'tree'
        ? source.format.type === tree
          ? await tryTree(file, packed, source)
          : undefined
        : source.csv !== undefined && tree === null
          ? await tryCsv(file, packed, source, start)
          : undefined;
    if (result === undefined) continue;
    if (!('missing' in result)) return result;
    const isNearer = result.error !== undefined || result.missing.length < (result.source?.required.length ?? 0);
    if (isNearer && (nearest.source === undefined || result.missing.length < nearest.missing.length))
      nearest = { ...result, looksLike };
  }
  return nearest;
}

async function tryCsv(
  file: string,
  packed: PackedFile,
  source: TableSource<unknown>,
  start: Uint8Array,
): Promise<Recognized | Miss> {
  const dialect = chooseEncoding(source.csv as NonNullable<typeof source.csv>, start);
  const read = (onBytes?: (count: number) => void) => readCsv(packed.open(onBytes), dialect);
  try {
    let nearest: Miss = { missing: source.required, source };
    const { headerless } = source;
    const isNamed = headerless?.fileName.test(packed.name) || headerless?.fileName.test(basename(file));
    if (headerless !== undefined && !isNamed) return nearest;
    const rows = await readFirst(read());
    if (headerless !== undefined) {
      const [first] = rows;
      if (first === undefined || !headerless.isRow(first.value)) return nearest;
      return { file, source, kind: 'csv', header: placeColumns(first.value, source), size: packed.size, read };
    }
    for (const { place, value } of rows) {
      const header = matchHeader(value, place, source);
      if (!Array.isArray(header)) return { file, source, kind: 'csv', header, size: packed.size, read };
      if (header.length < nearest.missing.length) nearest = { missing: header, source };
    }
    return nearest;
  } catch (error) {
    if (error instanceof FormatError) return { missing: [], source, error };
    throw error;
  }
}

function chooseEncoding(dialect: CsvDialect, start: Uint8Array): CsvDialect {
  if (dialect.fallback === undefined) return dialect;
  try {
    // As a stream: the beginning may end in the middle of a character.
    new TextDecoder(dialect.encoding, { fatal: true }).decode(start, { stream: true });
    return dialect;
  } catch {
    return { ...dialect, encoding: dialect.fallback };
  }
}

async function tryTree(file: string, packed: PackedFile, source: TreeSource<unknown>): Promise<Recognized | Miss> {
  const { format } = source;
  const readTree = (bytes: AsyncIterable<Uint8Array>) =>
    format.type === 'json' ? readJson(bytes, source.required) : readXml(bytes, format.element);
  const read = (onBytes?: (count: number) => void) => readTree(packed.open(onBytes));
  let isCut = false;
  async function* readBeginning() {
    let count = 0;
    for await (const chunk of packed.open()) {
      yield chunk;
      count += chunk.length;
      isCut = count > TREE_WITHIN_BYTES;
      if (isCut) return;
    }
  }
  try {
    const [first] = await readFirst(readTree(readBeginning()));
    const keys = typeof first?.value === 'object' && first.value !== null ? Object.keys(first.value) : [];
    const missing = source.required.filter((key) => !keys.includes(key));
    return first !== undefined && missing.length === 0
      ? { file, source, size: packed.size, read }
      : { missing: source.required, source };
  } catch (error) {
    if (error instanceof FormatError)
      return isCut ? { missing: source.required, source } : { missing: [], source, error };
    throw error;
  }
}

async function readFirst<T>(batches: Batches<T>) {
  for await (const batch of batches) if (batch.length > 0) return batch.slice(0, HEADER_WITHIN_ROWS);
  return [];
}

async function readStart(packed: PackedFile): Promise<Uint8Array> {
  for await (const chunk of packed.open()) if (chunk.length > 0) return chunk.subarray(0, 65_536);
  return new Uint8Array();
}

/** A register whose file this is, for the message. */
async function findLookalike(
  path: string,
  register: Register,
  others: readonly Register[],
): Promise<Register | undefined> {
  for (const other of others) {
    if (other.id === register.id) continue;
    try {
      await (await recognizeFile(path, other, [])).close();
      return other;
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
    }
  }
  return undefined;
}
