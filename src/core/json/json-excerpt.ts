import { createJsonReader, type JsonReader } from './json-reader.ts';

/**
 * A bounded part of a record, for people: a page has to stay small whatever a register publishes. The first items of each
 * list are kept, long texts are cut, and values that are nested too deeply are replaced by a note.
 *
 * Numbers are texts, exactly as in the JSON: `1.0` stays `1.0`, and a number too long for a double keeps all its digits.
 */
export type ExcerptValue = string | boolean | null | readonly ExcerptValue[] | { readonly [key: string]: ExcerptValue };

export interface Excerpt {
  readonly value: Readonly<Record<string, ExcerptValue>>;
  /** How many items a list has if the excerpt lacks some of them, by JSON Pointer (RFC 6901). */
  readonly totals: Readonly<Record<string, number>>;
}

export interface ListPage {
  /** The members of the record that are neither lists nor objects. */
  readonly head: Readonly<Record<string, ExcerptValue>>;
  readonly items: readonly ExcerptValue[];
  /** How many items the list has. */
  readonly total: number;
}

/** Items of a list, and of a list inside an item of another list. */
const MAX_ITEMS = 20;
const MAX_INNER_ITEMS = 5;
/** Far deeper than any register nests its fields. */
const MAX_DEPTH = 16;
/** The maximum numbers of values and of characters per member of the record. */
const MAX_VALUES = 2_000;
const MAX_CHARACTERS = 100_000;
/** The maximum length of one text or name. */
const MAX_TEXT = 4_000;
const MIN_TEXT = 50;

const TOO_DEEP = `… (nested more than ${MAX_DEPTH} levels deep: see the JSON)`;

/** The excerpt of a record. Lists start with their first item. */
export function readExcerpt(json: string): Excerpt {
  const reader = createJsonReader(json);
  const totals: Record<string, number> = {};
  const members: [string, ExcerptValue][] = [];
  reader.eachMember((key) => {
    members.push([key, createBoundedReader(reader, totals).read(`/${escapeSegment(key)}`, 1, MAX_ITEMS)]);
  });
  return { value: Object.fromEntries(members), totals };
}

/** Some items of one list of a record. Undefined if the pointer does not lead to a list. */
export function readListPage(json: string, pointer: string, first: number, count: number): ListPage | undefined {
  const [name, ...path] = parsePointer(pointer);
  const reader = createJsonReader(json);
  const head: [string, ExcerptValue][] = [];
  let found: Omit<ListPage, 'head'> | undefined;
  reader.eachMember((key) => {
    const isNested = reader.startsWith('{') || reader.startsWith('[');
    if (!isNested) head.push([key, createBoundedReader(reader, {}).read('', 1, 0)]);
    else if (key === name && found === undefined) found = descend(reader, path, first, count);
    else reader.skip();
  });
  return found && { head: Object.fromEntries(head), ...found };
}

export function escapeSegment(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

export function parsePointer(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Leaves the cursor behind the whole value, whether or not the path exists in it. */
function descend(
  reader: JsonReader,
  path: readonly string[],
  first: number,
  count: number,
): Omit<ListPage, 'head'> | undefined {
  // Re-reading the part from its own text keeps the loop free of recursion: each step is inside the one before.
  let json = reader.take();
  for (const segment of path) {
    const inner = createJsonReader(json);
    let next: string | undefined;
    const choose = (key: string) => {
      if (next === undefined && key === segment) next = inner.take();
      else inner.skip();
    };
    if (inner.startsWith('{')) inner.eachMember(choose);
    else if (inner.startsWith('[')) inner.eachItem((index) => choose(String(index)));
    if (next === undefined) return undefined;
    json = next;
  }
  const list = createJsonReader(json);
  if (!list.startsWith('[')) return undefined;
  const bounded = createBoundedReader(list, {});
  const items: ExcerptValue[] = [];
  let total = 0;
  list.eachItem((index) => {
    total++;
    if (index >= first && items.length < count) items.push(bounded.read('', 1, MAX_INNER_ITEMS));
    else list.skip();
  });
  return { items, total };
}

/** Reads values until the limits are used up, and skips what is beyond them. */
function createBoundedReader(reader: JsonReader, totals: Record<string, number>) {
  let values = MAX_VALUES;
  let characters = MAX_CHARACTERS;

  function cut(text: string): string {
    const length = Math.max(MIN_TEXT, Math.min(MAX_TEXT, characters));
    characters -= Math.min(text.length, length);
    return text.length <= length ? text : `${text.slice(0, length)}… (${text.length} characters: see the JSON)`;
  }

  function readScalar(): ExcerptValue {
    if (reader.startsWith('"')) return cut(JSON.parse(reader.take()));
    const text = reader.take();
    if (text === 'null') return null;
    return text === 'true' || text === 'false' ? text === 'true' : cut(text);
  }

  function readObject(pointer: string, depth: number, maxItems: number): ExcerptValue {
    const members: [string, ExcerptValue][] = [];
    let total = 0;
    reader.eachMember((key) => {
      total++;
      if (values <= 0) reader.skip();
      else members.push([cut(key), read(`${pointer}/${escapeSegment(key)}`, depth + 1, maxItems)]);
    });
    if (members.length < total) members.push(['…', `(${total - members.length} more fields: see the JSON)`]);
    return Object.fromEntries(members);
  }

  function readItems(pointer: string, depth: number, maxItems: number): ExcerptValue {
    const items: ExcerptValue[] = [];
    let total = 0;
    reader.eachItem((index) => {
      total++;
      if (values <= 0 || index >= maxItems) reader.skip();
      else items.push(read(`${pointer}/${index}`, depth + 1, MAX_INNER_ITEMS));
    });
    if (items.length < total) totals[pointer] = total;
    return items;
  }

  function read(pointer: string, depth: number, maxItems: number): ExcerptValue {
    values--;
    const isObject = reader.startsWith('{');
    if (!isObject && !reader.startsWith('[')) return readScalar();
    if (depth > MAX_DEPTH) {
      reader.skip();
      return TOO_DEEP;
    }
    return isObject ? readObject(pointer, depth, maxItems) : readItems(pointer, depth, maxItems);
  }

  return { read };
}
