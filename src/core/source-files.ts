/**
 * What a source file looks like, as data: shared by the readers and writers in `formats/`, which know bytes, and the
 * registers, which know meaning.
 */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export type Encoding =
  | 'utf-8'
  | 'windows-1250'
  | 'windows-1252'
  | 'windows-1257'
  | 'windows-1251'
  | 'iso-8859-1'
  | 'utf-16le';

export interface CsvDialect {
  readonly delimiter: string;
  /** `null`: the file has no quoting at all, a quote is a letter like any other. */
  readonly quote: '"' | null;
  readonly encoding: Encoding;
  /** What the file is read in when its beginning cannot be `encoding`. */
  readonly fallback?: Encoding;
}

/** A file to be written by `firmament generate`: the real format of a register, filled with invented companies. */
export interface SyntheticFile {
  /** As the register names it, packing included: `register.csv`, `BasicCompanyDataAsOneFile-2026-09-01.zip`. */
  readonly name: string;
  readonly packing: 'none' | 'zip' | 'gzip';
  readonly content: SyntheticCsv | SyntheticJson | SyntheticXml | SyntheticWorkbook | SyntheticArchive;
}

export interface SyntheticCsv {
  readonly type: 'csv';
  readonly dialect: CsvDialect;
  readonly bom: boolean;
  /** Quote every field, only where it is needed, or all but dates and empty ones (BE). */
  readonly quoting: 'all' | 'needed' | 'text';
  readonly lineEnd: '\n' | '\r\n';
  /** Empty for a file without one. */
  readonly header: readonly string[];
  readonly rows: Iterable<readonly string[]>;
}

export interface SyntheticJson {
  readonly type: 'json';
  readonly layout: 'array' | 'lines';
  readonly values: Iterable<Json>;
}

export interface SyntheticXml {
  readonly type: 'xml';
  readonly encoding: Encoding;
  /** All that stands before the first record, declaration and root included, and behind the last. */
  readonly start: string;
  readonly end: string;
  readonly element: string;
  /** Records in the shape in which XML is read: attributes as `@name`, mixed text as `#text`, repetitions as arrays. */
  readonly values: Iterable<Json>;
}

/** A number is written as a number cell: a date is its serial. */
export interface SyntheticWorkbook {
  readonly type: 'xlsx';
  readonly sheets: readonly SyntheticSheet[];
}

export interface SyntheticSheet {
  readonly name: string;
  readonly rows: Iterable<readonly (string | number | null)[]>;
}

/** Several tables of one register in one zip. */
export interface SyntheticArchive {
  readonly type: 'archive';
  readonly files: readonly { readonly name: string; readonly content: SyntheticCsv }[];
}
