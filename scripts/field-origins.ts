/**
 * Finds out which columns each field of a register's records comes from, by experiment: one cell of an example is changed at a time, and the fields
 * that change come from it. This holds for every mapping, however it is written.
 */
import { fold } from '../src/base/fold.ts';
import type { Source } from '../src/registers/contract.ts';
import type { Example, Row } from './register-examples.ts';

/** Where a field comes from, by the names of columns. */
export interface Origin {
  /** The field has the text of these columns, or what they mean. */
  readonly from: readonly string[];
  /** These columns decide whether the record has the field, or which text it has. */
  readonly by: readonly string[];
  /** Set if the field has the same text in all records that have it. */
  readonly always?: string;
}

/** By the path of the field: `legalForm.code`, `registry.addresses[postal].city`. Fields are in the order of the records. */
export type Origins = ReadonlyMap<string, Origin>;

/** The values of a record's fields by path. */
type Leaves = ReadonlyMap<string, readonly string[]>;

/** What happened to a field when cells of a column were changed. */
interface Effects {
  /** The new text of the field is the new text of the cell. */
  readonly copies: Set<string>;
  /** The record gained the field, with the text of the cell: the texts by column. */
  readonly fills: Map<string, Set<string>>;
  /** The record lost the field, but not the object that it is part of. */
  readonly lookups: Set<string>;
  /** The field changed, and nothing else became or ceased to be part of the record. */
  readonly changes: Set<string>;
  /** The record gained or lost the field. */
  readonly presence: Set<string>;
  readonly values: Set<string>;
  /** How many examples have the field. */
  records: number;
}

/** Examples that show nothing that others do not show are left out, which saves most of the time. */
const MAX_EXAMPLES = 24;
const MAX_VALUES = 4;
/** Fewer records do not show that a field always has the same text. */
const MIN_RECORDS = 3;
/** For columns that have no second value in any example. */
const MADE_UP = ['2001-02-03', '20010203', '7', 'Xyz'];
/** A column that changes so many fields decides which row the record is made of. */
const MAX_FIELDS = 14;

export function findOrigins(
  source: Source<unknown>,
  examples: readonly Example[],
  keys: ReadonlySet<string>,
  byRole: boolean,
): Origins {
  const read = (example: Example) => listLeaves(example.map(example.row), byRole);
  const effects = new Map<string, Effects>();
  const effectsOn = (field: string) =>
    effects.getOrInsertComputed(field, () => ({
      copies: new Set(),
      fills: new Map(),
      lookups: new Set(),
      changes: new Set(),
      presence: new Set(),
      values: new Set(),
      records: 0,
    }));
  for (const field of orderFields(examples, read)) effectsOn(field);
  for (const example of examples)
    for (const [field, values] of read(example)) {
      effectsOn(field).records++;
      for (const value of values) effectsOn(field).values.add(value);
    }
  const known = new Map<string, readonly string[]>();
  for (const [column, values] of listValues(source, examples))
    known.set(countless(column), varyShapes([...(known.get(countless(column)) ?? []), ...values]));
  for (const example of chooseExamples(source, examples, read)) {
    const before = read(example);
    const unchanged = JSON.stringify(example.map(example.row));
    for (const cell of listCells(source, example.row)) {
      const others = (known.get(countless(cell.column)) ?? []).filter((value) => value !== cell.text);
      if (others.length === 0 && cell.text === '') continue;
      for (const text of ['', ...others.slice(0, MAX_VALUES), ...(others.length === 0 ? MADE_UP : [])]) {
        const record = cell.change(text, () => example.map(example.row));
        if (JSON.stringify(record) === unchanged) continue;
        const changed = listLeaves(record, byRole);
        if (changed.size > 0) noteChange(before, changed, cell.column, text, keys.has(cell.column), effectsOn);
      }
    }
  }
  const seen = [...effects].filter(([, { values }]) => values.size > 0);
  return new Map(seen.map(([field, found]) => [field, decideOrigin(field, found, effects)]));
}

/** Numbered columns have the same kind of values. */
function countless(column: string): string {
  return column.replaceAll(/\d+/g, '#');
}

/** Values of different forms first, such as codes of four and of five digits. */
function varyShapes(values: readonly string[]): readonly string[] {
  const shapes = Map.groupBy(values, (value) => value.replaceAll(/\p{L}/gu, 'A').replaceAll(/\d/g, '9').slice(0, 12));
  return [...new Set([...[...shapes.values()].flatMap(([first = '']) => first), ...values])];
}

