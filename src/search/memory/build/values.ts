import { type StoredValueName, storedValueNames, textNames } from '../../../base/entity-summary.ts';
import { isicCodes } from '../../../registers/classifications/isic.ts';
import { COMBINATION, combinedNames, FORM_CODE, partOf, singleNames } from '../encodings.ts';
import { sharedNarrow, shareNumbers } from '../shared-arrays.ts';
import { ActivityRows } from './activity-rows.ts';
import { ByteTable, createLists, type Lists } from './byte-table.ts';
import { type Chunk, skipValues } from './chunk.ts';
import { countUp, GrowingNumbers } from './growing-arrays.ts';
import { invert, type SetStore } from './postings.ts';

/** The words and values of all rows, as numbers. Numbering a row of 300 bytes takes about a microsecond. */
export interface ValueRows {
  count: number;
  /** The words of each folded name, as numbers in `vocabulary`. */
  readonly words: Lists;
  readonly vocabulary: ByteTable;
  readonly activities: Lists;
  readonly activityTable: ByteTable;
  /** The distinct values of each field with few values. */
  readonly tables: Readonly<Record<StoredValueName, ByteTable>>;
  readonly classes: ActivityRows;
  readonly formCodes: ByteTable;
  /** Combinations of values. `parts` has, for each combination, the number of its value in each of `combinedNames` and in `formCodes`. */
  readonly combinations: ByteTable;
  readonly parts: GrowingNumbers;
  /**
   * For each row, the number of its value in each of `singleNames`, of its combination and of its main ISIC code (`activity-rows.ts`).
   * The numbers of a row are neighbours, because the rows are later read in another order.
   */
  readonly records: GrowingNumbers;
}

/** The number of numbers in a record. */
const VALUE_RECORD = singleNames.length + 2;

const [SPACE, NEWLINE] = [0x20, 0x0a];
/** The number of columns for `texts.ts`: the id, the texts, the number keys, the registration number and the other names. */
const TEXT_COLUMNS = textNames.length + 4;

export function createValueRows(): ValueRows {
  const tables = storedValueNames.map((name) => [name, new ByteTable()]);
  return {
    count: 0,
    words: createLists(),
    vocabulary: new ByteTable(),
    activities: createLists(),
    activityTable: new ByteTable(),
    tables: Object.fromEntries(tables) as ValueRows['tables'],
    formCodes: new ByteTable(),
    combinations: new ByteTable(),
    parts: new GrowingNumbers(),
    classes: new ActivityRows(),
    records: new GrowingNumbers(),
  };
}

export function addValueRows(rows: ValueRows, chunk: Chunk): void {
  const { view, length } = chunk;
  const tables = singleNames.map((name) => rows.tables[name]);
  const { records, classes } = rows;
  for (let at = 0; at < length; rows.count++) {
    at = skipValues(view, at, TEXT_COLUMNS);
    at = rows.vocabulary.addList(rows.words, chunk, at, SPACE);
    records.reserve(VALUE_RECORD);
    for (const table of tables) {
      records.values[records.length++] = table.add(chunk, at);
      at = table.ended + 1;
    }
    const end = skipValues(view, at, COMBINATION);
    const combination = rows.combinations.addRange(chunk, at, end);
    if (combination * COMBINATION === rows.parts.length) addParts(rows, chunk, at);
    records.values[records.length++] = combination;
    at = end;
    at = rows.activityTable.addList(rows.activities, chunk, at, NEWLINE);
    at = classes.add(chunk, at);
    records.values[records.length++] = classes.main;
  }
}

/** Numbers the values of a new combination. */
function addParts({ tables, formCodes, parts }: ValueRows, chunk: Chunk, start: number): void {
  let at = start;
  for (const table of [...combinedNames.map((name) => tables[name]), formCodes]) {
    parts.push(table.add(chunk, at));
    at = table.ended + 1;
  }
}

/** Adds the end of the last list. Call it after the last row. */
export function endValueRows({ words, activities, classes }: ValueRows): void {
  for (const { values, starts } of [words, activities, classes.lists]) starts.push(values.length);
}

/** Lays out the values of all documents, and adds the documents of each value of a filter to `sets`. `order` has the row of each document. */
export function layOutValues(rows: ValueRows, order: Uint32Array, sets: SetStore) {
  const { count, tables } = rows;
  const city = sharedNarrow(count, tables.city.count);
  const registeredAt = sharedNarrow(count, tables.registeredAt.count);
  const combination = sharedNarrow(count, rows.combinations.count);
  const isic = sharedNarrow(count, isicCodes.length);
  const records = rows.records.values;
  for (let doc = 0; doc < count; doc++) {
    const record = (order[doc] as number) * VALUE_RECORD;
    city[doc] = records[record] as number;
    registeredAt[doc] = records[record + 1] as number;
    combination[doc] = records[record + 2] as number;
    isic[doc] = records[record + 3] as number;
  }
  const { combinationParts, codeCount } = numberCodes(rows);
  const countryCode = sharedNarrow(count, tables.countryCode.count);
  const country = partOf('countryCode');
  for (let doc = 0; doc < count; doc++) {
    countryCode[doc] = combinationParts[(combination[doc] as number) * COMBINATION + country] as number;
  }
  const groups = new Uint32Array(count);
  const groupStarts = countUp(count + 1);
  const invertPart = (part: number, groupCount: number) => {
    for (let doc = 0; doc < count; doc++) {
      groups[doc] = combinationParts[(combination[doc] as number) * COMBINATION + part] as number;
    }
    return invert({ groups, starts: groupStarts }, groupCount);
  };
  const addValues = (name: StoredValueName) => sets.addGroups(invertPart(partOf(name), tables[name].count));
  const { values, starts } = rows.activities;
  return {
    summary: {
      'summary.countryCode': countryCode,
      'summary.city': city,
      'summary.registeredAt': registeredAt,
      'summary.isic': isic,
    },
    filters: {
      combination,
      combinationParts,
      countrySet: addValues('countryCode'),
      registerSet: addValues('register'),
      jurisdictionSet: addValues('jurisdiction'),
      statusSet: addValues('status'),
      legalFormSet: addValues('legalForm'),
      // Group 0 has the documents without a code.
      formCodeSet: sets.addGroups(invertPart(FORM_CODE, codeCount + 1), 1),
      activitySet: sets.addGroups(
        invert(
          { groups: values.values, starts: starts.values.subarray(0, rows.count + 1) },
          rows.activityTable.count,
          order,
        ),
      ),
    },
  };
}

/** The parts of all combinations. Codes of legal forms are numbered from 1 on, without null; 0 stands for no code. */
function numberCodes({ parts, formCodes }: ValueRows) {
  let codeCount = 0;
  const numbers = formCodes.values().map((code) => (code === null ? 0 : ++codeCount));
  const combinationParts = shareNumbers(parts.values.subarray(0, parts.length));
  for (let at = FORM_CODE; at < combinationParts.length; at += COMBINATION)
    combinationParts[at] = numbers[combinationParts[at] as number] as number;
  return { combinationParts, codeCount };
}
