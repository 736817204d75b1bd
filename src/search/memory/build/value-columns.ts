import { isicCodes } from '../../../classifications/isic.ts';
import { type FewValuedName, type StoredValueName, storedValueNames } from '../../../core/entity-summary.ts';
import type { SummaryArrays } from '../search-index.ts';
import { type Narrow, sharedNarrow } from '../shared-arrays.ts';
import { invert, invertColumn } from './postings.ts';
import { VALUE_RECORD, type ValueRows } from './rows/value-rows.ts';

type ValueArrays = Pick<SummaryArrays, `summary.${FewValuedName}`>;

/** The values of all documents and the documents of each value of a filter. `order` has the row of each document. */
export function layOutValues(rows: ValueRows, order: Uint32Array) {
  const columns = storedValueNames.map((name) => sharedNarrow(rows.count, rows.tables[name].count));
  const codes = sharedNarrow(rows.count, rows.formCodes.count);
  const isic = sharedNarrow(rows.count, isicCodes.length);
  reorderRecords(rows.records.values, order, [...columns, codes, isic]);
  const column = (name: StoredValueName) => columns[storedValueNames.indexOf(name)] as Narrow;
  const invertValues = (name: StoredValueName) => invertColumn(column(name), rows.tables[name].count);
  const { values, starts } = rows.activities;
  return {
    summary: {
      ...Object.fromEntries(storedValueNames.map((name) => [`summary.${name}`, column(name)])),
      'summary.isic': isic,
    } as ValueArrays,
    countries: invertValues('countryCode'),
    registers: invertValues('register'),
    statuses: invertValues('status'),
    legalForms: invertValues('legalForm'),
    codes,
    formCodes: invertColumn(codes, rows.formCodes.count),
    activities: invert(
      { groups: values.values, starts: starts.values.subarray(0, rows.count + 1) },
      rows.activityTable.count,
      order,
    ),
  };
}

/** This many records fit into the cache of the processor. */
const BLOCK = 4_096;

/** Copies the records of a block of documents, one after the other, and then distributes them to the columns. */
function reorderRecords(records: Uint32Array, order: Uint32Array, columns: readonly Narrow[]): void {
  const block = new Uint32Array(BLOCK * VALUE_RECORD);
  for (let first = 0; first < order.length; first += BLOCK) {
    const count = Math.min(BLOCK, order.length - first);
    let end = 0;
    for (let index = 0; index < count; index++) {
      const from = (order[first + index] as number) * VALUE_RECORD;
      for (let at = from; at < from + VALUE_RECORD; at++) block[end++] = records[at] as number;
    }
    for (const [number, column] of columns.entries()) takeColumn(block, number, column, first, count);
  }
}

function takeColumn(block: Uint32Array, number: number, column: Narrow, first: number, count: number): void {
  for (let index = 0; index < count; index++) column[first + index] = block[index * VALUE_RECORD + number] as number;
}
