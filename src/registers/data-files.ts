/**
 * The data files in the folder of a register. `cells.tsv` lists every column of its tables and every key of its trees, in the order of the
 * official file, and marks what each may name. `codes.tsv` has the code lists that are part of the program.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/**
 * What a cell may name. A cell without a mark, such as one of a new column, may name anybody. What is left out follows from the marks alone
 * (`registry/records/withholding.ts`).
 */
export type Mark =
  /** Neither a person nor an organisation. */
  | 'neither'
  /** The company itself or another organisation. */
  | 'organisation'
  /** An address: it names somebody only behind words such as "c/o". */
  | 'address'
  /** The party that the row is about. The row says whether it is an organisation. */
  | 'party'
  /** Beneficial owners, which have a mode of their own. */
  | 'owner'
  /** Persons and organisations, in one text. */
  | 'mixed'
  | 'person';

/** By column, or by the path to a key such as `rolle.person`. `#` stands for any number. */
export type Marks = ReadonlyMap<string, Mark>;

/** The marks by table. `registry` has the normalized fields that are made of `mixed` and `person` cells, besides `parties`. */
export type Cells = ReadonlyMap<string, Marks>;

/** Each line has the names of tables, a mark, and the columns. */
export function readCells(register: string): Cells {
  const cells = new Map<string, Map<string, Mark>>();
  for (const [tables = '', mark = '', columns = ''] of readLines(register, 'cells.tsv')) {
    for (const table of tables.split(SEPARATOR)) {
      const marks = cells.getOrInsertComputed(table, () => new Map());
      for (const column of columns.split(SEPARATOR)) marks.set(column, mark as Mark);
    }
  }
  return cells;
}

const SEPARATOR = ' ; ';

export function findMark(marks: Marks, column: string): Mark | undefined {
  return marks.get(column) ?? marks.get(column.replaceAll(/\d+/g, '#'));
}

/** The columns of a table, in the order of the official file. */
export function listColumns(register: string, table: string): readonly string[] {
  return [...(readCells(register).get(table)?.keys() ?? [])];
}

/** The values of `codes.tsv` by their code: its text, and what it means here, such as a status or a role. */
export interface CodeLists {
  labels(list: string): ReadonlyMap<string, string>;
  meanings<Meaning extends string>(list: string): ReadonlyMap<string, Meaning>;
}

/** Each line has a list, one or more codes separated by `|`, what they mean, and the text of the code. Lines with `#` are comments. */
export function readCodeLists(register: string): CodeLists {
  const lines = readLines(register, 'codes.tsv').filter(([list]) => !list?.startsWith('#'));
  const read = <Value extends string>(wanted: string, column: number) =>
    new Map(
      lines.flatMap(([list, codes = '', ...values]) => {
        const value = values[column] as Value | undefined;
        return list === wanted && value ? codes.split('|').map((code) => [code, value] as const) : [];
      }),
    );
  return { labels: (list) => read(list, 1), meanings: (list) => read(list, 0) };
}

/** The lines of a data file that registers may have in their folder, each after the name of the register. */
export function readAllLines(file: string): string[][] {
  const folders = readdirSync(new URL('.', import.meta.url), { withFileTypes: true }).filter((one) =>
    one.isDirectory(),
  );
  return folders
    .map(({ name }) => name)
    .sort()
    .filter((register) => existsSync(new URL(`./${register}/${file}`, import.meta.url)))
    .flatMap((register) => readLines(register, file).map((line) => [register, ...line]));
}

function readLines(register: string, file: string): string[][] {
  const text = readFileSync(new URL(`./${register}/${file}`, import.meta.url), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));
}
