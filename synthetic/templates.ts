/**
 * What a file has about each company of a sample, as functions that write the same about its copies. All that a company refers to stays
 * together: its rows in other tables, its parties, and companies that own others.
 */
import { findMark, headerWriter, type Json, type Mark, type Marks, type Register } from '../src/registers/contract.ts';
import type { Company } from './company.ts';
import { completeNumber, createNumbers, isChecked } from './numbers.ts';
import type { LoadedTable, Row } from './samples.ts';
import { createWords } from './words.ts';

export interface Templates {
  /** The number of companies in the sample. */
  readonly count: number;
  rowsOf(table: LoadedTable, company: number): readonly ((company: Company) => Row)[];
  recordsOf(table: LoadedTable, company: number): readonly ((company: Company) => Json)[];
}

/** As the index of a company: rows that are about none, such as those of code lists. */
export const NONE = -1;

/** The value itself, or what writes it. */
type Leaf<Value> = Value | ((company: Company) => Value);

export function createTemplates(register: Register, tables: readonly LoadedTable[]): Templates {
  const columns = new Map(tables.map((table) => [table, nameColumns(table)]));
  const columnsOf = (table: LoadedTable) => columns.get(table) ?? [];
  const { count, owners, owned } = findOwners(register, tables, columnsOf);
  const ownerOf = (table: LoadedTable, index: number) => owners.get(table)?.[index] ?? NONE;
  const numbersOf = Map.groupBy(owned.keys(), (number) => owned.get(number) ?? NONE);
  const renew = createNumbers(register, owned);
  const words = createWords();
  /** The companies by the names in their own rows. */
  const names = new Map<string, number>();

  type Visit = (text: string, column: string, mark: Mark | undefined, company: number) => void;

  function visitAll(visit: Visit): void {
    for (const table of tables) {
      const marks: Marks = register.cells.get(table.table) ?? new Map();
      for (const [index, line] of table.lines.entries()) {
        for (const [at, cell] of line.entries()) {
          const column = columnsOf(table)[at] ?? '';
          visit(cell, `${table.table} ${column}`, findMark(marks, column), ownerOf(table, index));
        }
      }
      for (const [index, record] of table.records.entries()) {
        visitTexts(record, '', (text, path) =>
          visit(text, `${table.table} ${path}`, findPathMark(marks, path), ownerOf(table, index)),
        );
      }
    }
  }

  visitAll((text, column, mark, company) => {
    words.note(text, column, mark);
    if (mark === 'organisation' && company !== NONE && !names.has(text)) names.set(text, company);
  });

  /** The company whose number this is, as links of other registers find it. */
  function findReferred(text: string): number | undefined {
    if (text.length < 6) return undefined;
    return owned.get(register.writeNumber?.(text.replace(/\s/g, '')) ?? text);
  }

  function compileText(text: string, column: string, mark: Mark | undefined, company: number): Leaf<string> {
    if (text === '' || company === NONE) return text;
    const exact = owned.get(text);
    if (exact !== undefined) return exact === company ? (one) => renew(text, one) : (one) => renew(text, one.of(exact));
    const inside = numbersOf.get(company)?.filter((number) => number.length > 5 && text.includes(number)) ?? [];
    if (inside.length > 0) {
      const complete = isChecked(register, text) ? (made: string) => completeNumber(register, made) ?? made : null;
      return (one) => {
        const made = inside.reduce((all, number) => all.replaceAll(number, renew(number, one)), text);
        return complete === null || one.isSample ? made : complete(made);
      };
    }
    const referred = findReferred(text);
    if (referred !== undefined) {
      const number = register.writeNumber?.(text.replace(/\s/g, '')) ?? text;
      const write = (one: Company) => renew(number, one.of(referred));
      if (!text.includes(number)) return write;
      return (one) => {
        const made = text.replace(number, write(one));
        return isChecked(register, text) ? (completeNumber(register, made) ?? made) : made;
      };
    }
    const day = words.compileDay(text, column);
    if (day !== null) return day;
    if (mark === 'address') return compileStreet(text);
    if (mark === undefined || mark === 'neither') return text;
    const name = names.get(text);
    const write = words.compileName(text, column, mark === 'organisation' || name !== undefined);
    if (write === null) return text;
    return name === undefined || name === company ? write : (one) => write(one.of(name));
  }

  const rows = new Map<LoadedTable, Map<number, ((company: Company) => Row)[]>>();
  const records = new Map<LoadedTable, Map<number, ((company: Company) => Json)[]>>();
  for (const table of tables) {
    const marks: Marks = register.cells.get(table.table) ?? new Map();
    const compiledRows = table.lines.map((line, index) => {
      const leaves = line.map((cell, at) => {
        const column = columnsOf(table)[at] ?? '';
        return compileText(cell, `${table.table} ${column}`, findMark(marks, column), ownerOf(table, index));
      });
      return (company: Company): Row => leaves.map((leaf) => (typeof leaf === 'string' ? leaf : leaf(company)));
    });
    const compiledRecords = table.records.map((record, index) => {
      const leaf = compileTree(record, '', (text, path) =>
        compileText(text, `${table.table} ${path}`, findPathMark(marks, path), ownerOf(table, index)),
      );
      return (company: Company): Json => (typeof leaf === 'function' ? leaf(company) : leaf);
    });
    rows.set(
      table,
      groupByOwner(compiledRows, (index) => ownerOf(table, index)),
    );
    records.set(
      table,
      groupByOwner(compiledRecords, (index) => ownerOf(table, index)),
    );
  }
  return {
    count,
    rowsOf: (table, company) => rows.get(table)?.get(company) ?? [],
    recordsOf: (table, company) => records.get(table)?.get(company) ?? [],
  };
}

