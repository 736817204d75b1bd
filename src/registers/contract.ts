import { fold } from '../base/fold.ts';
import { intern } from '../base/intern.ts';
import type { CsvDialect, Json } from '../base/source-files.ts';
import { type Cells, countColumns, readCells } from './data-files.ts';
import { type Manifest, manifests } from './manifest.ts';
import type {
  CheckedNumber,
  MappedParty,
  MappedRecord,
  PartyTotals,
  RecordParty,
  Rejection,
  UnknownKind,
} from './mapped.ts';
import type { PartyOf } from './vocabulary.ts';

export type { EntityStatus } from '../base/entity-status.ts';
export type { Json } from '../base/source-files.ts';
export { findMark, listColumns, type Mark, type Marks } from './data-files.ts';
export {
  type Activity,
  type CheckedNumber,
  type Link,
  type MappedParty,
  type MappedRecord,
  NO_DETAILS,
  type Registration,
  type Rejection,
  type Tally,
  type UnknownKind,
} from './mapped.ts';

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
export interface Cell {
  (column: string): string;
  /** The same, by the number of the column (`findColumnNumber`), which is found in a third of the time. */
  readonly at?: (number: number, column: string) => string;
}

/** The columns that the tables of all registers read, by the number of the column. */
const numberedColumns = new Map<string, number>();

export function findColumnNumber(column: string): number {
  return numberedColumns.getOrInsertComputed(column, () => numberedColumns.size);
}

/** The positions of all numbered columns in a row. A column that the row lacks has a position behind the end of the row. */
export function listPositions(positions: ReadonlyMap<string, number>, missing: number): number[] {
  return Array.from(numberedColumns.keys(), (column) => positions.get(column) ?? missing);
}

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

/** The rows of a table that belong to the record, in file order: of a joined table (`joins`), or the other rows of its own table (`gather`). */
export type JoinedRows = (source: string) => readonly Cell[];
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
  /**
   * Set for a file that is recognized only to refuse it: what the file is, and what to import instead. Such a source
   * comes before sources with fewer required columns or keys, because the first one that matches is used.
   */
  readonly refusal?: string;
}

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
  readonly through?: readonly {
    readonly source: string;
    /** The column of that table that holds the number of the part. */
    readonly column: string;
    /** Matches the numbers of parts. Only such numbers are looked up. */
    readonly when: RegExp;
  }[];
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

/** The first row of the table has `length` cells, or at least `minLength`, and the cells at these positions match. */
export interface Headerless {
  /** Matches the name of the file or of its archive. */
  readonly fileName: RegExp;
  readonly length?: number;
  readonly minLength?: number;
  readonly cells?: Readonly<Record<number, RegExp>>;
}

/** Whether these cells can be the first row of a table without a header. */
export function canBeFirstRow({ length, minLength = 0, cells = {} }: Headerless, row: readonly string[]): boolean {
  const hasLength = length === undefined ? row.length >= minLength : row.length === length;
  return hasLength && Object.entries(cells).every(([at, pattern]) => pattern.test(row[Number(at)] ?? ''));
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
  readonly refusal?: string;
}

type JsonRecord = { readonly [key: string]: Json };

export type Source<Codes> = TableSource<Codes> | TreeSource<Codes>;

/** A row of a code table, by the register's column names. */
export type CodeRow = Readonly<Record<string, string>>;

export interface Register<Codes = unknown> extends Omit<Manifest, 'country' | 'sources'> {
  /** Folder name and name on the command line. The id of every entity contains this name, so the name must never change. */
  readonly id: string;
  /** ISO 3166-1 alpha-2. Null for a register that spans countries: each record has its own country. */
  readonly country: string | null;
  /** Set if the licence is `Unknown`. */
  readonly licenceUnknown?: true;
  readonly sources: readonly Source<Codes>[];
  /** Builds lookups from the code tables, by source name. A table that was not given is not in the map. */
  readonly readCodes: (tables: ReadonlyMap<string, readonly CodeRow[]>) => Codes;
  /** Converts a number from another register (`link`), without spaces, to the form used here. Default: unchanged. */
  readonly writeNumber?: (number: string) => string;
  /** Reads a number in upper case without separators. Null if numbers of this register have another form. */
  readonly checkNumber?: (text: string) => CheckedNumber | null;
  /**
   * Set if the parties in `registry.parties` of the register's records are also listed with the parties of companies: makes a party with a row of
   * its own. A pure function that never throws. Null if the entry is not a party.
   */
  readonly recordParties?: (party: PartyOf) => RecordParty | null;
  /** What each cell of the register's sources may name, such as a person. */
  readonly cells: Cells;
  /** The day of the data, `YYYY-MM-DD`, if a code table has the day. Otherwise the names of files may have the day. */
  readonly asOf?: (codes: Codes) => string | null;
  /** Returns why the given files must not be imported, or null. BE: a code table shows that the files are only an update. */
  readonly refuse?: (codes: Codes) => string | null;
}

