/**
 * The data files in the folder of a register. `cells.tsv` lists every column of its tables and every key of its trees, in the order of the
 * official file, and marks what each may name. `codes.tsv` has the code lists that are part of the program.
 */
import { globSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

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
  /** The party that the row is about. The row shows whether the party is an organisation. */
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
  for (const [tables = '', mark = '', columns = ''] of readRows(`${register}/cells.tsv`)) {
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
  return countColumns([...(readCells(register).get(table)?.keys() ?? [])]);
}

/** Repeated elements have columns for up to five items. */
const MAX_ITEMS = 5;

/** The columns, in which each `#` is replaced by the numbers from 1 to `MAX_ITEMS`. */
export function countColumns(columns: readonly string[]): readonly string[] {
  return columns.flatMap((column) => {
    if (!column.includes('#')) return column;
    return countColumns(Array.from({ length: MAX_ITEMS }, (_, at) => column.replace('#', String(at + 1))));
  });
}

/** The values of `codes.tsv` by code: the text of the code, and what the code means here, such as a status or a role. Each list is read once. */
export interface CodeLists {
  labels(list: string): ReadonlyMap<string, string>;
  meanings<Meaning extends string>(list: string): ReadonlyMap<string, Meaning>;
  /** The ranges of meanings such as `1-2` or `10000-`, which has no upper end. */
  ranges(list: string): ReadonlyMap<string, { readonly from: number; readonly to?: number }>;
  /** The meanings of patterns, in the order of the list. The whole code is the pattern, even if the code has a `|`. */
  rules<Meaning extends string>(list: string, flags?: string): readonly Rule<Meaning>[];
  /** Returns the meaning of the first pattern of the list that matches a text. */
  patterns<Meaning extends string>(list: string): (text: string) => Meaning | undefined;
}

type Rule<Meaning> = readonly [meaning: Meaning, pattern: RegExp];

/** Code lists that are imported with the tables of a register: the texts of codes, by list. Lists that were not given are left out. */
export type CodeTexts = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** The last text of a code counts. Codes without a text are left out. */
export function indexTexts(
  entries: Iterable<readonly [list: string, code: string, text: string | undefined]>,
): CodeTexts {
  const lists = new Map<string, Map<string, string>>();
  for (const [list, code, text = ''] of entries) {
    if (text.trim() !== '') lists.getOrInsertComputed(list, () => new Map()).set(code.trim(), text.trim());
  }
  return lists;
}

/** Each line has a list, one or more codes separated by `|`, what they mean, and the text of the code. Lines with `#` are comments. */
export function readCodeLists(register: string): CodeLists {
  const rows = Map.groupBy(readRows(`${register}/codes.tsv`), ([list]) => list);
  const once = <Value>(read: (list: string) => Value) => {
    const known = new Map<string, Value>();
    // Fields look lists up for every row, and V8 makes `get` a part of the calling function.
    return (list: string) => known.get(list) ?? known.getOrInsertComputed(list, read);
  };
  const readValues = (column: number) => (list: string) =>
    new Map(
      rows.get(list)?.flatMap(([, codes = '', ...values]) => {
        const value = values[column];
        return value ? codes.split('|').map((code) => [code, value] as const) : [];
      }),
    );
  const meanings = once(readValues(0));
  const rules = (list: string, flags = 'u') =>
    (rows.get(list) ?? []).map(([, code = '', meaning = '']): Rule<string> => [meaning, new RegExp(code, flags)]);
  return {
    labels: once(readValues(1)),
    meanings,
    rules,
    ranges: once((list) => {
      const limits = Array.from(meanings(list), ([code, range]) => [code, range.split('-')] as const);
      return new Map(limits.map(([code, [from, to]]) => [code, { from: Number(from), ...(to && { to: Number(to) }) }]));
    }),
    patterns: once((list) => {
      const found = rules(list);
      return (text: string) => found.find(([, pattern]) => pattern.test(text))?.[0];
    }),
  } as CodeLists;
}

/**
 * The lines of a table in this folder as lists of cells, without comments. Cells are decoded one by one: if the file were decoded as a whole,
 * one dash would make V8 keep every cell with two bytes per character, and then also the records that a status or a role is written into.
 */
export function readRows(file: string): string[][] {
  const lines = readFileSync(new URL(file, import.meta.url), 'latin1')
    .replace(/\n$/, '')
    .split('\n');
  const decode = (cell: string) => (/[\x80-\xff]/.test(cell) ? Buffer.from(cell, 'latin1').toString() : cell);
  return lines.filter((line) => !line.startsWith('#')).map((line) => line.split('\t').map(decode));
}

/** The lines of the tables with this name in the folders of all registers. Before the cells of a line comes the id of its register. */
export function readRowsOfAll(file: string): string[][] {
  const files = globSync(`*/${file}`, { cwd: import.meta.dirname }).sort();
  return files.flatMap((path) => readRows(path).map((cells) => [dirname(path), ...cells]));
}
