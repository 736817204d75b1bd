import type { Json } from '../../core/source-files.ts';
import type { Batches, SourceRow } from '../../formats/rows.ts';
import { describeWithheld, type PartyRows } from '../../registers/contract.ts';
import { isTable, type Part, type TablePart } from '../reading/part.ts';

type JsonRecord = { readonly [key: string]: Json };

/** The part with one row for each party, and without what is never stored: nothing that comes after can see it. */
export function splitRows(part: Part): Part {
  const { split, withheld = {} } = part.source.parties as Omit<PartyRows<unknown, unknown>, 'map'>;
  if (isTable(part)) return hideCells(part, withheld);
  const paths = Object.entries(withheld).map(([path, reason]) => ({
    keys: path.split('.'),
    text: describeWithheld(reason),
  }));
  if (split === undefined && paths.length === 0) return part;
  const change = (value: Json) => {
    const rows = isRecord(value) && split !== undefined ? (split(value) as readonly Json[]) : [value];
    return rows.map((row) => paths.reduce((left, { keys, text }) => replace(left, keys, text), row));
  };
  return { ...part, read: (...args) => changeRows(part.read(...args), change) };
}

function hideCells(part: TablePart, withheld: NonNullable<PartyRows<unknown, unknown>['withheld']>): Part {
  const texts = new Map(
    Object.entries(withheld).flatMap(([column, reason]) => {
      const position = part.header.positions.get(column);
      return position === undefined ? [] : [[position, describeWithheld(reason)]];
    }),
  );
  if (texts.size === 0) return part;
  const hide = (cell: string, index: number) => (cell === '' ? cell : (texts.get(index) ?? cell));
  return { ...part, read: (...args) => changeRows(part.read(...args), (cells) => [cells.map(hide)]) };
}

function isRecord(value: Json): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A list on the way is followed into each of its items. What is not there, or is empty, stays so. */
function replace(value: Json, [key, ...rest]: readonly string[], text: string): Json {
  if (key === undefined) return value === null || value === '' ? value : text;
  if (Array.isArray(value)) return value.map((item) => replace(item, [key, ...rest], text));
  if (!isRecord(value) || !(key in value)) return value;
  const inner = replace(value[key] as Json, rest, text);
  return inner === value[key] ? value : { ...value, [key]: inner };
}

async function* changeRows<T>(batches: Batches<T>, change: (value: T) => readonly T[]): Batches<T> {
  for await (const batch of batches) {
    const rows: SourceRow<T>[] = [];
    for (const row of batch) {
      const { place, size } = row;
      const values = change(row.value);
      for (const [index, value] of values.entries()) {
        rows.push({ place, value, size: size / values.length, problem: index === 0 ? row.problem : undefined });
      }
    }
    yield rows;
  }
}
