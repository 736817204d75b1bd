import { type StoredValueName, storedValueNames } from '../../../base/entity-summary.ts';
import { COMBINATION, combinedNames, FORM_CODE, partOf, singleNames } from '../encodings.ts';
import { type Narrow, sharedNarrow, shareNumbers } from '../shared-arrays.ts';
import { ActivityRows, isicValues } from './activity-rows.ts';
import { ByteTable, createLists, type Lists } from './byte-table.ts';
import { type Chunk, skipValues } from './chunk.ts';
import { countUp, GrowingNumbers } from './growing-arrays.ts';
import { invert, type SetStore } from './postings.ts';

/** The words and values of all rows, as numbers. Numbering a row of 300 bytes takes about a microsecond. */
export type ValueRows = ReturnType<typeof createValueRows>;

export function createValueRows() {
  const tables = Object.fromEntries(storedValueNames.map((name) => [name, new ByteTable()]));
  return {
    count: 0,
    /** The words of each folded name, as numbers in `vocabulary`. */
    words: createLists(),
    vocabulary: new ByteTable(),
    activities: createLists(),
    activityTable: new ByteTable(),
    /** The distinct values of each field with few values. */
    tables: tables as Readonly<Record<StoredValueName, ByteTable>>,
    formCodes: new ByteTable(),
    /** Combinations of values. `parts` has, for each combination, the number of its value in each of `combinedNames` and in `formCodes`. */
    combinations: new ByteTable(),
    parts: new GrowingNumbers(),
    classes: new ActivityRows(),
    /**
     * For each row, the number of its value in each of `singleNames`, of its combination and of its industries (`activity-rows.ts`).
     * The numbers of a row are neighbours, because the rows are later read in another order.
     */
    records: new GrowingNumbers(),
  };
}

const VALUE_RECORD = singleNames.length + 2;

const [SPACE, NEWLINE] = [0x20, 0x0a];
/** The number of columns for `texts.ts`: the id, the name, the number keys, the registration number and the other names. */
const TEXT_COLUMNS = 5;

export function addValueRows(rows: ValueRows, chunk: Chunk): void {
  const { view, length } = chunk;
  const { tables, records, classes } = rows;
  for (let at = 0; at < length; rows.count++) {
    at = skipValues(view, at, TEXT_COLUMNS);
    at = rows.vocabulary.addList(rows.words, chunk, at, SPACE);
    records.reserve(VALUE_RECORD);
    for (const name of singleNames) {
      records.values[records.length++] = tables[name].add(chunk, at);
      at = tables[name].ended + 1;
    }
    const end = skipValues(view, at, COMBINATION);
    const combination = rows.combinations.addRange(chunk, at, end);
    if (combination * COMBINATION === rows.parts.length) addParts(rows, chunk, at);
    records.values[records.length++] = combination;
    at = rows.activityTable.addList(rows.activities, chunk, end, NEWLINE);
    const classified = classes.add(chunk, at);
    records.values[records.length++] = classified.combination;
    at = classified.end;
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
  const { count, tables, classes } = rows;
  const counts = [tables.city.count, tables.registeredAt.count, rows.combinations.count, classes.combinationCount];
  const columns = counts.map((greatest) => sharedNarrow(count, greatest));
  const records = rows.records.values;
  for (let doc = 0; doc < count; doc++) {
    const record = (order[doc] as number) * VALUE_RECORD;
    for (let field = 0; field < VALUE_RECORD; field++) {
      (columns[field] as Narrow)[doc] = records[record + field] as number;
    }
  }
  const [city, registeredAt, combination, industry] = columns as [Narrow, Narrow, Narrow, Narrow];
  const { combinationParts, codeCount } = numberCodes(rows);
  const readPart = (part: number, into: Narrow | Uint32Array) => {
    for (let doc = 0; doc < count; doc++) {
      into[doc] = combinationParts[(combination[doc] as number) * COMBINATION + part] as number;
    }
  };
  const countryCode = sharedNarrow(count, tables.countryCode.count);
  readPart(partOf('countryCode'), countryCode);
  const groups = new Uint32Array(count);
  const starts = countUp(count + 1);
  const invertPart = (part: number, groupCount: number) => {
    readPart(part, groups);
    return invert({ groups, starts }, groupCount);
  };
  const addValues = (name: StoredValueName) => sets.addGroups(invertPart(partOf(name), tables[name].count));
  /** The documents of each value in a list per row. */
  const invertLists = (lists: Lists, groupCount: number) =>
    invert({ groups: lists.values.values, starts: lists.starts.values.subarray(0, count + 1) }, groupCount, order);
  return {
    summary: { 'summary.countryCode': countryCode, 'summary.city': city, 'summary.registeredAt': registeredAt },
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
      activitySet: sets.addGroups(invertLists(rows.activities, rows.activityTable.count)),
      industry,
      ...classes.layOut(),
      // Group 0 has the documents with an activity without a code.
      isicSet: sets.addGroups(invertLists(classes.lists, isicValues.length), 1),
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
