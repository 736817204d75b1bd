/**
 * Access to one record that works for both the XML and the CSV edition. The column names of the CSV are the element
 * paths of the XML joined by dots, so the mapping uses the same paths for both.
 */
import type { Cell, MapContext } from '../contract.ts';
import { readDay, type Tree, textOf, treeOf } from '../parsing.ts';

interface Item {
  readonly text: string;
  readonly language: string;
  readonly type: string;
}

export interface Entry {
  readonly text: Cell;
  /** The language of the text at a path, or of the address at a path. */
  readonly language: Cell;
  /** Repeated elements. The CSV numbers their columns from 1. */
  items(path: string): readonly Item[];
}

/** `prefix` is the namespace prefix that the file uses: `lei:` or none. */
export function readXmlEntry(record: Tree, prefix: string): Entry {
  return {
    text(path) {
      const names = splitPath(path, prefix);
      return textOf(findParent(record, names), names[names.length - 1] as string);
    },
    language(path) {
      const names = splitPath(path, prefix);
      return textOf(treeOf(findParent(record, names), names[names.length - 1] as string), '@xml:lang');
    },
    items(path) {
      const names = splitPath(path, prefix);
      const value = findParent(record, names)[names[names.length - 1] as string];
      if (value === undefined) return [];
      return (Array.isArray(value) ? value : [value]).map((item) => {
        const parent = { item };
        const attributes = treeOf(parent, 'item');
        return {
          text: textOf(parent, 'item'),
          language: textOf(attributes, '@xml:lang'),
          type: textOf(attributes, '@type'),
        };
      });
    },
  };
}

const SPLIT: ReadonlyMap<string, Map<string, readonly string[]>> = new Map([
  ['lei:', new Map()],
  ['', new Map()],
]);

/** Every record asks for the same sixty or so paths, so the split paths are cached. */
function splitPath(path: string, prefix: string): readonly string[] {
  const known = SPLIT.get(prefix);
  const found = known?.get(path);
  if (found !== undefined) return found;
  const names = path.split('.').map((name) => prefix + name);
  known?.set(path, names);
  return names;
}

function findParent(record: Tree, names: readonly string[]): Tree {
  let tree = record;
  for (let index = 0; index < names.length - 1; index++) tree = treeOf(tree, names[index] as string);
  return tree;
}

/** The golden copy has columns for up to five items of a kind. */
const MAX_ITEMS = 5;

export function readCsvEntry(cell: Cell): Entry {
  return {
    text: (path) => cell(path).trim(),
    language: (path) => cell(`${path}.xmllang`).trim(),
    items(path) {
      const found: Item[] = [];
      for (let index = 1; index <= MAX_ITEMS; index++) {
        const text = cell(`${path}.${index}`).trim();
        const [language, type] = [cell(`${path}.${index}.xmllang`).trim(), cell(`${path}.${index}.type`).trim()];
        if (text !== '') found.push({ text, language, type });
      }
      return found;
    },
  };
}

/** The date part of a timestamp. */
export function readDayAt(entry: Entry, path: string, context: MapContext<unknown>): string | null {
  return readDay(path, entry.text, context);
}