/** The fields of all records. A field that an example has and others lack follows the field before it. */
function orderFields(examples: readonly Example[], read: (example: Example) => Leaves): readonly string[] {
  const order: string[] = [];
  for (const example of examples) {
    let place = -1;
    for (const field of read(example).keys()) {
      const known = order.indexOf(field);
      place = known === -1 ? place + 1 : known;
      if (known === -1) order.splice(place, 0, field);
    }
  }
  return order;
}

/** The values of every column in all examples, in the order of the examples. */
export function listValues(source: Source<unknown>, examples: readonly Example[]): Map<string, Set<string>> {
  const values = new Map<string, Set<string>>();
  for (const { row } of examples) {
    for (const { column, text } of listCells(source, row))
      if (text.trim() !== '') values.getOrInsertComputed(column, () => new Set()).add(text);
  }
  return values;
}

/** The examples that have a column, a field or a status that no example before them has. */
export function chooseExamples(
  source: Source<unknown>,
  examples: readonly Example[],
  read: (example: Example) => Leaves,
): readonly Example[] {
  const shown = new Set<string>();
  const chosen = examples.filter((example) => {
    const leaves = read(example);
    const columns = listCells(source, example.row).flatMap(({ column, text }) => (text === '' ? [] : [`in ${column}`]));
    const features = [...leaves.keys(), ...columns, `status=${leaves.get('status')?.[0]}`];
    const isNew = leaves.size > 0 && features.some((feature) => !shown.has(feature));
    if (isNew) for (const feature of features) shown.add(feature);
    return isNew;
  });
  return chosen.slice(0, MAX_EXAMPLES);
}

export interface ChangeableCell {
  /** The name of the column, or the path of the key without namespaces and places in lists. */
  readonly column: string;
  readonly text: string;
  /** The result of `use` while the cell has another text. */
  change<Result>(text: string, use: () => Result): Result;
}

/** Every cell of a row and of the rows joined to it, and every text, number and truth value of a tree. */
export function listCells(source: Source<unknown>, row: Row): readonly ChangeableCell[] {
  const cells: ChangeableCell[] = [];
  const visit = (value: Row, column: string, holder: Record<string, Row>, key: string) => {
    if (Array.isArray(value)) {
      // The list of the parties of a company is the row of a party.
      const list = source.parties !== undefined && !column.includes('.') ? '' : column;
      for (const index of value.keys()) visit(value[index] as Row, list, value as never, String(index));
    } else if (typeof value === 'object' && value !== null) {
      for (const name in value) {
        // The other rows of the same table have its columns.
        const isOwn = column === '' || column === source.name;
        visit(
          (value as Record<string, Row>)[name] as Row,
          isOwn ? name : `${column}.${name}`,
          value as Record<string, Row>,
          name,
        );
      }
    } else {
      cells.push({
        column: nameColumn(source, column),
        text: value === null ? '' : String(value),
        change(text, use) {
          holder[key] = typeof value === 'string' || value === null ? text : parseScalar(text);
          try {
            return use();
          } finally {
            holder[key] = value;
          }
        },
      });
    }
  };
  visit(row, '', {}, '');
  return cells;
}

/** Without what the CSV of a register, its XML and its JSON write in different ways: namespaces, attributes, and places in lists. */
function nameColumn({ kind }: Source<unknown>, column: string): string {
  const name = column.replaceAll(/\.\d+(?=\.|$)/g, '');
  return kind === 'table'
    ? name
    : name.replaceAll(/\.(?:#text|\$)$|(?<=^|\.)(?:\w+:|@)/g, '').replace('xml:lang', 'xmllang');
}

/** A number or truth value of a JSON record remains one. */
function parseScalar(text: string): Row {
  return text === '' ? null : /^(?:true|false|-?\d{1,15}(?:\.\d+)?)$/.test(text) ? JSON.parse(text) : text;
}

/** Lists whose items have a type that says what they are. */
const TYPED = /(?:registrations|addresses|otherNames)$/;

/** An empty map for a row that is rejected. */
export function listLeaves(record: object, byRole = false): Leaves {
  const leaves = new Map<string, string[]>();
  const add = (path: string, value: unknown) => {
    if (Array.isArray(value)) {
      for (const item of value) {
        const kind = TYPED.test(path) ? (item.type ?? '') : byRole && path.endsWith('parties') ? item.role : '';
        add(`${path}[${kind}]`, item);
      }
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value)) {
        if (name === 'national') add(path, inner);
        else add(path === '' ? name : `${path}.${name}`, inner);
      }
    } else if (value !== null && value !== undefined && value !== '') {
      leaves.getOrInsertComputed(path, () => []).push(String(value));
    }
  };
  if ('rejected' in record) return leaves;
  const { link, key, registrations = [], ...rest } = record as Record<string, unknown> & { registrations?: object[] };
  // The first registration repeats the number and the status of the record.
  const more = registrations.filter((one) => !('number' in one && one.number === rest.number));
  add('', { ...rest, registrations: more });
  return leaves;
}

