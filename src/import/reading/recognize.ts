import { basename, extname } from 'node:path';
import { Readable } from 'node:stream';
import type { CsvDialect } from '../../base/source-files.ts';
import { readCsv } from '../../formats/csv.ts';
import { detectBom } from '../../formats/decode.ts';
import { findOtherEncoding, findWide } from '../../formats/encodings.ts';
import { addFileName, type Batches, FormatError } from '../../formats/rows.ts';
import { describeUnexpected, HTML_PAGE } from '../../formats/sniff.ts';
import { openPackage, type PackedFile } from '../../formats/unpack.ts';
import { openWorkbook } from '../../formats/xlsx.ts';
import { findEncoding } from '../../formats/xml.ts';
import {
  canBeFirstRow,
  type Register,
  type Source,
  type TableSource,
  type TreeSource,
} from '../../registers/contract.ts';
import {
  createCsvPart,
  createTreePart,
  FileRefused,
  type Header,
  matchHeader,
  numberColumns,
  type Part,
  readTree,
  type TablePart,
} from './part.ts';

export interface OpenedFile {
  readonly parts: readonly Part[];
  /** Archive entries and sheets that the register does not know: one sentence for each. */
  readonly skipped: readonly string[];
  close(): Promise<void>;
}

/**
 * Opens a file and finds out, by headers and keys, which sources of the register its parts are. Throws when no part is a source, or when a
 * part is damaged. The error names the first of the `others` that the file belongs to.
 */
export async function recognizeFile(
  path: string,
  register: Register,
  others: readonly Register[] = [],
): Promise<OpenedFile> {
  const file = basename(path);
  const { entries, close } = await openEntries(path, register);
  try {
    const parts: Part[] = [];
    const mismatches = new Map<string, Mismatch>();
    for (const { name, match } of entries) {
      const result = await match();
      if ('missing' in result) mismatches.set(name, result);
      else if (result.source.refusal === undefined) parts.push(result);
      else throw new FileRefused(`${file}: ${result.source.refusal}`);
    }
    if (parts.length === 0) {
      const owner = await findOwner(path, others);
      throw new FileRefused(describeMismatch(file, register, [...mismatches.values()], owner));
    }
    const broken = findBroken(file, mismatches, new Set(parts.map(({ entry }) => extname(entry))));
    if (broken !== undefined) throw new FileRefused(broken);
    return { parts, skipped: describeSkipped(file, mismatches), close };
  } catch (error) {
    await close();
    throw addFileName(error, file);
  }
}

/** Finds the register that a file belongs to. */
async function findOwner(path: string, registers: readonly Register[]): Promise<Register | undefined> {
  for (const register of registers) {
    try {
      const { close } = await recognizeFile(path, register);
      await close();
      return register;
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
    }
  }
  return undefined;
}

interface Entry {
  readonly name: string;
  match(): Promise<Part | Mismatch>;
}

/** The files of an archive, the sheets of a workbook, or the file itself. */
async function openEntries(
  path: string,
  register: Register,
): Promise<{ entries: readonly Entry[]; close(): Promise<void> }> {
  const { kind, files, close } = await openPackage(path);
  if (kind !== 'xlsx') {
    const entries = files.map((packed) => ({ name: packed.name, match: () => matchPacked(path, packed, register) }));
    return { entries, close };
  }
  await close();
  const workbook = await openWorkbook(path);
  const entries = workbook.sheets.map(({ name, rows }) => {
    const read: TablePart['read'] = (_onBytes, watch) => {
      if (workbook.isSynthetic) watch?.noteSynthetic(path);
      return rows();
    };
    const match = async () => {
      const found = matchSheet(name, await readFirstRows(rows()), register);
      return 'missing' in found ? found : { ...found, file: path, entry: name, dialect: null, size: 0, read };
    };
    return { name: `sheet "${name}"`, match };
  });
  return { entries, close: workbook.close };
}

type FirstRows = Awaited<ReturnType<typeof readFirstRows<readonly string[]>>>;

/** The header may be preceded by a title. */
const MAX_HEADER_ROW = 10;

/** Finds the source of the register that a sheet is. */
function matchSheet(
  name: string,
  rows: FirstRows,
  register: Register,
): Pick<TablePart, 'source' | 'header'> | Mismatch {
  const near: Mismatch[] = [];
  for (const source of register.sources) {
    if (source.kind !== 'table' || source.headerless !== undefined) continue;
    const header = findHeader(rows, source);
    if (!('missing' in header)) return { source, header };
    near.push(header);
  }
  return findNearest(near) ?? { missing: [], looksLike: `a sheet "${name}" without a known header` };
}

/** The header among the first rows of a table, or the columns that the most similar row lacks. */
function findHeader(rows: FirstRows, source: TableSource<unknown>): Header | Mismatch {
  let missing: readonly string[] = source.required;
  for (const { place, value } of rows) {
    const header = matchHeader(value, place, source);
    if (!Array.isArray(header)) return header;
    if (header.length < missing.length) missing = header;
  }
  return { missing, source };
}

