import { fold } from '../base/fold.ts';
import type { Rhythm } from '../base/freshness.ts';
import type { CsvDialect, Json } from '../base/source-files.ts';
import { type Cells, countColumns, readCells } from './data-files.ts';
import type { FetchPlan } from './fetch-plan.ts';
import type { MappedParty, MapRecordParty, PartyTotals } from './mapped-party.ts';
import type { CheckedNumber, MappedRecord, Rejection, UnknownKind } from './mapped-record.ts';

export type { EntityStatus } from '../base/entity-status.ts';
export type { Json } from '../base/source-files.ts';
export { findMark, listColumns, type Mark, type Marks } from './data-files.ts';
export type { Link, MappedParty, MapRecordParty, Tally } from './mapped-party.ts';
export {
  type Activity,
  type CheckedNumber,
  type MappedRecord,
  NO_DETAILS,
  type Registration,
  type Rejection,
  type UnknownKind,
} from './mapped-record.ts';

/** Set for a source whose rows are parties of companies, and not companies. */
export interface PartyRows<Row, Codes> {
  /** All sources of one set are editions of the same file: a full import of one source removes the parties that its file lacks. */
  readonly set: string;
  /** Set if a record has all parties of a company: returns one row per party. Together the rows have all values of the record. */
  readonly split?: (record: Row) => readonly Row[];
  /** All parties are natural persons: the files are not even fetched if persons are left out. */
  readonly onlyPersons?: true;
  /** Set if the files state how many records they have. Every import that is not partial compares this number. */
  readonly totals?: PartyTotals<Row>;
  /** Whether a record of a tree, as text, is certainly about a person. Such records are parsed only if names are stored. */
  readonly isPerson?: (text: string) => boolean;
  /** A pure function that never throws, as the mapping of companies. Names of persons are stored only in the mode `names`. */
  readonly map: (row: Row, context: MapContext<Codes>) => MappedParty | Rejection;
}

/** The value of a column as written, by the register's name for the column; '' when the file does not have it. */
export type Cell = (column: string) => string;

export interface MapContext<Codes> {
  /** The result of `readCodes`. */
  readonly codes: Codes;
  /** Reports a value that cannot be read. The record is kept; too many such values fail the import. */
  report(column: string, value: string, problem: string): void;
  /**
   * Reports a value whose meaning the register does not know. Imports count them per value. The record is kept; too
   * many statuses of the kind `status` fail the import. Official values (`listedStatus`) never do.
   */
  reportUnknown(kind: UnknownKind, column: string, value: string): void;
}

/**
 * The rows that belong to the record: of a joined table (`joins`), or the other rows of its own table (`gather`). Takes
 * the name of the table and returns its rows in file order; an empty list when there are none or the file was not
 * given.
 */
export type JoinedRows = (source: string) => readonly Cell[];

/** The rows of a record that has no other rows. */
export const noRows: JoinedRows = () => [];

/** One or more columns. The values of several columns form a composite key. */
export type Columns = string | readonly string[];

/** A table: a CSV file or a sheet. A table is recognized by its header or, without a header, by its file name. */
export interface TableSource<Codes> {
  readonly kind: 'table';
  readonly name: string;
  /** How a CSV file of this table is written. Omitted when the table is only published as a workbook. */
  readonly csv?: CsvDialect;
  /** Every column that the register knows: the columns of `cells.tsv`. Unknown columns are kept in `sourceData` and reported. */
  readonly columns: readonly string[];
  /** The columns that identify the table: a file that lacks one of these columns is another table. */
  readonly required: readonly string[];
  /**
   * How headers are compared with `columns`: `trimmed`, or `folded` to ignore case, accents and white space too. A function writes a header
   * as it is compared, for a publisher that names its columns in two ways.
   */
  readonly match: 'trimmed' | 'folded' | ((header: string) => string);
  /** Set for a main table, where a row is a record. Joined tables and code tables have no `map`. */
  readonly map?: (cell: Cell, context: MapContext<Codes>, rows?: JoinedRows) => MappedRecord | Rejection;
  /** Of a main table: the columns that joined tables refer to. `sourceData` then has one key per table. */
  readonly key?: Columns;
  /** Writes the key of a row in the form that the other tables use. Only allowed if `key` is a single column. */
  readonly writeKey?: (written: string) => string;
  /** Set for a table whose rows belong to records of the main table. The table may be larger than memory. */
  readonly joins?: Join;
  /** Set for a main table in which a company may have several rows. */
  readonly gather?: Gather;
  /** Set if another table has the same header. Matches the name of the file or of its archive. */
  readonly fileName?: RegExp;
  /** Of a table of parties: the rows that `readCodes` also gets, because another table refers to them. These rows must fit into memory. */
  readonly lookup?: (row: CodeRow) => boolean;
  /** Set for a CSV without a header. Its columns are `columns`, in this order. */
  readonly headerless?: Headerless;
  /** Of an optional table: what records lack without it. The import prints this if the table was not given. */
  readonly without?: string;
  readonly parties?: PartyRows<Cell, Codes>;
  /** Of a table of companies or a table joined to one: whether the row is about an organisation. Decides for cells with the mark `party`. */
  readonly isOrganisation?: (row: Cell) => boolean;
  readonly refusal?: Refusal;
}

