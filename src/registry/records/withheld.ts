import {
  type Cell,
  findMark,
  headerWriter,
  type Json,
  type Mark,
  type Marks,
  type TableSource,
} from '../../registers/contract.ts';

/** Replaces values of sources, which the marks of the cells decide, by a text with the reason. Running twice changes nothing more. */
const PREFIX = 'withheld: ';
const PERSONS = `${PREFIX}natural persons`;
const UNKNOWN = `${PREFIX}unknown column`;

export function isWithheld(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith(PREFIX);
}

/** Who is left out: all natural persons, or only beneficial owners. */
export type Scope = 'persons' | 'owners';

/** Words before a name in an address. */
const CARE_OF =
  /(?<![\p{L}\d])(?:c ?[/.] ?o\b|a\/c\b|care of\b|att(?:n|ention)?\b|v\/|chez\b|z\. ?hd\b|t\. ?a\. ?v\b|p\. ?a\. )/iu;

export function hasCareOf(text: string): boolean {
  return CARE_OF.test(text);
}

/** Why a value with this mark is left out; undefined if the value stays. */
function findReason(mark: Mark | undefined, scope: Scope, isOrganisation: boolean): string | undefined {
  if (scope === 'owners') return mark === 'owner' ? PERSONS : undefined;
  if (mark === undefined) return UNKNOWN;
  if (mark === 'party') return isOrganisation ? undefined : PERSONS;
  return mark === 'owner' || mark === 'mixed' || mark === 'person' ? PERSONS : undefined;
}

function isEmpty(value: Json): boolean {
  if (typeof value === 'string') return value.trim() === '';
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

/** Returns the cells with the left-out values replaced, or the same array if no value is left out. */
export type HideCells = (cells: readonly string[], isOrganisation?: boolean) => readonly string[];

type MarkedTable = Pick<TableSource<unknown>, 'columns' | 'match' | 'isOrganisation'> & { readonly marks: Marks };

/** `texts` is the header of the table as in the file. Undefined if nothing in the table is ever left out. */
export function createCellHider(
  texts: readonly string[],
  { columns, match, isOrganisation, marks }: MarkedTable,
  scope: Scope,
): HideCells | undefined {
  const normalize = headerWriter(match);
  const known = new Map(columns.map((column) => [normalize(column), column]));
  const columnsAt = texts.map((text) => {
    // A file may repeat a column, whose later headers are numbered: `name (2)`.
    return known.get(normalize(text)) ?? known.get(normalize(text.replace(/ \(\d+\)$/, ''))) ?? '';
  });
  const positions = new Map(columnsAt.map((column, at) => [column, at]).toReversed() as [string, number][]);
  const marked = columnsAt.flatMap((column, at) => {
    const mark = column === '' ? undefined : findMark(marks, column);
    const isAddress = mark === 'address' && scope === 'persons';
    return isAddress || findReason(mark, scope, false) !== undefined ? [{ at, mark, isAddress }] : [];
  });
  if (marked.length === 0) return undefined;
  const isRowOfOrganisation = (cells: readonly string[]) => {
    const cell: Cell = (column) => cells[positions.get(column) ?? -1] ?? '';
    return isOrganisation?.(cell) ?? false;
  };
  return (cells, isOfOrganisation = isRowOfOrganisation(cells)) => {
    let changed: string[] | undefined;
    for (const { at, mark, isAddress } of marked) {
      const text = cells[at];
      if (text === undefined || isEmpty(text) || isWithheld(text)) continue;
      const reason = isAddress ? (hasCareOf(text) ? PERSONS : undefined) : findReason(mark, scope, isOfOrganisation);
      if (reason === undefined) continue;
      changed ??= [...cells];
      changed[at] = reason;
    }
    return changed ?? cells;
  };
}

export type JsonRecord = { readonly [key: string]: Json };

/** The mark of a value, and the marks of the values inside of it. */
interface Node {
  mark?: Mark;
  inside?: Map<string, Node>;
}

/** Returns the record with the left-out values replaced. An object without such values stays the same object. */
export type HideTree = (record: Json, isOrganisation?: boolean) => Json;

export function createTreeHider(marks: Marks, scope: Scope): HideTree {
  const root: Node = {};
  for (const [path, mark] of marks) {
    let node = root;
    for (const key of path.split('.')) {
      node.inside ??= new Map();
      node = node.inside.getOrInsertComputed(key, () => ({}));
    }
    node.mark = mark;
  }
  return (record, isOrganisation = false) => {
    const hideWhole = (value: Json, mark: Mark | undefined): Json => {
      if (isEmpty(value) || isWithheld(value)) return value;
      if (mark === 'address' && scope === 'persons') return hideCareOf(value);
      return findReason(mark, scope, isOrganisation) ?? value;
    };
    const hideInside = (value: Json, node: Node, inherited: Mark | undefined): Json => {
      const mark = node.mark ?? inherited;
      if (typeof value !== 'object' || value === null || node.inside === undefined) return hideWhole(value, mark);
      return mapValues(value, (item, key) =>
        key === undefined ? hideInside(item, node, inherited) : hideInside(item, findInside(node, key), mark),
      );
    };
    return hideInside(record, root, undefined);
  };
}

const UNNAMED: Node = { mark: 'neither' };
const LIKE_PARENT: Node = {};

/** Names of XML elements may have a prefix. Attributes of XML itself (`xml…`) name namespaces and languages. */
function findInside({ inside }: Node, key: string): Node {
  if (key.startsWith('@xml')) return UNNAMED;
  return (
    inside?.get(key) ??
    inside?.get(key.slice(key.indexOf(':') + 1)) ??
    inside?.get(key.replaceAll(/\d+/g, '#')) ??
    LIKE_PARENT
  );
}

function hideCareOf(value: Json): Json {
  if (typeof value === 'string') return hasCareOf(value) ? PERSONS : value;
  return typeof value === 'object' && value !== null ? mapValues(value, hideCareOf) : value;
}

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Copies the list or object only if a value in it changes. `key` is undefined for the items of a list. */
function mapValues(value: Json & object, map: (item: Json, key: string | undefined) => Json): Json {
  if (Array.isArray(value)) {
    const items = value.map((item) => map(item, undefined));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  let changed: Record<string, Json> | undefined;
  for (const key in value) {
    const item = (value as JsonRecord)[key] as Json;
    const mapped = map(item, key);
    if (mapped === item) continue;
    changed ??= { ...(value as JsonRecord) };
    changed[key] = mapped;
  }
  return changed ?? value;
}
