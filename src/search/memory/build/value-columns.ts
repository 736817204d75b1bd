import { isicCodes } from '../../../classifications/isic.ts';
import { storedValueNames } from '../../../core/entity-summary.ts';
import { COMBINATION, type CombinationArrays, combinedNames, FORM_CODE, singleNames } from '../combinations.ts';
import type { ColumnName, SummaryArrays } from '../search-index.ts';
import { type Narrow, sharedNarrow, shareNumbers } from '../shared-arrays.ts';
import { invert, invertColumn } from './postings.ts';
import { VALUE_RECORD, type ValueRows } from './rows/value-rows.ts';

type ValueArrays = Pick<SummaryArrays, `summary.${ColumnName}`>;

/** The values of all documents and the documents of each value of a filter. `order` has the row of each document. */
export function layOutValues(rows: ValueRows, order: Uint32Array) {
  const names = storedValueNames.filter((name) => name !== 'updatedAt');
  const columns = names.map((name) => sharedNarrow(rows.count, rows.tables[name].count));
  const combination = sharedNarrow(rows.count, rows.combinations.count);
  const codes = sharedNarrow(rows.count, rows.formCodes.count);
  const isic = sharedNarrow(rows.count, isicCodes.length);
  const column = (name: (typeof names)[number]) => columns[names.indexOf(name)] as Narrow;
  reorderRecords(rows.records.values, order, (block, first, count) => {
    for (const [field, name] of singleNames.entries()) takeColumn(block, field, column(name), first, count);
    takeColumn(block, COMBINED, combination, first, count);
    takeColumn(block, ISIC, isic, first, count);
    for (const [part, name] of combinedNames.entries()) {
      if (name !== 'updatedAt') takePart(block, rows.parts.values, part, column(name), first, count);
    }
    takePart(block, rows.parts.values, FORM_CODE, codes, first, count);
  });
  const invertValues = (name: (typeof names)[number]) => invertColumn(column(name), rows.tables[name].count);
  const { values, starts } = rows.activities;
  return {
    summary: {
      ...Object.fromEntries(names.map((name) => [`summary.${name}`, column(name)])),
      'summary.isic': isic,
    } as ValueArrays,
    countries: invertValues('countryCode'),
    registers: invertValues('register'),
    statuses: invertValues('status'),
    legalForms: invertValues('legalForm'),
    combinations: { combination, combinationParts: numberCodes(rows) } satisfies CombinationArrays,
    formCodes: invertColumn(codes, rows.formCodes.count),
    activities: invert(
      { groups: values.values, starts: starts.values.subarray(0, rows.count + 1) },
      rows.activityTable.count,
      order,
    ),
  };
}

/** The parts of all combinations, with codes of legal forms numbered as those that are not null, plus one; 0 without a code. */
function numberCodes({ parts, formCodes }: ValueRows): Uint32Array<SharedArrayBuffer> {
  let count = 0;
  const numbers = formCodes.values().map((code) => (code === null ? 0 : ++count));
  const numbered = shareNumbers(parts.values.subarray(0, parts.length));
  for (let at = FORM_CODE; at < numbered.length; at += COMBINATION)
    numbered[at] = numbers[numbered[at] as number] as number;
  return numbered;
}

/** This many records fit into the cache of the processor. */
const BLOCK = 4_096;

/** Copies the records of a block of documents, one after the other, and passes them to `take`, which distributes them to columns. */
function reorderRecords(
  records: Uint32Array,
  order: Uint32Array,
  take: (block: Uint32Array, first: number, count: number) => void,
): void {
  const block = new Uint32Array(BLOCK * VALUE_RECORD);
  for (let first = 0; first < order.length; first += BLOCK) {
    const count = Math.min(BLOCK, order.length - first);
    let end = 0;
    for (let index = 0; index < count; index++) {
      const from = (order[first + index] as number) * VALUE_RECORD;
      for (let at = from; at < from + VALUE_RECORD; at++) block[end++] = records[at] as number;
    }
    take(block, first, count);
  }
}

const [COMBINED, ISIC] = [VALUE_RECORD - 2, VALUE_RECORD - 1];

function takeColumn(block: Uint32Array, field: number, column: Narrow, first: number, count: number): void {
  for (let index = 0; index < count; index++) column[first + index] = block[index * VALUE_RECORD + field] as number;
}

/** A part of the combination of each record. */
function takePart(
  block: Uint32Array,
  parts: Uint32Array,
  part: number,
  column: Narrow,
  first: number,
  count: number,
): void {
  for (let index = 0; index < count; index++) {
    const combination = block[index * VALUE_RECORD + COMBINED] as number;
    column[first + index] = parts[combination * COMBINATION + part] as number;
  }
}