/**
 * Set for a file that is recognized only to refuse it: what the file is, and what to import instead. Such a source
 * comes before sources with fewer required columns or keys, because the first one that matches is used.
 */
export type Refusal = string;

export interface Join {
  /** The columns with the main table's key, in the order of that key. A row in which one of the columns is empty matches nothing. */
  readonly column: Columns;
  /** The register cannot be imported without this table. Without an optional table the import prints a note. */
  readonly required?: boolean;
  /** The publisher splits this table and the main one into the same number of files, and all of them are required. */
  readonly paired?: true;
  /** Returns false for rows that the record does not need; such rows are dropped. */
  readonly keep?: (cell: Cell) => boolean;
  /**
   * Set when the column may hold the number of a part of a company, such as an establishment: the joined tables that
   * say which company it is part of. Only with a single `column`.
   */
  readonly through?: readonly Through[];
}

interface Through {
  readonly source: string;
  /** The column of that table that holds the number of the part. */
  readonly column: string;
  /** Whether a number is the number of a part. Only such numbers are looked up. */
  readonly when: (number: string) => boolean;
}

/** Rows with equal values in `column` become one record. `choose` returns the index of the row that is mapped. */
interface Gather {
  /** A row in which one of several columns is empty is a record by itself. */
  readonly column: Columns;
  readonly choose: (rows: readonly Cell[]) => number;
}

/** The record is made of the first row of this kind, or else of the first row. */
export function chooseFirst(isChosen: (row: Cell) => boolean): Gather['choose'] {
  return (rows) => Math.max(0, rows.findIndex(isChosen));
}

export interface Headerless {
  /** Matches the name of the file or of its archive. */
  readonly fileName: RegExp;
  /** Whether these cells can be the first row of the table. */
  readonly isRow: (cells: readonly string[]) => boolean;
}

/** Nested records: the items of a JSON array, JSON lines, or the elements with a given name in an XML file. */
export interface TreeSource<Codes> {
  readonly kind: 'tree';
  readonly name: string;
  readonly format: { readonly type: 'json' } | { readonly type: 'xml'; readonly element: string };
  /** The keys that identify the source: a file whose records lack one of these keys is another source. */
  readonly required: readonly string[];
  /** Top-level keys that the register knows. Unknown keys are kept in `sourceData` and reported. */
  readonly keys: readonly string[];
  /** Left out in the definition of a source of parties and of a file that is refused: neither has records of companies. */
  readonly map: (record: JsonRecord, context: MapContext<Codes>) => MappedRecord | Rejection;
  readonly parties?: PartyRows<JsonRecord, Codes>;
  readonly refusal?: Refusal;
}

type JsonRecord = { readonly [key: string]: Json };

export type Source<Codes> = TableSource<Codes> | TreeSource<Codes>;

/** A row of a code table, by the register's column names. */
export type CodeRow = Readonly<Record<string, string>>;

export interface Register<Codes = unknown> {
  /** Folder name and name on the command line. The id of every entity contains this name, so the name must never change. */
  readonly id: string;
  /** ISO 3166-1 alpha-2. Null for a register that spans countries: each record has its own country. */
  readonly country: string | null;
  readonly name: string;
  readonly nativeName: string;
  readonly publisher: string;
  readonly licence: string;
  /** Set if the licence is `Unknown`: `firmament export` then needs `--include-unknown-licences`. */
  readonly licenceUnknown?: true;
  /** Who to name where the data is shown, as the licence asks. */
  readonly attribution: string;
  /** The page where a person finds the official file. */
  readonly sourceUrl: string;
  /** The address of the state's page about a company, with `{number}`, or with `{digits}` for the number without separators. */
  readonly companyPage?: string;
  /** Fields of `registry` that only explain codes, by the name of the field with the code. Pages show their texts instead. */
  readonly legends?: Readonly<Record<string, string>>;
  readonly updates: Rhythm;
  /** How to find and judge the newest official files. */
  readonly fetch: FetchPlan;
  /** File names as published, for help and error messages. */
  readonly files: readonly string[];
  /** A complete file has at least this many rows. A smaller one may be a sample or a part. */
  readonly minimumRows: number;
  readonly sources: readonly Source<Codes>[];
  /** The columns and keys that hold the registration number. Rejected rows are identified by this number. */
  readonly numberColumns: readonly string[];
  /**
   * Matches the letters beyond ASCII of the languages that names are written in. Such letters show which encoding a file has. Left out
   * if names have few such letters.
   */
  readonly letters?: RegExp;
  /** Builds lookups from the code tables, by source name. A table that was not given is not in the map. */
  readonly readCodes: (tables: ReadonlyMap<string, readonly CodeRow[]>) => Codes;
  /** Converts a number from another register (`link`), without spaces, to the form used here. Default: unchanged. */
  readonly writeNumber?: (number: string) => string;
  /** Set if the id of a company follows from the first characters of its number: how many. Parties refer to companies by these characters. */
  readonly keyLength?: number;
  /** Reads a number in upper case without separators. Null if numbers of this register have another form. */
  readonly checkNumber?: (text: string) => CheckedNumber | null;
  /**
   * Set if the country's VAT numbers contain the national number, whether or not the register publishes them: matches a
   * VAT number in upper case without separators, and its first group is the number without separators. Search then finds
   * a company by its VAT number.
   */
  readonly vatNumber?: RegExp;
  /** Set if the parties in `registry.parties` of the register's records are also listed with the parties of companies. */
  readonly recordParties?: MapRecordParty;
  /** What each cell of the register's sources may name, such as a person. */
  readonly cells: Cells;
  /** Beneficial owners inside records of companies are a set of their own in `PARTIES`: `ua/beneficial_owners=off`. */
  readonly ownersApart?: true;
  /** Whether the register's records link to records of other registers (`link`). */
  readonly links?: boolean;
  /** The day of the data, `YYYY-MM-DD`, if a code table has the day. Otherwise the names of files may have the day. */
  readonly asOf?: (codes: Codes) => string | null;
  /** Returns why the given files must not be imported, or null. BE: a code table shows that the files are only an update. */
  readonly refuse?: (codes: Codes) => string | null;
}