function groupByOwner<Item>(items: readonly Item[], ownerOf: (index: number) => number): Map<number, Item[]> {
  const groups = new Map<number, Item[]>();
  for (const [index, item] of items.entries()) groups.getOrInsertComputed(ownerOf(index), () => []).push(item);
  return groups;
}

/** The columns in the header of the file, as the register names them. */
function nameColumns({ source, header }: LoadedTable): Row {
  if (source.kind === 'tree') return [];
  const write = headerWriter(source.match);
  const known = new Map(source.columns.map((column) => [write(column), column]));
  return header.map((text) => known.get(write(text)) ?? text);
}

interface Owners {
  /** The number of companies. */
  readonly count: number;
  /** The company that each row of a table is about. */
  readonly owners: ReadonlyMap<LoadedTable, readonly number[]>;
  /** The companies by all of their numbers. */
  readonly owned: ReadonlyMap<string, number>;
}

/** A row of a main table is a company, unless it has the number of one. Any other row is about the first company whose number it has. */
function findOwners(
  register: Register,
  tables: readonly LoadedTable[],
  columnsOf: (table: LoadedTable) => Row,
): Owners {
  const owners = new Map<LoadedTable, number[]>();
  const owned = new Map<string, number>();
  let count = 0;
  const own = (number: string, company: number) => {
    if (number !== '' && !owned.has(number)) owned.set(number, company);
  };
  const isMain = ({ source: { map, parties } }: LoadedTable) => map !== undefined && parties === undefined;
  for (const table of tables.filter(isMain)) {
    const at = columnsOf(table).findIndex((column) => register.numberColumns.includes(column));
    const { source } = table;
    const writeKey = (source.kind === 'table' && source.writeKey) || ((written: string) => written);
    const numbers = [...table.lines.map((line) => writeKey(line[at] ?? '')), ...table.records.map(findNumber)];
    owners.set(
      table,
      numbers.map((number) => {
        const company = owned.get(number) ?? count++;
        own(number, company);
        return company;
      }),
    );
    // Further numbers with check digits, such as that of a tax office.
    for (const [index, line] of table.lines.entries()) {
      const company = owners.get(table)?.[index] ?? NONE;
      for (const cell of line) {
        const isOther = /^\d+$/.test(cell) && !cell.includes(numbers[index] || '\0');
        if (isOther && isChecked(register, cell)) own(cell, company);
      }
    }
  }

  function findNumber(record: Json): string {
    const keys = Object.entries(record as { readonly [key: string]: Json });
    let found = '';
    for (const key of register.numberColumns) {
      visitTexts(keys.find(([name]) => name === key)?.[1] ?? null, '', (text) => {
        found ||= text;
      });
    }
    return found;
  }

  const findOwner = (texts: readonly string[], writeKey?: (written: string) => string) =>
    texts.map((text) => owned.get(text) ?? owned.get(writeKey?.(text) ?? text)).find((one) => one !== undefined) ??
    NONE;
  const parts = new Map<string, string>();
  for (const { source, header } of tables) {
    if (source.kind === 'tree') continue;
    for (const to of source.joins?.through ?? []) parts.set(to.source, to.column);
    if (source.lookup !== undefined) parts.set(source.name, header[0] ?? '');
  }
  // Tables that say whose a part is come before those that have the number of the part.
  const others = tables.filter((table) => !isMain(table));
  for (const table of others.toSorted((a, b) => Number(parts.has(b.table)) - Number(parts.has(a.table)))) {
    const { source, lines, records } = table;
    const isList = source.kind === 'table' && source.joins === undefined && source.parties === undefined;
    const part = columnsOf(table).indexOf(parts.get(table.table) ?? '');
    owners.set(table, [
      ...lines.map((line) => {
        const company = isList ? NONE : findOwner(line, source.kind === 'table' ? source.writeKey : undefined);
        if (company !== NONE && part >= 0) own(line[part] ?? '', company);
        return company;
      }),
      ...records.map((record) => {
        const texts: string[] = [];
        visitTexts(record, '', (text) => texts.push(text));
        return findOwner(texts);
      }),
    ]);
  }
  return { count, owners, owned };
}