/** The most similar source. A source without any matching column is not similar. */
function findNearest(mismatches: readonly Mismatch[]): Mismatch | undefined {
  return mismatches
    .filter(({ error, missing, source }) => error !== undefined || missing.length < (source?.required.length ?? 0))
    .sort((one, other) => one.missing.length - other.missing.length)[0];
}

/** Finds the source of the register that a file or archive entry is. */
async function matchPacked(file: string, packed: PackedFile, register: Register): Promise<Part | Mismatch> {
  const start = await readStart(packed);
  const looksLike = describeUnexpected(start);
  if (looksLike === HTML_PAGE) return { missing: [], looksLike };
  const wide = findWide(start);
  const syntax = detectSyntax(wide === null ? start : Buffer.from(new TextDecoder(wide).decode(start)));
  // Only a CSV file may be in UTF-16, if it has a byte order mark.
  if (wide !== null && (syntax !== 'csv' || detectBom(start) === null))
    return { missing: [], error: describeEncoding(`in ${wide}`, register, syntax) };
  const mismatches: Mismatch[] = [];
  for (const source of register.sources) {
    if (!isWrittenIn(source, syntax)) continue;
    const matched =
      source.kind === 'tree' ? await matchTree(file, packed, source) : await matchCsv(file, packed, source, start);
    const result = checkEncoding(matched, source, start, register);
    if (!('missing' in result)) return result;
    mismatches.push(result);
  }
  const nearest = findNearest(mismatches);
  // An error of a reader is more useful than "it is a JSON document".
  const isBroken = syntax !== 'csv' && nearest?.error !== undefined;
  return { missing: [], ...nearest, looksLike: isBroken ? null : looksLike };
}

/** Checks the encoding: text in another encoding may have the right header, and would be read as other letters. */
function checkEncoding(
  matched: Part | Mismatch,
  source: Source<unknown>,
  start: Uint8Array,
  register: Register,
): Part | Mismatch {
  const isOther = 'missing' in matched && matched.missing.length === source.required.length;
  if (isOther && matched.error === undefined) return matched;
  const isXml = source.kind === 'tree' && source.format.type === 'xml';
  const ofTable = source.kind === 'table' && source.csv !== undefined && chooseEncoding(source.csv, start).encoding;
  const declared = isXml ? findEncoding(start) : ofTable || 'utf-8';
  const actual = findOtherEncoding(start, detectBom(start) ?? declared, register.letters);
  if (actual === null) return matched;
  return { missing: [], source, error: describeEncoding(actual, register, detectSyntax(start), declared) };
}

function describeEncoding(actual: string, { sources }: Register, syntax: Syntax, declared?: string): FormatError {
  const encodings = sources
    .filter((source) => isWrittenIn(source, syntax))
    .flatMap((source) =>
      source.kind === 'tree' || !source.csv ? ['utf-8'] : [source.csv.encoding, source.csv.fallback],
    );
  const known = [...new Set(encodings)].filter((encoding) => encoding !== undefined);
  const isWide = known.some((encoding) => encoding.startsWith('utf-16') && actual === `in ${encoding}`);
  const expected = known.join(' or ') || 'utf-8';
  // Here the declaration of an XML file is wrong.
  const isDeclared = declared !== undefined && actual === `in ${expected}`;
  const wanted = isDeclared ? `the file declares ${declared}` : `this register publishes it in ${expected}`;
  const problem = isWide ? `${actual} without its byte order mark` : `${actual}, but ${wanted}`;
  return new FormatError(`the text is ${problem}: download the file again and import it unchanged`);
}

type Syntax = 'csv' | 'json' | 'xml';

