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
  /** Of a file whose lines are not delimited: how many characters each column has. Blanks at the end of a cell fill it up. */
  readonly widths?: readonly number[];
  /** Of a file in which a line is a row and all its cells are quoted, but quotes inside of them are not doubled. Its header may have no quotes. */
  readonly quotesInside?: true;
  /** The encoding to use if the start of the file is not valid in `encoding`. */
  readonly fallback?: Encoding;
}
