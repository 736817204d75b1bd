import type { Json } from '../../core/source-files.ts';
import type { PartyRows, WithheldCells } from '../../registers/contract.ts';
import { isTable, type Part, type TablePart } from '../reading/part.ts';

type JsonRecord = { readonly [key: string]: Json };

/** Makes one row for each party of a row of the part, without what is never stored: nothing that comes after can see it. */
export function createSplit(part: Part): (row: never) => readonly unknown[] {
  const { split, withheld = {} } = part.source.parties as Omit<PartyRows<unknown, unknown>, 'map'>;
  if (isTable(part)) return hideCells(part, withheld as WithheldCells);
  const withheldOf = typeof withheld === 'function' ? withheld : () => withheld;
  const paths = new Map<WithheldCells, readonly { keys: readonly string[]; text: string }[]>();
  const hide = (row: Json) => {
    const found = isRecord(row) ? paths.getOrInsertComputed(withheldOf(row), readPaths) : [];
    return found.reduce((left, { keys, text }) => replace(left, keys, text), row);
  };
  return (value: Json) =>
    (isRecord(value) && split !== undefined ? (split(value) as readonly Json[]) : [value]).map(hide);
}

function readPaths(values: WithheldCells) {
  return Object.entries(values).map(([path, reason]) => ({ keys: path.split('.'), text: describe(reason) }));
}

function hideCells(part: TablePart, withheld: WithheldCells): (cells: readonly string[]) => readonly unknown[] {
  const texts = new Map(
    Object.entries(withheld).flatMap(([column, reason]) => {
      const position = part.header.positions.get(column);
      return position === undefined ? [] : [[position, describe(reason)]];
    }),
  );
  if (texts.size === 0) return (cells) => [cells];
  return (cells) => [cells.map((cell, index) => (cell === '' ? cell : (texts.get(index) ?? cell)))];
}

function describe(reason: string): string {
  return `withheld: ${reason}`;
}

export function isRecord(value: Json): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A list on the way is followed into each of its items. What is not there, or is empty, stays so. */
function replace(value: Json, [key, ...rest]: readonly string[], text: string): Json {
  if (key === undefined) return value === null || value === '' ? value : text;
  if (Array.isArray(value)) return value.map((item) => replace(item, [key, ...rest], text));
  if (!isRecord(value) || !(key in value)) return value;
  return { ...value, [key]: replace(value[key] as Json, rest, text) };
}
