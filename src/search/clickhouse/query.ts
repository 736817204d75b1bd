import { storedNames, summaryFields } from '../../core/entity-summary.ts';
import { fold } from '../../core/fold.ts';
import { findActivityKeys, readNumberFragment } from '../../core/search-keys.ts';
import { readVatNumber } from '../../registers/vat-numbers.ts';
import { type FacetName, facetFields } from '../facets.ts';
import { FORM_KEY } from '../form-counts.ts';
import { listForms, writeForms } from '../form-filters.ts';
import type { SearchQuery, SortOrder } from '../search.ts';
import { quote } from './connection.ts';
import { entityColumns, nameTable } from './schema.ts';
import type { Published } from './store.ts';

/**
 * What a query means in ClickHouse. Rows are only ever added: an entity that has changed has a row that ends the old values
 * (`sign` -1) and one with the new values. So totals are sums of signs, and a page leaves out the entities whose signs add up
 * to 0. Every statement names the publication it reads, so that answers do not change while rows are added.
 *
 * A page is found by counting: *cells* are values or ranges of what results are sorted by. The first statement counts the
 * results per cell and returns the cells that the page touches; the second one reads and sorts only those.
 */

/** The columns that make up a cell, from coarse to fine. The last one is small enough to be sorted. */
export const CELLS: Readonly<Record<SortOrder, readonly (readonly string[])[]>> = {
  name: [['bucket']],
  '-registeredAt': [["ifNull(registered_at, '')"], ["ifNull(registered_at, '')", 'bucket']],
  '-updatedAt': [['updated_at'], ['updated_at', 'bucket']],
};

const NAME_ORDER = 'name_key, canonical_name, id';
/** The ISIC code and the code of the legal form follow the stored fields. */
const SUMMARY = [...storedNames.map((name) => summaryFields[name].column), 'isic', 'legal_form_code'].join(', ');

const CLASS_COLUMN = summaryFields.legalFormClass.column;

export type CellKey = readonly (string | number)[];

/** Results of a query that have the same key. `before` is the number of results in the cells before it. */
export type Cell = readonly [key: CellKey, results: number, before: number];

export interface Located {
  /** The cells that contain results from `from` to `to`, in result order. */
  readonly cells: readonly Cell[];
  readonly total: number;
}

/** One row: the touched cells, the total, and how many rows the table has. */
export type LocatedRow = readonly [cells: Cell[], total: number, rows: number];

export function writeLocate(
  published: Published,
  conditions: readonly string[],
  columns: readonly string[],
  { from, to }: { readonly from: number; readonly to: number },
): string {
  const table = nameTable(published.build);
  const names = columns.map((_, at) => `k${at}`);
  const order = names.map((name, at) => (isDate(columns[at]) ? `${name} DESC` : name)).join(', ');
  return `
    SELECT groupArrayIf((tuple(${names.join(', ')}), results, before), before < ${to} AND before + results > ${from}),
      sum(results), (SELECT count() FROM ${table})
    FROM (
      SELECT ${names.join(', ')}, results,
        sum(results) OVER (ORDER BY ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) - results AS before
      FROM (
        SELECT ${columns.map((column, at) => `${column} AS k${at}`).join(', ')}, sum(sign) AS results
        FROM ${table} WHERE ${join(published, conditions)} GROUP BY ${names.join(', ')} HAVING results > 0
      )
    )`;
}

/** The condition that leaves the rows of some cells. */
export function writeCells(columns: readonly string[], cells: readonly Cell[]): string[] {
  const keys = cells.map(([key]) => `(${key.map(writeValue).join(', ')})`);
  const conditions = [`(${columns.join(', ')}) IN (${keys.join(', ')})`];
  // The rows are sorted by bucket, so this one skips most of them.
  const at = columns.indexOf('bucket');
  if (columns.length > 1 && at > 0) {
    const buckets = new Set(cells.map(([key]) => Number(key[at])));
    conditions.push(`bucket IN (${[...buckets].join(', ')})`);
  }
  return conditions;
}

export type PageRow = readonly [summary: readonly (string | number | null)[]];

export interface Slice {
  readonly limit: number;
  readonly offset: number;
}

/** The results in result order. The values of an entity are those of its last row. */
export function writePage(
  published: Published,
  conditions: readonly string[],
  sort: SortOrder,
  { limit, offset }: Slice,
): string {
  const date = CELLS[sort].length > 1 ? CELLS[sort][0]?.[0] : undefined;
  const key = date === undefined ? NAME_ORDER : `${date}, ${NAME_ORDER}`;
  return `
    SELECT argMaxIf((${SUMMARY}), publication, sign = 1)
    FROM ${nameTable(published.build)} WHERE ${join(published, conditions)}
    GROUP BY ${key} HAVING sum(sign) > 0
    ORDER BY ${date === undefined ? NAME_ORDER : `${date} DESC, ${NAME_ORDER}`} LIMIT ${limit} OFFSET ${offset}`;
}

