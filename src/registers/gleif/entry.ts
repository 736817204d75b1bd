/** The editions of GLEIF's files as trees with the keys of the XML, so that one table describes all of them. */
import { intern } from '../../base/intern.ts';
import type { Cell, Json } from '../contract.ts';
import { listColumns } from '../data-files.ts';
import { isTree, type Tree, textOf, treeOf } from '../parsing.ts';

/** Maps the records of every edition of a file: of its CSV, and of its JSON and XML with the namespace prefix of its elements. */
export function mapEditions<Context, Mapped>(csv: string, map: (record: Tree, context: Context) => Mapped) {
  const readCsv = createCsvReader(csv);
  return {
    csv: (cell: Cell, context: Context) => map(readCsv(cell), context),
    xml(prefix: string) {
      const dropPrefix = createPrefixRemover(prefix);
      return (record: Tree, context: Context) => map(dropPrefix(record) as Tree, context);
    },
  };
}

/** The few hundred keys of all records are cut once: V8 looks a new string up before it can be a key. */
function createPrefixRemover(prefix: string): (value: Json) => Json {
  const names = new Map<string, string>();
  const cut = (key: string) => (key.startsWith(prefix) ? intern(key.slice(prefix.length)) : key);
  return function dropPrefix(value: Json): Json {
    if (Array.isArray(value)) return value.map(dropPrefix);
    if (!isTree(value)) return value;
    const plain: { [key: string]: Json } = {};
    for (const key in value) {
      const inner = value[key] ?? null;
      const name = names.get(key) ?? names.getOrInsertComputed(key, cut);
      plain[name] = typeof inner === 'string' ? inner : dropPrefix(inner);
    }
    return plain;
  };
}

type Branch = { [key: string]: Branch | string };

/** The columns are the paths of the XML, with the numbers of repeated elements. Attributes have no mark there. */
const ATTRIBUTES = new Map([
  ['xmllang', '@xml:lang'],
  ['type', '@type'],
  ['event_status', '@event_status'],
]);

function createCsvReader(table: string): (cell: Cell) => Tree {
  const columns = listColumns('gleif', table).map((column) => {
    return { column, keys: column.split('.').map((key) => ATTRIBUTES.get(key) ?? key) };
  });
  return (cell) => {
    const record: Branch = {};
    for (const { column, keys } of columns) {
      const text = cell(column);
      if (text === '') continue;
      let branch = record;
      for (const key of keys) {
        branch[key] ??= {};
        branch = branch[key] as Branch;
      }
      branch['#text'] = text;
    }
    return record;
  };
}

/** The text of an element itself. */
export function ownText(element: Tree): string {
  return textOf({ element }, 'element');
}

/**
 * Returns a function that lists repeated elements, without elements that have none of the `filled` keys; without any, the text of the element
 * counts. The CSV numbers repeated elements from 1. Older files have a single successor, in columns without a number.
 */
export function listElements(path: string, ...filled: readonly string[]): (record: Tree) => readonly Tree[] {
  const keys = path.split('.').map(intern);
  const last = keys.pop() ?? '';
  return (record) => {
    const value = keys.reduce(treeOf, record)[last];
    if (value === undefined) return NO_ELEMENTS;
    const items = isTree(value) ? listNumbered(value) : [value].flat();
    return items
      .map((item): Tree => (isTree(item) ? item : { '#text': item }))
      .filter((item) => (filled.length === 0 ? ownText(item) !== '' : filled.some((key) => textOf(item, key) !== '')));
  };
}

const NO_ELEMENTS: readonly Tree[] = [];

/** The element and the elements under numbers. Numbers are the first keys of an object. */
function listNumbered(element: Tree): readonly Json[] {
  const items: Json[] = [element];
  for (const key in element) {
    if (!/^\d+$/.test(key)) break;
    items.push(element[key] ?? '');
  }
  return items;
}
