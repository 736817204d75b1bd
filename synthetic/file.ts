import type { CsvDialect, Encoding, Json } from '../src/base/source-files.ts';

/** A file that `firmament generate` writes: invented companies in the real format of a register. */
export interface SyntheticFile {
  /** The name that the register uses, such as `register.csv` or `BasicCompanyDataAsOneFile-2026-09-01.zip`. */
  readonly name: string;
  readonly packing: 'none' | 'zip' | 'gzip';
  readonly content: SyntheticCsv | SyntheticJson | SyntheticXml | SyntheticWorkbook | SyntheticArchive;
}

export interface SyntheticCsv {
  readonly type: 'csv';
  readonly dialect: CsvDialect;
  readonly bom: boolean;
  /** Which fields to quote: all, only where needed, or all except dates and empty fields (BE). */
  readonly quoting: 'all' | 'needed' | 'text';
  readonly lineEnd: '\n' | '\r\n';
  /** Empty if the file has no header. */
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
  /** The text before the first record (declaration and root element) and after the last. */
  readonly start: string;
  readonly end: string;
  readonly element: string;
  /** Records in the form in which XML is read: attributes as `@name`, mixed text as `#text`, repeated elements as arrays. */
  readonly values: Iterable<Json>;
}

/** Numbers become number cells. A date is its serial number. */
export interface SyntheticWorkbook {
  readonly type: 'xlsx';
  readonly sheets: readonly SyntheticSheet[];
}

export interface SyntheticSheet {
  readonly name: string;
  readonly rows: Iterable<readonly (string | number | null)[]>;
}

/** Several tables of a register in one zip file. */
interface SyntheticArchive {
  readonly type: 'archive';
  readonly files: readonly { readonly name: string; readonly content: SyntheticCsv }[];
}