function noteChange(
  before: Leaves,
  after: Leaves,
  column: string,
  text: string,
  isKey: boolean,
  effectsOn: (field: string) => Effects,
): void {
  const fields = [...new Set([...before.keys(), ...after.keys()])];
  const count = (leaves: Leaves, field: string) => leaves.get(field)?.length ?? 0;
  const write = (leaves: Leaves, field: string) => [...(leaves.get(field) ?? [])].sort().join('\n');
  const isSameShape = fields.every((field) => count(before, field) === count(after, field));
  const isEqual = (one: readonly string[] = [], other: readonly string[] = []) =>
    one.length === other.length && one.every((value, at) => value === other[at]);
  const changed = fields.filter(
    (field) => !isEqual(before.get(field), after.get(field)) && write(before, field) !== write(after, field),
  );
  if (changed.length > MAX_FIELDS && isSameShape) return;
  for (const field of changed) {
    const { copies, fills, lookups, changes, presence } = effectsOn(field);
    const isKept = count(before, field) === count(after, field);
    const old = new Set(before.get(field));
    const isCopied = text !== '' && after.get(field)?.some((value) => !old.has(value) && isCopy(text, value)) === true;
    // With another key, rows of other tables no longer belong to the row.
    if (isKey && !isCopied) continue;
    if (!isKept) presence.add(column);
    else if (isSameShape || !field.includes('[')) changes.add(column);
    if (isCopied && isKept) copies.add(column);
    else if (isCopied) fills.getOrInsertComputed(column, () => new Set()).add(text);
    const holder = field.slice(0, field.lastIndexOf('.') + 1);
    const isPart = (other: string) => holder !== '' && holder !== 'registry.' && other.startsWith(holder);
    const isLost = text !== '' && count(after, field) < count(before, field);
    // The object is still there if one of its fields is in as many objects as before.
    const items = (leaves: Leaves) => Math.max(0, ...fields.filter(isPart).map((other) => count(leaves, other)));
    if (isLost && items(before) > 0 && items(after) === items(before)) lookups.add(column);
  }
}

/** Whether a field has the text of a cell: also a part of it, or a day in another form. */
function isCopy(cell: string, value: string): boolean {
  const [one, other] = [cell, value].map((text) => fold(text).replace(/[^\p{L}\p{N}]+/gu, ''));
  if (!one || !other) return false;
  const digits = (text: string) => [...text.replace(/\D/g, '')].sort().join('');
  return one.includes(other) || other.includes(one) || (digits(one).length >= 6 && digits(one) === digits(other));
}

function decideOrigin(
  field: string,
  { copies: certain, fills, lookups, changes, presence, values, records }: Effects,
  effects: ReadonlyMap<string, Effects>,
): Origin {
  // One filled text may be equal to the text of another cell by chance.
  const filled = [...fills].filter(([, texts]) => texts.size > 1 || certain.size === 0).map(([column]) => column);
  const copies = new Set([...certain, ...filled]);
  const holder = field.slice(0, field.lastIndexOf('.') + 1);
  const isPart = holder !== '' && holder !== 'registry.';
  const siblings = [...effects].filter(([name]) => isPart && name !== field && name.startsWith(holder));
  // A cell that fills another field of the object also decides whether there is an object.
  const isOfSibling = (column: string) =>
    siblings.some(([, other]) => other.copies.has(column) || other.fills.has(column) || other.changes.has(column));
  const gates = [...presence].filter((column) => !copies.has(column) && !changes.has(column) && !isOfSibling(column));
  const [value] = values;
  const isConstant =
    values.size === 1 &&
    value !== undefined &&
    value !== 'true' &&
    copies.size + lookups.size === 0 &&
    records >= MIN_RECORDS;
  if (isConstant && (changes.size === 0 || siblings.length > 0) && (gates.length === 0 || siblings.length > 0))
    return { from: [], by: [], always: value };
  if (copies.size > 0) return { from: [...copies], by: [...[...changes].filter((one) => !copies.has(one)), ...gates] };
  if (changes.size > 0) return { from: [...changes], by: gates };
  const from = lookups.size > 0 ? [...lookups] : gates.length > 0 ? gates : [...presence];
  const isAlways = from.length === 0 && values.size === 1 && records >= MIN_RECORDS;
  return isAlways && value !== undefined ? { from, by: [], always: value } : { from, by: [] };
}