function detectSyntax(start: Uint8Array): Syntax {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(start);
  const first = /^\ufeff?\s*([[{<])/.exec(text)?.[1];
  if (first === undefined) return 'csv';
  return first === '<' ? 'xml' : 'json';
}

function isWrittenIn(source: Source<unknown>, syntax: Syntax): boolean {
  return source.kind === 'tree' ? source.format.type === syntax : source.csv !== undefined && syntax === 'csv';
}

async function matchCsv(
  file: string,
  packed: PackedFile,
  source: TableSource<unknown>,
  start: Uint8Array,
): Promise<Part | Mismatch> {
  const { csv, headerless } = source;
  const fileName = headerless?.fileName ?? source.fileName;
  const hasName = fileName === undefined || fileName.test(packed.name) || fileName.test(basename(file));
  if (csv === undefined || !hasName) return { missing: source.required, source };
  const dialect = chooseEncoding(csv, start);
  try {
    const rows = await readFirstRows(readCsv(Readable.from([start]), dialect));
    if (headerless === undefined) {
      const header = findHeader(rows, source);
      return 'missing' in header ? header : createCsvPart(file, packed, { source, dialect, header });
    }
    const [first] = rows;
    if (first === undefined || !canBeFirstRow(headerless, first.value)) return { missing: source.required, source };
    return createCsvPart(file, packed, { source, dialect, header: numberColumns(first.value, source) });
  } catch (error) {
    if (error instanceof FormatError) return { missing: [], source, error };
    throw error;
  }
}

function chooseEncoding(dialect: CsvDialect, start: Uint8Array): CsvDialect {
  if (dialect.fallback === undefined) return dialect;
  try {
    // Decodes as a stream, because the start may end in the middle of a character.
    new TextDecoder(dialect.encoding, { fatal: true }).decode(start, { stream: true });
    return dialect;
  } catch {
    return { ...dialect, encoding: dialect.fallback };
  }
}

/** The first record must end within this many bytes, so that a large file without records is not read to its end. */
const MAX_BYTES_TO_FIRST_RECORD = 16 * 1024 * 1024;

async function matchTree(file: string, packed: PackedFile, source: TreeSource<unknown>): Promise<Part | Mismatch> {
  let count = 0;
  async function* readBytes() {
    for await (const chunk of packed.open()) {
      yield chunk;
      count += chunk.length;
      if (count > MAX_BYTES_TO_FIRST_RECORD) return;
    }
  }
  try {
    const [first] = await readFirstRows(readTree(readBytes(), source));
    const record = first?.value;
    const keys = typeof record === 'object' && record !== null ? Object.keys(record) : [];
    const missing = source.required.filter((key) => !keys.includes(key));
    return missing.length > 0 ? { missing, source } : createTreePart(file, packed, source);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    // An error after the cut does not show that the file is damaged.
    const isCut = count > MAX_BYTES_TO_FIRST_RECORD;
    return isCut ? { missing: source.required, source } : { missing: [], source, error };
  }
}

/** The rows that can be the header. */
async function readFirstRows<T>(batches: Batches<T>) {
  for await (const batch of batches) if (batch.length > 0) return batch.slice(0, MAX_HEADER_ROW);
  return [];
}

/** A sample of the text: some thousand rows. The header of a table is among them. */
const SAMPLE = 262_144;

async function readStart(packed: PackedFile): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of packed.open()) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= SAMPLE) break;
  }
  return Buffer.concat(chunks).subarray(0, SAMPLE);
}

/** Why a part of a file does not match any source of the register. */
interface Mismatch {
  /** The nearest source, if the part resembles one. */
  readonly source?: Source<unknown>;
  /** Required columns or keys of that source that were not found. */
  readonly missing: readonly string[];
  /** What the part is instead, such as "a PDF". */
  readonly looksLike?: string | null;
  readonly error?: FormatError;
}

/** The error message for a file in which nothing was recognized. */
function describeMismatch(
  file: string,
  register: Register,
  mismatches: readonly Mismatch[],
  owner: Register | undefined,
): string {
  const what = `${file} is not a file of the register "${register.id}" (${register.name})`;
  if (owner !== undefined)
    return `${what}: it looks like a file of "${owner.id}" (${owner.name}). Import it with: firmament import ${owner.id} ${file}`;
  const looksLike = mismatches.find((mismatch) => mismatch.looksLike)?.looksLike;
  const broken = mismatches.find((mismatch) => mismatch.error !== undefined)?.error;
  if (broken !== undefined && !looksLike) return (addFileName(broken, file) as Error).message;
  const partial = mismatches.find(({ source, missing }) => source !== undefined && missing.length > 0);
  if (partial?.source !== undefined) return describeMissing(file, partial.missing, partial.source);
  const expected = `Expected ${register.files.join(' or ')} from ${register.sourceUrl}`;
  const advice = looksLike === HTML_PAGE ? '. Open that page in a browser, download the file again and import it' : '';
  const found = looksLike ? `: it is ${looksLike}` : '';
  return `${what}${found}. ${expected}${advice}`;
}

/**
 * In an archive with recognized entries, finds the first entry that should have been recognized too, because otherwise companies would be
 * silently missing: an HTML page, a table with most of the main table's columns, or an unreadable entry with the extension of a recognized one.
 */
function findBroken(file: string, mismatches: ReadonlyMap<string, Mismatch>, extensions: ReadonlySet<string>) {
  for (const [entry, { missing, source, looksLike, error }] of mismatches) {
    const what = `${entry} in ${file}`;
    if (looksLike === HTML_PAGE) return `${what} is ${looksLike}, not data: download the file again`;
    if (looksLike) continue;
    if (error !== undefined && extensions.has(extname(entry))) return `${what}: ${error.message}`;
    const isNear = source?.map !== undefined && missing.length <= source.required.length / 2;
    if (error === undefined && isNear) return describeMissing(what, missing, source);
  }
  return undefined;
}

function describeSkipped(file: string, mismatches: ReadonlyMap<string, Mismatch>): string[] {
  return Array.from(mismatches, ([entry, { looksLike, error }]) => {
    const reason = looksLike ? `it is ${looksLike}` : (error?.message ?? 'the register does not know this file');
    return `${entry} in ${file} was skipped: ${reason}`;
  });
}

function describeMissing(what: string, missing: readonly string[], { kind }: Source<unknown>): string {
  const names = missing.map((name) => `"${name}"`).join(', ');
  return `${what} lacks the ${kind === 'tree' ? 'key' : 'column'} ${names}: import the complete, unmodified file`;
}
