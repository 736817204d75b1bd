import { fold } from '../core/fold.ts';
import type { Cell, Json, TableSource, Withheld, WithheldReason } from '../registers/contract.ts';

/**
 * Values of sources that are not stored: a text with the reason takes their place. Registers say which (`withheld` of a source). What is
 * withheld already stays as it is, so doing it twice is the same as once.
 */
const MARK = 'withheld: ';

export function isWithheld(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith(MARK);
}

type Reasons = Readonly<Record<string, WithheldReason>>;

function describe(reason: WithheldReason): string {
  return `${MARK}${reason}`;
}

/** Returns the cells without those that are withheld, or the same array if there are none. */
export type HideCells = (cells: readonly string[]) => readonly string[];

/** `texts` is the header of the table as in the file. */
export function createCellHider(
  texts: readonly string[],
  source: Pick<TableSource<unknown>, 'columns' | 'match'>,
  withheld: Withheld<Cell>,
): HideCells {
  const positions = findPositions(texts, source);
  const compile = (reasons: Reasons) =>
    Object.entries(reasons).flatMap(([column, reason]) =>
      (positions.get(column) ?? []).map((at) => ({ at, text: describe(reason) })),
    );
  if (typeof withheld !== 'function') return hide(compile(withheld));
  return (cells) => hide(compile(withheld((column) => cells[positions.get(column)?.[0] ?? -1] ?? '')))(cells);
}

function hide(hidden: readonly { readonly at: number; readonly text: string }[]): HideCells {
  return (cells) => {
    let changed: string[] | undefined;
    for (const { at, text } of hidden) {
      const cell = cells[at] ?? '';
      if (cell.trim() === '' || isWithheld(cell)) continue;
      changed ??= [...cells];
      changed[at] = text;
    }
    return changed ?? cells;
  };
}

/** Where the register's columns are. A file may repeat a column, whose later headers are numbered: `name (2)`. */
function findPositions(texts: readonly string[], { columns, match }: Pick<TableSource<unknown>, 'columns' | 'match'>) {
  const normalize = match === 'folded' ? fold : (text: string) => text.trim();
  const known = new Map(columns.map((column) => [normalize(column), column]));
  const positions = new Map<string, number[]>();
  for (const [index, text] of texts.entries()) {
    const column = known.get(normalize(text)) ?? known.get(normalize(text.replace(/ \(\d+\)$/, '')));
    if (column !== undefined) positions.getOrInsert(column, []).push(index);
  }
  return positions;
}

export type JsonRecord = { readonly [key: string]: Json };

/** What takes the place of values, by key: the reason, or the same for what is inside of the value. */
interface Hidden {
  [key: string]: string | Hidden;
}

/** Returns the record without the values that are withheld. */
export function createTreeHider(withheld: Withheld<JsonRecord>): (record: Json) => Json {
  const compile = (reasons: Reasons) => {
    const hidden: Hidden = {};
    for (const [path, reason] of Object.entries(reasons)) addPath(hidden, path.split('.'), describe(reason));
    return hidden;
  };
  const reasonsOf = typeof withheld === 'function' ? withheld : () => withheld;
  const compiled = new WeakMap<Reasons, Hidden>();
  return (record) => {
    if (!isRecord(record)) return record;
    return replace(record, compiled.getOrInsertComputed(reasonsOf(record), compile));
  };
}

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What is inside of a value that is withheld is withheld with it. */
function addPath(hidden: Hidden, [key = '', ...rest]: readonly string[], text: string): void {
  if (rest.length === 0) hidden[key] = text;
  const inner = hidden[key] ?? {};
  if (typeof inner === 'string') return;
  hidden[key] = inner;
  addPath(inner, rest, text);
}

/** Copies each object at most once. A list is followed into each of its items. What is not there, or is empty, stays so. */
function replace(value: Json, hidden: Hidden): Json {
  if (Array.isArray(value)) return value.map((item) => replace(item, hidden));
  if (!isRecord(value)) return value;
  let changed: Record<string, Json> | undefined;
  for (const key in hidden) {
    if (!(key in value)) continue;
    const found = value[key] as Json;
    const inner = hidden[key] as string | Hidden;
    const shown = typeof inner === 'string' ? hideValue(found, inner) : replace(found, inner);
    if (shown === found) continue;
    changed ??= { ...value };
    changed[key] = shown;
  }
  return changed ?? value;
}

function hideValue(value: Json, text: string): Json {
  return value === null || value === '' || isWithheld(value) ? value : text;
}
