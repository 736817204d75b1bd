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
 * A page is found by counting: *cells* are the values of an expression that results are sorted by. The first statement counts the
 * results per cell and returns the cells that the page touches. Only those are sorted, or divided into finer cells if they are large.
 */

const DATES = { '-registeredAt': "ifNull(registered_at, '')", '-updatedAt': 'updated_at' } as const;
const NAMES = ['bucket', 'leftUTF8(name_key, 4)', 'leftUTF8(name_key, 16)'] as const;

/** The expressions whose values divide results in their order, from coarse to fine. */
export const CELLS: Readonly<Record<SortOrder, readonly string[]>> = {
  name: NAMES,
  '-registeredAt': [DATES['-registeredAt'], ...NAMES],
  '-updatedAt': [DATES['-updatedAt'], ...NAMES],
};

/** The ISIC code and the code of the legal form follow the stored fields. */
export const SUMMARY = [...storedNames.map((name) => summaryFields[name].column), 'isic', 'legal_form_code'].join(', ');

/** Results that have the same value. `before` is the number of results in the cells before it. */
export type Cell = readonly [value: string | number, results: number, before: number];

/** One row: the cells that contain results from `from` to `to`, the total, and how many rows the table has. */
export type LocatedRow = readonly [cells: Cell[], total: number, rows: number];

export type Window = Readonly<Record<'from' | 'to', number>>;

export function writeLocate(
  published: Published,
  conditions: Conditions,
  column: string,
  { from, to }: Window,
): string {
  const order = Object.values<string>(DATES).includes(column) ? 'value0 DESC' : 'value0';
  return `
    SELECT groupArrayIf((value0, entities, before), before < ${to} AND before + entities > ${from}),
      sum(entities), ${writeCountRows(published.build)}
    FROM (
      SELECT value0, entities,
        sum(entities) OVER (ORDER BY ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) - entities AS before
      FROM (${writeCounts(published, [column], conditions)})
    )`;
}

/** The conditions that also leave only the rows of some cells. */
export function writeCells({ indexed, others }: Conditions, column: string, cells: readonly Cell[]): Conditions {
  const values = cells.map(([value]) => (typeof value === 'number' ? String(value) : quote(value)));
  return { indexed, others: [...others, `${column} IN (${values.join(', ')})`] };
}

export type PageRow = readonly [summary: readonly (string | number | null)[]];

/** The results in result order. The values of an entity are those of its last row. */
export function writePage(published: Published, conditions: Conditions, sort: SortOrder, { from, to }: Window): string {
  const [group, order] = sort === 'name' ? ['', ''] : [`${DATES[sort]}, `, `${DATES[sort]} DESC, `];
  return `
    SELECT argMaxIf((${SUMMARY}), publication, sign = 1) ${writeFrom(published, conditions)}
    GROUP BY ${group}name_key, canonical_name, id HAVING sum(sign) > 0
    ORDER BY ${order}name_key, canonical_name, id LIMIT ${to - from} OFFSET ${from}`;
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
export const writeCheck = (build: number, publication: number) =>
  `SELECT count(), sum(sign) FROM ${nameTable(build)} WHERE publication = ${publication}`;

export const writeCountRows = (build: number) => `(SELECT count() FROM ${nameTable(build)})`;

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