/** A form that numbers of the register have. */
interface NumberForm {
  /** What the number is called, such as `SIREN`. */
  readonly kind: string;
  /** Matches a number in upper case without separators. */
  readonly form: RegExp;
  /** Writes the number as the register does. Default: unchanged. */
  readonly write?: (text: string) => string;
  /** Whether the check digits of the written number are right. Left out if numbers of this form have no check digits. */
  readonly check?: (number: string) => boolean | null;
}

/** A CSV with commas and quotes, which is what most publishers write. */
export const CSV = { delimiter: ',', quote: '"', encoding: 'utf-8' } as const;

type Optional<T, Key extends keyof T> = Omit<T, Key> & Partial<Pick<T, Key>>;
type TableDefinition<Codes> = Optional<TableSource<Codes>, 'kind' | 'columns' | 'match'> & { readonly format?: never };
type TreeDefinition<Codes> = Optional<TreeSource<Codes>, 'kind' | 'keys' | 'map'>;
export type SourceDefinition<Codes> = TableDefinition<Codes> | TreeDefinition<Codes>;

/** A register as its file defines it. Fields that are left out get the usual value. A register without a folder, as in tests, sets `cells`. */
type Definition<Codes> = Omit<
  Register<Codes>,
  'sources' | 'readCodes' | 'cells' | 'checkNumber' | 'country' | 'licenceUnknown'
> & {
  readonly sources: readonly SourceDefinition<Codes>[];
  /** Default: the country that the id begins with. */
  readonly country?: string | null;
  readonly cells?: Cells;
  /** The first form that matches a number counts. */
  readonly numbers?: readonly NumberForm[];
  readonly checkNumber?: Register['checkNumber'];
} & (null extends Codes ? { readCodes?(): null } : Pick<Register<Codes>, 'readCodes'>);

/** Checks the type of the code lookups inside the register and hides it from the rest of the program. */
export function defineRegister<Codes = null>({ numbers, ...register }: Definition<Codes>): Register {
  const { cells = readCells(register.id) } = register;
  const sources = register.sources.map((source) =>
    completeSource(source, countColumns([...(cells.get(source.name)?.keys() ?? [])])),
  );
  const checkNumber = numbers && ((text: string) => readNumber(text, numbers));
  return {
    readCodes: () => null,
    country: register.id.slice(0, 2).toUpperCase(),
    ...(register.licence === 'Unknown' && { licenceUnknown: true }),
    ...(checkNumber && { checkNumber }),
    ...register,
    sources,
    cells,
  } as unknown as Register;
}

function completeSource<Codes>(source: SourceDefinition<Codes>, marked: readonly string[]): Source<Codes> {
  const known = source.refusal === undefined ? marked : source.required;
  if (source.format === undefined) return { kind: 'table', columns: known, match: 'trimmed', ...source };
  const keys = new Set(known.flatMap((path) => [path, path.split('.', 1)[0] ?? '']));
  return { kind: 'tree', keys: [...keys], map: () => ({ rejected: 'this file cannot be imported' }), ...source };
}

/** Returns a function that writes headers and columns in the form in which they are compared. */
export function headerWriter(match: TableSource<unknown>['match']): (header: string) => string {
  if (typeof match === 'function') return match;
  return match === 'folded' ? fold : (header) => header.trim();
}

function readNumber(text: string, forms: readonly NumberForm[]): CheckedNumber | null {
  for (const { kind, form, write, check } of forms) {
    if (!form.test(text)) continue;
    const number = write?.(text) ?? text;
    return { kind, number, valid: check?.(number) ?? null };
  }
  return null;
}

export type RegistersById = ReadonlyMap<string, Register>;

export function indexRegisters(registers: readonly Register[]): RegistersById {
  return new Map(registers.map((register) => [register.id, register]));
}
