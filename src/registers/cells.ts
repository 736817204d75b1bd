import { readFileSync } from 'node:fs';

/**
 * What the cells of a register may name. `cells.tsv` in the folder of the register marks every column of its tables and every key of its
 * trees. A cell without a mark, such as one of a new column, may name anybody. What is left out follows from the marks alone
 * (`records/withholding.ts`).
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
  const text = readFileSync(new URL(`./${register}/cells.tsv`, import.meta.url), 'utf8');
  for (const line of text.trimEnd().split('\n')) {
    const [tables = '', mark = '', columns = ''] = line.split('\t');
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
