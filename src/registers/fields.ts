/**
 * The fields of a register's table: each field reads a value from one or more columns of a row. A field is made once, when the program starts,
 * and read for every row. This file has the fields of each kind of row; `field-words.ts` has the words that make them.
 */
import { intern } from '../base/intern.ts';
import { type Cell, findColumnNumber, type UnknownKind } from './contract.ts';
import type { CodeTexts } from './data-files.ts';
import type { Common, Field } from './field.ts';
import { fieldsOf } from './field-words.ts';
import { type Tree, textOf, treeOf, treesOf } from './parsing.ts';

export { type Common, type Field, findGravest, NO_COMMON, type State } from './field.ts';
export { fieldsOf } from './field-words.ts';

/** Fields of lists with current and past entries. `until` is the key of the last day of an entry; an entry in force has no last day. */
export function histories<Codes = unknown>(from: string, until: string) {
  const isCurrent = (entry: Tree) => textOf(entry, until) === '';
  const rank = (entry: Tree) => `${textOf(entry, until) || '9'} ${textOf(entry, from)}`;
  /** All entries: first the entries in force, then the past entries, with the latest end first. */
  const listLatest = (tree: Tree, key: string) => treesOf(tree, key).toSorted((a, b) => (rank(a) < rank(b) ? 1 : -1));
  return {
    isCurrent,
    listLatest,
    /** The entries in force. */
    current: (key: string) => (tree: Tree) => treesOf(tree, key).filter(isCurrent),
    /** The field of the latest entry, because all entries of a company that has ended may have ended, too. */
    latest<Value>(key: string, field: Field<Tree, Codes, Value>): Field<Tree, Codes, Value> {
      return (tree, context, common) => field(listLatest(tree, key)[0] ?? {}, context, common);
    },
  };
}

/** Returns a function that reads a column of a row. */
function findColumn(column: string): (cell: Cell) => string {
  const number = findColumnNumber(column);
  return (cell) => (cell.at === undefined ? cell(column) : cell.at(number, column));
}

/** The fields of a company whose own row is `cell`. */
export function companyFields<Company extends { readonly cell: Cell }, Codes = unknown>() {
  return fieldsOf<Company, Codes>((column) => {
    const read = findColumn(column);
    return ({ cell }) => read(cell);
  });
}

/** The field of a row inside another row. */
export function within<Outer, Inner>(pick: (row: Outer) => Inner | null | undefined) {
  return <Codes, Value>(field: Field<Inner, Codes, Value>): Field<Outer, Codes, Value> =>
    (row, context, common) => {
      const inner = pick(row);
      return inner === null || inner === undefined ? null : field(inner, context, common);
    };
}

/** The fields of a row of a table. */
export function tableFields<Codes = unknown>() {
  return {
    ...fieldsOf<Cell, Codes>(findColumn),
    /** The field of the row of a joined table, if the table has one row for a company. */
    joined:
      <Value>(table: string, field: Field<Cell, Codes, Value>): Field<unknown, Codes, Value> =>
      (_row, context, common) => {
        const [row] = common.rows(table);
        return row === undefined ? null : field(row, context, common);
      },
    /** The rows of a joined table. */
    rowsOf:
      (table: string) =>
      (_: unknown, { rows }: Common) =>
        rows(table),
  };
}

/** The fields of a row of a register whose code lists are imported with its tables. */
export function codeFields() {
  const fields = tableFields<CodeTexts>();
  const labelIn =
    (list: string, column: string): Field<Cell, CodeTexts, string> =>
    (cell, { codes }) =>
      codes.get(list)?.get(cell(column).trim()) ?? null;
  return {
    ...fields,
    /** The text of the code in a column. */
    labelIn,
    /** A code with its text in a list. If `kind` is given and the list was imported, a code that the list lacks is reported. */
    codeIn(list: string, column: string, kind?: UnknownKind) {
      const read = fields.group({ code: fields.text(column), label: labelIn(list, column) });
      return (...row: Parameters<typeof read>) => {
        const found = read(...row);
        const isUnknown = kind !== undefined && found?.label === undefined && row[1].codes.has(list);
        if (isUnknown && found?.code !== undefined) row[1].reportUnknown(kind, column, found.code);
        return found;
      };
    },
  };
}

/** The fields of a JSON or XML record, or of an object inside one. A key may be a path to a text inside objects: `country.code`. */
export function treeFields<Codes = unknown>() {
  /** Returns a function that finds the object at a path. */
  const follow = (keys: readonly string[]) => (tree: Tree) => {
    let found = tree;
    for (const key of keys) found = treeOf(found, key);
    return found;
  };
  return {
    ...fieldsOf<Tree, Codes>((path) => {
      const keys = path.split('.').map(intern);
      const key = keys.pop() ?? '';
      const find = follow(keys);
      const [outer = ''] = keys;
      if (keys.length === 0) return (tree) => textOf(tree, key);
      return keys.length === 1 ? (tree) => textOf(treeOf(tree, outer), key) : (tree) => textOf(find(tree), key);
    }),
    /** The field of an object under a key, or at a path of keys. */
    at: <Value>(path: string, field: Field<Tree, Codes, Value>) =>
      within<Tree, Tree>(follow(path.split('.').map(intern)))(field),
    /** The objects of a list under a key. */
    itemsOf: (key: string) => (tree: Tree) => treesOf(tree, key),
  };
}

/** The fields of an object in a list. Their names are complete paths, for reports of problems: the last key is read. */
export function itemFields<Codes = unknown>() {
  return fieldsOf<Tree, Codes>((path) => {
    const key = intern(path.slice(path.lastIndexOf('.') + 1));
    return (item) => textOf(item, key);
  });
}