/** A form that numbers of the register have, in upper case without separators. */
interface NumberForm {
  readonly kind: CheckedNumber['kind'];
  readonly form: RegExp;
  /** Writes the number as the register does. Default: unchanged. */
  readonly write?: (text: string) => string;
  /** Whether the check digits of the written number are right. Left out if numbers of this form have no check digits. */
  readonly check?: (number: string) => boolean | null;
}

/** A CSV with commas and quotes, which is what most publishers write. Manifests have what is different. */
const CSV = { delimiter: ',', quote: '"', encoding: 'utf-8' } as const;

type Optional<T, Key extends keyof T> = Omit<T, Key> & Partial<Pick<T, Key>>;
type TableDefinition<Codes> = Optional<TableSource<Codes>, 'kind' | 'columns' | 'match'> & { readonly format?: never };
type TreeDefinition<Codes> = Optional<TreeSource<Codes>, 'kind' | 'keys' | 'map'> & { readonly csv?: never };
export type SourceDefinition<Codes> = TableDefinition<Codes> | TreeDefinition<Codes>;

/** What a source of the manifest does. The manifest has the other facts of the source and of its parts. */
type FunctionsOf<Source, Parts extends keyof Source> = Partial<Omit<Source, Parts>> & {
  readonly [Part in Parts]?: Partial<NonNullable<Source[Part]>>;
};

/** A register as its file defines it. What the file leaves out is in its manifest. A register without a folder, as in tests, sets `cells`. */
type Definition<Codes> = Optional<
  Omit<Register<Codes>, 'sources' | 'readCodes' | 'licenceUnknown'>,
  'cells' | Exclude<keyof Manifest, 'sources'>
> & {
  readonly sources?: readonly SourceDefinition<Codes>[];
  /** The functions of the manifest's tables, and of its JSON and XML files, by the name of the source. */
  readonly tables?: Readonly<Record<string, FunctionsOf<TableSource<Codes>, 'gather' | 'joins' | 'parties'>>>;
  readonly trees?: Readonly<Record<string, FunctionsOf<TreeSource<Codes>, 'parties'>>>;
  /** The first form that matches a number counts. */
  readonly numbers?: readonly NumberForm[];
} & (null extends Codes ? { readCodes?(): null } : Pick<Register<Codes>, 'readCodes'>);

/** Checks the type of the code lookups inside the register and hides it from the rest of the program. */
export function defineRegister<Codes = null>(definition: Definition<Codes>): Register {
  const { numbers, tables, trees, ...others } = definition;
  const { country, ...manifest }: Partial<Manifest> = manifests.get(others.id) ?? {};
  const register = { ...manifest, ...others };
  const { cells = readCells(register.id) } = register;
  const functions: Readonly<Record<string, object>> = { ...tables, ...trees };
  const sources = (register.sources as readonly SourceDefinition<never>[]).map((source) => {
    const columns = countColumns([...(cells.get(source.name)?.keys() ?? [])]).map(intern);
    return completeSource(addFunctions(source, functions[source.name]), columns);
  });
  const checkNumber = numbers && ((text: string) => readNumber(text, numbers));
  return {
    readCodes: () => null,
    country: country?.code ?? null,
    ...(register.licence === 'Unknown' && { licenceUnknown: true }),
    ...(checkNumber && { checkNumber }),
    ...register,
    sources,
    cells,
  } as unknown as Register;
}

/** The manifest may have a part of an object, such as the column of `joins`, and the register its functions. */
function addFunctions<Codes>(source: SourceDefinition<Codes>, functions: object = {}): SourceDefinition<Codes> {
  const facts: Readonly<Record<string, unknown>> = { ...source, ...(source.csv && { csv: { ...CSV, ...source.csv } }) };
  const added = Object.entries(functions).map(([name, value]) => [
    name,
    typeof value === 'object' ? { ...(facts[name] as object), ...value } : value,
  ]);
  return { ...facts, ...Object.fromEntries(added) } as SourceDefinition<Codes>;
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