/** The current row of each of these entities. */
export function writeRows(published: Published, ids: readonly string[]): string {
  const columns = entityColumns.join(', ');
  return `
    SELECT sum(sign), argMaxIf((${columns}), publication, sign = 1)
    FROM ${nameTable(published.build)} WHERE ${join(published, [`id IN (${ids.map(quote).join(', ')})`])}
    GROUP BY id`;
}

/** How many results each combination of values has. */
export function writeFacets(published: Published, conditions: readonly string[], names: readonly FacetName[]): string {
  const columns = names.map((name) => summaryFields[facetFields[name]].column).join(', ');
  const selected = columns.replace(CLASS_COLUMN, `${FORM_KEY} AS ${CLASS_COLUMN}`);
  return `
    SELECT ${selected}, sum(sign) AS results FROM ${nameTable(published.build)} WHERE ${join(published, conditions)}
    GROUP BY ${columns} HAVING results > 0`;
}

/** How many results each section and division of ISIC has. */
export function writeIndustries(published: Published, conditions: readonly string[]): string {
  return `
    SELECT arrayJoin(arrayFilter(code -> length(code) <= 2, isic_codes)) AS value, sum(sign) AS results
    FROM ${nameTable(published.build)} WHERE ${join(published, conditions)} GROUP BY value HAVING results > 0`;
}

/** How many entities of each country have a value of a column, or each value of a column with several. */
export function writeChoices(published: Published, value: string): string {
  return `
    SELECT country_code, ${value} AS value, sum(sign) AS entities
    FROM ${nameTable(published.build)} WHERE ${join(published, [])} GROUP BY country_code, value HAVING entities > 0`;
}

/** How many entities of each register have an ISIC code. */
export function writeClassified(published: Published): string {
  return `
    SELECT register, sum(sign) AS entities FROM ${nameTable(published.build)}
    WHERE ${join(published, ['notEmpty(isic_codes)'])} GROUP BY register HAVING entities > 0`;
}

/** How many rows this publication has added, and the sum of their signs. */
export function writeCheck(build: number, publication: number): string {
  return `SELECT count(), sum(sign) FROM ${nameTable(build)} WHERE publication = ${publication}`;
}

export function writeCountRows(build: number): string {
  return `SELECT count() FROM ${nameTable(build)}`;
}

function join({ publication, skipped }: Published, conditions: readonly string[]): string {
  const without = skipped.length === 0 ? [] : [`publication NOT IN (${skipped.join(', ')})`];
  return [`publication <= ${publication}`, ...without, ...conditions].join(' AND ');
}

const isDate = (column: string | undefined) => column !== 'bucket';

function writeValue(value: string | number): string {
  return typeof value === 'number' ? String(value) : quote(value);
}

/** The conditions of a query, all of which a result fulfils. */
export function writeConditions(query: SearchQuery): string[] {
  const { country, register, status, legalForm, legalFormCode, activity, isic, registeredFrom, registeredTo } = query;
  const conditions: string[] = [];
  const compare = (column: string, operator: string, value: string | undefined) => {
    if (value !== undefined) conditions.push(`${column} ${operator} ${quote(value.toWellFormed())}`);
  };
  compare('country_code', '=', country);
  compare('register', '=', register);
  compare('status', '=', status);
  compare('legal_form', '=', legalForm);
  compare('legal_form_code', '=', legalFormCode);
  const forms = listForms(query);
  if (forms !== undefined) conditions.push(writeForms(forms, quote));
  compare('registered_at', '>=', registeredFrom);
  compare('registered_at', '<=', registeredTo);
  if (activity !== undefined) {
    const keys = findActivityKeys(query.activityType, activity.toWellFormed()).map(quote);
    conditions.push(`hasAny(activity_keys, [${keys.join(', ')}])`);
  }
  if (isic !== undefined) conditions.push(`hasAny(isic_codes, [${isic.split(',').map(quote).join(', ')}])`);
  const text = fold(query.q.toWellFormed());
  if (text !== '') conditions.push(writeFragment(text));
  return conditions;
}

function writeFragment(text: string): string {
  const contains = (column: string, fragment: string) => `position(${column}, ${quote(fragment)}) > 0`;
  const number = readNumberFragment(text);
  const inNumber = contains('number_keys', number.text);
  const alternatives = [contains('name_key', text)];
  alternatives.push(number.asWritten ? `(${inNumber} AND ${contains(WRITTEN_NUMBERS, number.text)})` : inNumber);
  const vat = readVatNumber(text);
  if (vat !== undefined) {
    const isWhole = contains(SEPARATE_NUMBERS, `\n${vat.number}\n`);
    alternatives.push(`(country_code = ${quote(vat.country)} AND ${isWhole})`);
  }
  return `(${alternatives.join(' OR ')})`;
}

/** The first one is `number_keys` without the forms that have no separators, the second one has a line break around every number. */
const WRITTEN_NUMBERS = "replaceRegexpAll(number_keys, '\\\\t[^\\\\n]*', '')";
const SEPARATE_NUMBERS = "concat('\\n', translate(number_keys, '\\t', '\\n'), '\\n')";
