/**
 * A bounded part of a record, for people: a page has to stay small even if a register publishes a huge record. The first items of each list are kept,
 * long texts are cut, and values that are nested too deeply are replaced by a note. Numbers are texts, with the same digits as in the record.
 */
export type ExcerptValue = string | boolean | null | readonly ExcerptValue[] | { readonly [key: string]: ExcerptValue };

export interface Excerpt {
  readonly value: Readonly<Record<string, ExcerptValue>>;
  /** The length of each list that the excerpt has shortened, by JSON Pointer (RFC 6901). */
  readonly totals: Readonly<Record<string, number>>;
}

export interface ListPage {
  readonly head: Readonly<Record<string, ExcerptValue>>;
  readonly items: readonly ExcerptValue[];
  readonly total: number;
}

/** The maximum number of items kept of a list, and of a list inside an item of another list. */
export const MAX_ITEMS = 20;
const MAX_INNER_ITEMS = 5;
/** The maximum depth, which is far deeper than any register nests its fields. */
const MAX_DEPTH = 16;
/** The maximum numbers of values and of characters per member of the record. */
const MAX_VALUES = 2_000;
const MAX_CHARACTERS = 100_000;
const MAX_TEXT = 4_000;
const MIN_TEXT = 50;

const TOO_DEEP = `… (nested more than ${MAX_DEPTH} levels deep: see the JSON)`;

export function createExcerpt(json: string): Excerpt {
  const totals: Record<string, number> = {};
  const members = Object.entries(JSON.parse(json) as object).map(([key, value]) => {
    return [key, createLimiter(totals)(value, `/${escapeSegment(key)}`, 1, MAX_ITEMS)];
  });
  return { value: Object.fromEntries(members), totals };
}

/** Returns some items of one list of a record. Undefined if the pointer does not lead to a list. */
export function selectListPage(json: string, pointer: string, first: number, count: number): ListPage | undefined {
  const record: unknown = JSON.parse(json);
  const list = parsePointer(pointer).reduce(findMember, record);
  if (!Array.isArray(list)) return undefined;
  const plain = Object.entries(record as object).filter(([, value]) => typeof value !== 'object' || value === null);
  const limit = createLimiter({});
  return {
    head: Object.fromEntries(plain.map(([key, value]) => [key, createLimiter({})(value, '', 1, 0)])),
    items: list.slice(first, first + count).map((item) => limit(item, '', 1, MAX_INNER_ITEMS)),
    total: list.length,
  };
}

function findMember(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
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

function createLimiter(totals: Record<string, number>) {
  let values = MAX_VALUES;
  let characters = MAX_CHARACTERS;

  function cut(text: string): string {
    const length = Math.max(MIN_TEXT, Math.min(MAX_TEXT, characters));
    characters -= Math.min(text.length, length);
    return text.length <= length ? text : `${text.slice(0, length)}… (${text.length} characters: see the JSON)`;
  }

  function limitObject(value: object, pointer: string, depth: number, maxItems: number): ExcerptValue {
    const keys = Object.keys(value);
    const members: [string, ExcerptValue][] = [];
    for (const key of keys) {
      if (values <= 0) break;
      members.push([cut(key), limit(Reflect.get(value, key), `${pointer}/${escapeSegment(key)}`, depth + 1, maxItems)]);
    }
    if (members.length < keys.length)
      members.push(['…', `(${keys.length - members.length} more fields: see the JSON)`]);
    return Object.fromEntries(members);
  }

  function limitList(list: readonly unknown[], pointer: string, depth: number, maxItems: number): ExcerptValue {
    const items: ExcerptValue[] = [];
    for (const item of list.slice(0, maxItems)) {
      if (values <= 0) break;
      items.push(limit(item, `${pointer}/${items.length}`, depth + 1, MAX_INNER_ITEMS));
    }
    if (items.length < list.length) totals[pointer] = list.length;
    return items;
  }

  function limit(value: unknown, pointer: string, depth: number, maxItems: number): ExcerptValue {
    values--;
    if (value === null || typeof value === 'boolean') return value;
    if (typeof value !== 'object') return cut(String(value));
    if (depth > MAX_DEPTH) return TOO_DEEP;
    return Array.isArray(value)
      ? limitList(value, pointer, depth, maxItems)
      : limitObject(value, pointer, depth, maxItems);
  }

  return limit;
}
