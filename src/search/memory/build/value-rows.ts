import { type FewValuedName, fewValuedNames, textNames } from '../../../core/entity-summary.ts';
import { ByteTable } from './byte-table.ts';
import { type Chunk, skipValues } from './chunk.ts';
import { GrowingNumbers, GrowingOffsets } from './growing-arrays.ts';

/** The words and values of all rows, as numbers: a row of 300 bytes takes about a microsecond. */
export interface ValueRows {
  count: number;
  /** The words of each folded name, as numbers in `vocabulary`. */
  readonly words: Lists;
  readonly vocabulary: ByteTable;
  readonly activities: Lists;
  readonly activityTable: ByteTable;
  /** The distinct values of each field with few values. */
  readonly tables: Readonly<Record<FewValuedName, ByteTable>>;
  readonly formCodes: ByteTable;
  /**
   * For each row the number of its value in each of `tables`, in the order of `fewValuedNames`, and in `formCodes`.
   * Numbers of the same row are neighbours, because the rows are later read in another order.
   */
  readonly records: GrowingNumbers;
}

/** How many numbers a record has. */
export const VALUE_RECORD = fewValuedNames.length + 1;

/** One list of numbers per row; `starts` has the start of each and, once all rows are read, the end of the last. */
export interface Lists {
  readonly values: GrowingNumbers;
  readonly starts: GrowingOffsets;
}

const [SPACE, NEWLINE] = [0x20, 0x0a];
/** The id, the texts, the number keys, the registration number and the record of other names. */
const TEXT_COLUMNS = textNames.length + 4;

export function createValueRows(): ValueRows {
  const lists = (): Lists => ({ values: new GrowingNumbers(), starts: new GrowingOffsets() });
  const tables = fewValuedNames.map((name) => [name, new ByteTable()]);
  return {
    count: 0,
    words: lists(),
    vocabulary: new ByteTable(),
    activities: lists(),
    activityTable: new ByteTable(),
    tables: Object.fromEntries(tables) as ValueRows['tables'],
    formCodes: new ByteTable(),
    records: new GrowingNumbers(),
  };
}

export function addValueRows(rows: ValueRows, chunk: Chunk): void {
  const { view, length } = chunk;
  const tables = [...fewValuedNames.map((name) => rows.tables[name]), rows.formCodes];
  const { records } = rows;
  for (let at = 0; at < length; rows.count++) {
    at = skipValues(view, at, TEXT_COLUMNS);
    at = readList(rows.words, rows.vocabulary, chunk, at, SPACE);
    records.reserve(VALUE_RECORD);
    for (const table of tables) {
      records.values[records.length++] = table.add(chunk, at);
      at = table.ended + 1;
    }
    at = readList(rows.activities, rows.activityTable, chunk, at, NEWLINE);
  }
}

/** Adds the end of the last list. Call it after the last row. */
export function endValueRows({ words, activities }: ValueRows): void {
  for (const { values, starts } of [words, activities]) starts.push(values.length);
}

/** Reads the list that starts at `start`. Returns where the next value starts. */
function readList({ values, starts }: Lists, table: ByteTable, chunk: Chunk, start: number, separator: number): number {
  starts.push(values.length);
  const { bytes } = chunk;
  let at = start;
  while (bytes[at] !== 0) {
    values.push(table.add(chunk, at, separator));
    at = table.ended;
    if (bytes[at] === separator) at++;
  }
  return at + 1;
}