/** The number of the house in a street. */
function compileStreet(text: string): Leaf<string> {
  const house = /(?<![\d\p{L}])[1-9]\d{0,2}(?![\d\p{L}])/u.exec(text);
  if (house === null) return text;
  const { 0: number, index } = house;
  const end = text.slice(index + number.length);
  return (company) =>
    company.isSample ? text : text.slice(0, index) + (1 + Math.floor(company.draw(index) * 199)) + end;
}

/** Texts and numbers, with the names of the keys on the way to them. Those in a list have no key, and prefixes are left out. */
function visitTexts(value: Json, path: string, visit: (text: string, path: string) => void): void {
  if (value === null || typeof value === 'boolean') return;
  if (typeof value !== 'object') {
    visit(String(value), path);
    return;
  }
  const isList = Array.isArray(value);
  for (const [key, item] of Object.entries(value)) visitTexts(item, isList ? path : joinPath(path, key), visit);
}

function joinPath(path: string, key: string): string {
  const name = key === '#text' ? '' : key.slice(key.indexOf(':') + 1);
  return path === '' || name === '' ? path + name : `${path}.${name}`;
}

/** The mark of a value, or of what the value is in. */
function findPathMark(marks: Marks, path: string): Mark | undefined {
  for (let left = path; ; left = left.slice(0, left.lastIndexOf('.'))) {
    const mark = marks.get(left);
    if (mark !== undefined || !left.includes('.')) return mark;
  }
}

function compileTree(value: Json, path: string, compile: (text: string, path: string) => Leaf<string>): Leaf<Json> {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value !== 'object') {
    const leaf = compile(String(value), path);
    if (typeof leaf === 'string') return value;
    return typeof value === 'number' ? (company) => Number(leaf(company)) : leaf;
  }
  const isList = Array.isArray(value);
  const items = Object.entries(value).map(([key, item]): [string, Leaf<Json>] => {
    return [key, compileTree(item, isList ? path : joinPath(path, key), compile)];
  });
  if (items.every(([, leaf]) => typeof leaf !== 'function')) return value;
  const write = (leaf: Leaf<Json>, company: Company): Json => (typeof leaf === 'function' ? leaf(company) : leaf);
  if (isList) return (company) => items.map(([, leaf]) => write(leaf, company));
  return (company) => Object.fromEntries(items.map(([key, leaf]) => [key, write(leaf, company)]));
}
