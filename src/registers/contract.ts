/**
 * What a register is: a manifest (data) and one pure function that maps a source row to a record. A register knows its
 * country's file and nothing else: no database, no HTTP, no other register. The pipeline (`registry/import.ts`) opens,
 * unpacks and reads the files, finds out which of the register's sources each of them is, keeps every source field in
 * `sourceData`, checks the bounds and publishes.
 */
import type { CsvDialect, Json, SyntheticFile } from '../core/source-files.ts';

export type { Json, SyntheticFile } from '../core/source-files.ts';

/** Normalized status; the raw one stays in `registrations[].status`. */
export type EntityStatus =
  | 'active'
  | 'inactive'
  | 'in_liquidation'
  | 'insolvent'
  | 'dissolved'
  | 'delisted'
  | 'unknown';

/** A number under which an authority knows the entity. Dates are `YYYY-MM-DD`. */
export interface Registration {
  readonly authority: string;
  /** `national`, `vat`, `tax`, `lei`, `foreign` … */
  readonly type: string;
  readonly number: string;
  /** As the source writes it. */
  readonly status: string | null;
  readonly registeredAt: string | null;
  readonly endedAt: string | null;
}

/** `unlicensed` is the ordinary kind; only registers that tell licensed activities apart (MD) use the other. */
export interface Activity {
  readonly type: 'unlicensed' | 'licensed';
  readonly code: string | null;
  readonly label: string | null;
}

export interface MappedRecord {
  /** National registration number as written, leading zeros included; null when the row has none. */
  readonly number: string | null;
  /** ISO 3166-1 alpha-2, of a register that has no country of its own; the others leave it out. */
  readonly country?: string;
  readonly canonicalName: string;
  readonly status: EntityStatus;
  readonly legalForm: string | null;
  readonly registeredAt: string | null;
  readonly registrations: readonly Registration[];
  readonly activities: readonly Activity[];
  /** The same company in another register: it is found by the numbers of this record too. */
  readonly link?: Link;
  /** Typed, interpreted national fields, camelCase, documented in `docs/registers/<cc>.md`. Empty ones are left out. */
  readonly registry: Readonly<Record<string, Json>>;
}

export interface Link {
  /** Its `id`. */
  readonly register: string;
  /** As this register writes the number of the other. */
  readonly number: string;
}

/** A row that cannot be a record, as one without a name: counted and reported, never silently dropped. */
export interface Rejection {
  readonly rejected: string;
}

/** The value of a column, by the register's name for it, as written; '' when the file has no such column. */
export type Cell = (column: string) => string;

export interface MapContext<Codes> {
  /** What `readCodes` made of the code tables. */
  readonly codes: Codes;
  /** A value that could not be read: counted and shown with its row; too many fail the import. The record is kept. */
  report(column: string, value: string, problem: string): void;
}

/**
 * The rows of another table that belong to the record (`joins`), or the further rows of its own table (`gather`), by the
 * table's name and in the order of the file; none when there are none, or the file was not given.
 */
export type JoinedRows = (source: string) => readonly Cell[];

/** For a record that stands alone. */
export const noRows: JoinedRows = () => [];

/** A table: CSV, or a sheet of a workbook. Told apart by its header; only where it has none, by file name. */
export interface TableSource<Codes> {
  readonly kind: 'table';
  readonly name: string;
  /** How a CSV of this table is written; a workbook needs none. */
  readonly csv?: CsvDialect;
  /** Every column the register knows, by its own name. Others are kept in `sourceData` and reported. */
  readonly columns: readonly string[];
  /** Those without which it is not this table. */
  readonly required: readonly string[];
  /** How header texts are compared with `columns`: trimmed only, or folded (case, accents, white space). */
  readonly match: 'trimmed' | 'folded';
  /** A main table has it: one row, one record. A code table does not. */
  readonly map?: (cell: Cell, context: MapContext<Codes>, rows?: JoinedRows) => MappedRecord | Rejection;
  /** Of a main table: the column that the rows of joined tables refer to. `sourceData` then has one key a table. */
  readonly key?: string;
  /** The rows of this table belong to records of the main one. They are never all in memory, however long the table. */
  readonly joins?: Join;
  /** Of a main table in which one company may have several rows. */
  readonly gather?: Gather;
  /** Only of a CSV without a header, whose columns are `columns` in this order: then nothing but this tells what it is. */
  readonly headerless?: Headerless;
}

