import { storedNames, summaryFields } from '../../core/entity-summary.ts';
import { fold } from '../../core/fold.ts';
import { findActivityKeys } from '../../core/search-keys.ts';
import { listForms, writeForms } from '../form-filters.ts';
import type { SearchQuery, SortOrder } from '../search.ts';
import { quote } from './connection.ts';
import { writeFragment } from './fragments.ts';
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
export const SUMMARY = [...storedNames.map((name) => summaryFields[name].column), 'isic', 'legal_form_code'].join(', ');

/** Results of a query that have the same key. `before` is the number of results in the cells before it. */
export type Cell = readonly [key: readonly (string | number)[], results: number, before: number];

/** One row: the cells that contain results from `from` to `to`, the total, and how many rows the table has. */
export type LocatedRow = readonly [cells: Cell[], total: number, rows: number];

export interface Window {
  readonly from: number;
  readonly to: number;
}

export function writeLocate(
  published: Published,
  conditions: Conditions,
  columns: readonly string[],
  { from, to }: Window,
): string {
  const names = columns.map((_, at) => `value${at}`).join(', ');
  const order = columns.map((column, at) => `value${at}${column === 'bucket' ? '' : ' DESC'}`).join(', ');
  return `
    SELECT groupArrayIf((tuple(${names}), entities, before), before < ${to} AND before + entities > ${from}),
      sum(entities), (${writeCountRows(published.build)})
    FROM (
      SELECT ${names}, entities,
        sum(entities) OVER (ORDER BY ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) - entities AS before
      FROM (${writeCounts(published, columns, conditions)})
    )`;
}

/** The conditions that also leave only the rows of some cells. */
export function writeCells({ indexed, others }: Conditions, columns: readonly string[], cells: readonly Cell[]) {
  const write = (value: string | number) => (typeof value === 'number' ? String(value) : quote(value));
  const keys = cells.map(([key]) => `(${key.map(write).join(', ')})`);
  const conditions = [`(${columns.join(', ')}) IN (${keys.join(', ')})`];
  // The rows are sorted by bucket, so this one skips most of them.
  const at = columns.indexOf('bucket');
  if (at > 0) conditions.push(`bucket IN (${[...new Set(cells.map(([key]) => Number(key[at])))].join(', ')})`);
  return { indexed, others: [...others, ...conditions] };
}

export type PageRow = readonly [summary: readonly (string | number | null)[]];

/** The results in result order. The values of an entity are those of its last row. */
export function writePage(published: Published, conditions: Conditions, sort: SortOrder, { from, to }: Window): string {
  const date = sort === 'name' ? undefined : CELLS[sort][0]?.[0];
  return `
    SELECT argMaxIf((${SUMMARY}), publication, sign = 1)
    ${writeFrom(published, conditions)}
    GROUP BY ${date === undefined ? NAME_ORDER : `${date}, ${NAME_ORDER}`} HAVING sum(sign) > 0
    ORDER BY ${date === undefined ? NAME_ORDER : `${date} DESC, ${NAME_ORDER}`} LIMIT ${to - from} OFFSET ${from}`;
}

/** The current row of each of these entities. */
export function writeRows(published: Published, ids: readonly string[]): string {
  return `
    SELECT sum(sign), argMaxIf((${entityColumns.join(', ')}), publication, sign = 1)
    ${writeFrom(published, { others: [`id IN (${ids.map(quote).join(', ')})`] })}
    GROUP BY id`;
}

/** How many entities have each combination of these values. */
export function writeCounts(
  published: Published,
  expressions: readonly string[],
  conditions: Conditions = { others: [] },
): string {
  const selected = expressions.map((expression, at) => `${expression} AS value${at}`).join(', ');
  return `
    SELECT ${selected}, sum(sign) AS entities ${writeFrom(published, conditions)}
    GROUP BY ${expressions.map((_, at) => `value${at}`).join(', ')} HAVING entities > 0`;
}

/** How many rows this publication has added, and the sum of their signs. */
export function writeCheck(build: number, publication: number): string {
  return `SELECT count(), sum(sign) FROM ${nameTable(build)} WHERE publication = ${publication}`;
}

export function writeCountRows(build: number): string {
  return `SELECT count() FROM ${nameTable(build)}`;
}

/** Conditions, all of which a row fulfils. `indexed` is answered by the text index and read first: it leaves few rows. */
export interface Conditions {
  readonly indexed?: string | undefined;
  readonly others: readonly string[];
}

/** The rows of a publication and those before it that fulfil these conditions. */
export function writeFrom({ build, publication, skipped }: Published, { indexed, others }: Conditions): string {
  const without = skipped.length === 0 ? [] : [`publication NOT IN (${skipped.join(', ')})`];
  const where = [`publication <= ${publication}`, ...without, ...others].join(' AND ');
  return `FROM ${nameTable(build)} ${indexed === undefined ? '' : `PREWHERE ${indexed} `}WHERE ${where}`;
}

export function writeConditions(query: SearchQuery): Conditions {
  const { country, register, status, legalForm, legalFormCode, activity, isic, registeredFrom, registeredTo } = query;
  const text = fold(query.q.toWellFormed());
  const [indexed, ...exact] = text === '' ? [] : writeFragment(text);
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
  return { indexed, others: [...conditions, ...exact] };
}
