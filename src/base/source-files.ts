/** Source files as data: types that the readers in `formats/` share with the registers. */
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
  /** `null` if the file has no quoting: a quote is then an ordinary character. */
  readonly quote: '"' | null;
  readonly encoding: Encoding;
  /** For a file without delimiters: the width of each column in characters. Blanks at the end of a cell are padding. */
  readonly widths?: readonly number[];
  /** For a file in which a line is a row and all cells are quoted, but quotes inside a cell are not doubled. The header may be unquoted. */
  readonly quotesInside?: true;
  /** The encoding to use if the start of the file is not valid in `encoding`. */
  readonly fallback?: Encoding;
}