export interface Join {
  /** The column with the main table's key. */
  readonly column: string;
  /** Without this table the register cannot be imported. Others may be left out, which is said. */
  readonly required?: boolean;
  /** Rows that are of no use to the record are left out. */
  readonly keep?: (cell: Cell) => boolean;
  /** Where the column holds the number of a part of the company, the joined table that tells which company it is part of. */
  readonly through?: readonly Through[];
}

export interface Through {
  readonly source: string;
  /** The column of that table with the part's number. */
  readonly column: string;
  /** Whether a number is one of a part: only these are looked up. */
  readonly when: (number: string) => boolean;
}

/** Rows with the same value in `column` are one record; `choose` says which of them it is made of. */
export interface Gather {
  readonly column: string;
  readonly choose: (rows: readonly Cell[]) => number;
}

export interface Headerless {
  /** Of the file, or of its archive. */
  readonly fileName: RegExp;
  /** Whether the first row can be one of this table. */
  readonly isRow: (cells: readonly string[]) => boolean;
}

/** Nested records: the items of a JSON array, JSON lines, or the elements of one name in an XML file. */
export interface TreeSource<Codes> {
  readonly kind: 'tree';
  readonly name: string;
  readonly format: { readonly type: 'json' } | { readonly type: 'xml'; readonly element: string };
  /** Keys of a record without which it is not this file. */
  readonly required: readonly string[];
  /** Keys the register knows at the top level of a record. Others are kept and reported. */
  readonly keys: readonly string[];
  readonly map: (record: { readonly [key: string]: Json }, context: MapContext<Codes>) => MappedRecord | Rejection;
}

export type Source<Codes> = TableSource<Codes> | TreeSource<Codes>;

/** A row of a code table, by the register's own column names. */
export type CodeRow = Readonly<Record<string, string>>;

export interface Register<Codes = unknown> {
  /** Name of the folder and of the register on the command line; part of every entity's id, so it never changes. */
  readonly id: string;
  /**
   * ISO 3166-1 alpha-2. Null for a register that spans countries: each of its records says its own, and it makes no country
   * `enabled`, since it never holds all companies of one.
   */
  readonly country: string | null;
  readonly name: string;
  readonly nativeName: string;
  readonly publisher: string;
  readonly licence: string;
  /** The primary source: where a person finds the official file. */
  readonly sourceUrl: string;
  readonly updates: 'daily' | 'weekly' | 'monthly' | 'quarterly' | 'unknown';
  /** Files as the publisher names them, for help and error messages. */
  readonly files: readonly string[];
  /** A full file has at least so many rows; fewer and it may be a sample or a part. */
  readonly minimumRows: number;
  readonly sources: readonly Source<Codes>[];
  /** Makes look-ups of the code tables, by source name. A table that was not given is missing from the map. */
  readonly readCodes: (tables: ReadonlyMap<string, readonly CodeRow[]>) => Codes;
  /** How this register writes a number that another wrote (`link`), spaces left out; as it is, if left out. */
  readonly writeNumber?: (number: string) => string;
  /** Whether its records name those of other registers (`link`). */
  readonly links?: boolean;
  /** Why these files are not to be imported, as what they say of themselves in a code table (BE: an update, not a whole). */
  readonly refuse?: (codes: Codes) => string | null;
  /** The same bytes for the same arguments, whatever the machine. */
  readonly generate: (rows: number, seed: number) => SyntheticFile;
}

/** Keeps the type of the code look-ups inside the register and forgets it outside. */
export function defineRegister<Codes>(register: Register<Codes>): Register {
  return register as unknown as Register;
}
