/**
 * Access to one record that works for the XML, the JSON and the CSV edition. The column names of the CSV are the element
 * paths of the XML joined by dots, so the mapping uses the same paths for all of them.
 */
import type { Cell, Json } from '../contract.ts';
import { MAX_ITEMS } from '../data-files.ts';
import type { Tree } from '../parsing.ts';

/** A record, or a repeated part of it, such as an event. Paths are relative to the record or the part; `@type` is an attribute. */
export interface Entry {
  /** The trimmed text at a path; '' if there is none. An empty path is the text of the part itself. */
  text(path: string): string;
  /** The part at a path. */
  at(path: string): Entry;
  /** Repeated elements. The CSV numbers their columns from 1. Elements without any of the `filled` paths are left out. */
  list(path: string, filled: readonly string[]): readonly Entry[];
}

/** How an edition writes a record as a tree. */
interface TreeStyle {
  /** Namespace prefix of elements: `lei:` or none. */
  readonly prefix: string;
  /** The key of the text of an element that is an object. */
  readonly textKey: '#text' | '$';
  /** Every record asks for the same hundred or so paths, so the split paths are cached. */
  readonly paths: Map<string, readonly string[]>;
}

/** `prefix` is the namespace prefix that the file uses: `lei:` or none. */
export function createTreeReader(prefix: string, textKey: TreeStyle['textKey']): (record: Json) => Entry {
  const style: TreeStyle = { prefix, textKey, paths: new Map([['', []]]) };
  return (record) => new TreeEntry(record, style);
}

/** A class, because a record needs about twenty entries, and methods cost less than closures. */
class TreeEntry implements Entry {
  readonly #value: Json | undefined;
  readonly #style: TreeStyle;

  constructor(value: Json | undefined, style: TreeStyle) {
    this.#value = value;
    this.#style = style;
  }

  text(path: string): string {
    return readText(this.#find(path), this.#style.textKey);
  }

  at(path: string): Entry {
    return new TreeEntry(this.#find(path), this.#style);
  }

  list(path: string, filled: readonly string[]): readonly Entry[] {
    const value = this.#find(path);
    if (value === undefined) return NO_ENTRIES;
    const entries = (Array.isArray(value) ? value : [value]).map((item) => new TreeEntry(item, this.#style));
    return entries.filter((entry) => filled.some((name) => entry.text(name) !== ''));
  }

  #find(path: string): Json | undefined {
    let value = this.#value;
    for (const name of splitPath(path, this.#style)) value = isTree(value) ? value[name] : undefined;
    return value;
  }
}

const NO_ENTRIES: readonly Entry[] = [];

function readText(value: Json | undefined, textKey: string): string {
  const plain = isTree(value) ? value[textKey] : value;
  return typeof plain === 'string' ? plain.trim() : '';
}

function isTree(value: Json | undefined): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function splitPath(path: string, { prefix, paths }: TreeStyle): readonly string[] {
  const known = paths.get(path);
  if (known !== undefined) return known;
  const names = path.split('.').map((name) => (name.startsWith('@') ? name : prefix + name));
  paths.set(path, names);
  return names;
}

/** `start` is the path of a repeated part with its number, as in `Entity.SuccessorEntity.1`. */
export function readCsvEntry(cell: Cell, start = ''): Entry {
  return {
    text: (path) => cell(joinPath(start, path.replace('@xml:', 'xml').replace('@', ''))).trim(),
    at: (path) => readCsvEntry(cell, joinPath(start, path)),
    list(path, filled) {
      const all = joinPath(start, path);
      const entries: Entry[] = [];
      // Older files have a single successor, in columns without a number.
      for (let index = 0; index <= MAX_ITEMS; index++) {
        const item = index === 0 ? all : `${all}.${index}`;
        if (filled.some((name) => cell(joinPath(item, name)).trim() !== '')) entries.push(readCsvEntry(cell, item));
      }
      return entries;
    },
  };
}

function joinPath(start: string, path: string): string {
  return start === '' ? path : path === '' ? start : `${start}.${path}`;
}
