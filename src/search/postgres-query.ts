import { type StoredSummary, storedNames, summaryFields } from '../core/entity-summary.ts';
import { fold } from '../core/fold.ts';
import { findActivityKeys, readNumberFragment } from '../core/search-keys.ts';
import type { Value } from '../db/db.ts';
import { readVatNumber } from '../registers/vat-numbers.ts';
import { type FacetName, facetFields } from './facets.ts';
import { FORM_KEY } from './form-counts.ts';
import { listForms } from './form-filters.ts';
import { writeFormList } from './postgres-forms.ts';
import { ACTIVITIES, ORDERED_PART, ORDERS, OVERSIZED_PART } from './postgres-indexes.ts';
import { ISIC_CODES } from './postgres-isic.ts';
import type { SearchQuery } from './search.ts';
import { activitiesJson } from './store.ts';

/** What a query means in SQL. */
export interface Statement {
  readonly sql: string;
  readonly params: readonly Value[];
}

/** What a result is shown from. */
export interface ShownRow extends StoredSummary {
  readonly legalFormCode: string | null;
  /** `registry.activities` as JSON. */
  readonly activities: string | null;
}

/** An empty page is one row in which every field of the entity is null. */
export type FoundRow = (ShownRow | { readonly id: null }) & {
  readonly generation: number;
  readonly published_at: number | null;
  readonly total: number;
};

const SUMMARY = [
  ...storedNames.map((name) => `shown.${summaryFields[name].column} AS "${name}"`),
  'shown.legal_form_code AS "legalFormCode"',
  `${activitiesJson.postgres} AS activities`,
].join(', ');

/**
 * There are two ways to answer. What an index narrows down is collected first (`MATERIALIZED`), then counted and
 * sorted; otherwise PostgreSQL, seeing the LIMIT, would rather walk the whole order to look for a rare match.
 * Everything else is read in order, from an index that contains every column it needs, and read again to be counted:
 * collecting it would write most of the table to disk.
 */
export function writeStatement(query: SearchQuery): Statement {
  const { page, pageSize } = query;
  const { params, param, isNarrow, listParts, counted } = readConditions(query);
  const order = ORDERS[query.sort];
  // No other columns: an index in this order has them.
  const parts = listParts(['id', 'name_key', 'canonical_name', ...SORTED_COLUMNS[query.sort]].join(', '));
  // PostgreSQL merges the sorted output of the indexes only if each part has its own ORDER BY.
  const walk = parts.map((part) => `(${part} ORDER BY ${order})`).join(' UNION ALL ');
  const offset = Math.min((page - 1) * pageSize, Number.MAX_SAFE_INTEGER);

  const sql = `
    WITH matching AS ${isNarrow ? 'MATERIALIZED' : 'NOT MATERIALIZED'} (${parts.join(' UNION ALL ')}),
    page AS MATERIALIZED (
      SELECT id FROM ${isNarrow ? 'matching' : `(${walk})`} AS ordered
      ORDER BY ${order} LIMIT ${param(pageSize)} OFFSET ${param(offset)}
    ),
    shown AS (SELECT entities.* FROM page JOIN entities ON entities.id = page.id)
    SELECT generation, published_at, total, ${SUMMARY}
    FROM generation
    CROSS JOIN (SELECT count(*) AS total FROM ${counted}) AS counted
    LEFT JOIN shown ON TRUE
    WHERE generation.id = 1
    ORDER BY ${qualify(order, 'shown')}`;
  return { sql, params };
}

export interface CountRow {
  readonly generation: number;
  readonly published_at: number | null;
  readonly total: number;
}

/** How many entities match, and in which version of the data. */
export function writeCount(query: SearchQuery): Statement {
  const { params, listParts, counted } = readConditions(query);
  const sql = `
    WITH matching AS (${listParts('id').join(' UNION ALL ')})
    SELECT generation, published_at, total
    FROM generation CROSS JOIN (SELECT count(*) AS total FROM ${counted}) AS counted WHERE generation.id = 1`;
  return { sql, params };
}

/** All entities that match, in result order, for a cursor: parts that an index has in this order are merged as they are read. */
export function writeWhole(query: SearchQuery): Statement {
  const { params, listParts } = readConditions(query);
  const columns = storedNames.map((name) => summaryFields[name].column);
  const parts = listParts([...new Set([...columns, 'legal_form_code', 'name_key', 'registry'])].join(', '));
  const order = ORDERS[query.sort];
  const walk = parts.map((part) => `(${part} ORDER BY ${order})`).join(' UNION ALL ');
  return { sql: `SELECT ${SUMMARY} FROM (${walk}) AS shown ORDER BY ${order}`, params };
}

export type FacetRow = { readonly name: FacetName; readonly value: string | null; readonly entities: number };

/** Counts the values of these filters in at most `limit` results. */
export function writeFacets(query: SearchQuery, names: readonly FacetName[], limit: number): Statement {
  const { params, param, listParts } = readConditions(query);
  const columns = names.map((name) => summaryFields[facetFields[name]].column);
  const selected = columns.map((column) => (column === CLASS_COLUMN ? `${FORM_KEY} AS ${column}` : column));
  const counts = names.map(
    (name, at) =>
      `SELECT '${name}' AS name, ${columns[at]} AS value, count(*) AS entities FROM matching GROUP BY ${columns[at]}`,
  );
  const sql = `
    WITH matching AS MATERIALIZED (
      SELECT * FROM (${listParts(selected.join(', ')).join(' UNION ALL ')}) AS parts LIMIT ${param(limit)}
    )
    ${counts.join(' UNION ALL ')}`;
  return { sql, params };
}

/** The sections and divisions of at most `limit` results, and how many results these are: a row with null. */
export function writeIndustries(query: SearchQuery, limit: number): Statement {
  const { params, param, listParts } = readConditions(query);
  const sql = `
    WITH matching AS MATERIALIZED (SELECT registry FROM (${listParts('registry').join(' UNION ALL ')}) AS parts LIMIT ${param(limit)})
    SELECT NULL AS value, count(*) AS entities FROM matching
    UNION ALL SELECT code, count(*) FROM matching CROSS JOIN unnest(${ISIC_CODES}) AS code WHERE length(code) <= 2 GROUP BY code`;
  return { sql, params };
}

const CLASS_COLUMN = summaryFields.legalFormClass.column;

const SORTED_COLUMNS = { name: [], '-registeredAt': ['registered_at'], '-updatedAt': ['updated_at'] } as const;

function qualify(order: string, table: string): string {
  return order
    .split(', ')
    .map((column) => `${table}.${column}`)
    .join(', ');
}

interface Conditions {
  readonly params: readonly Value[];
  /** Adds a parameter and returns its name in the statement. */
  param(value: Value): string;
  /** Whether an index finds the entities that match. */
  readonly isNarrow: boolean;
  /** What matches, as statements that select these columns. No entity is in two of them. */
  listParts(columns: string): string[];
  /** What to count: a table with its condition, or `matching`, which stands for all parts. */
  readonly counted: string;
}

function readConditions(query: SearchQuery): Conditions {
  const { country, register, status, legalForm, legalFormCode, activity, activityType, isic } = query;
  const { registeredFrom, registeredTo } = query;
  const text = fold(query.q.toWellFormed());
  const hasTrigram = /[\p{L}\p{N}]{3}/u.test(text);
  const isNarrow = hasTrigram || activity !== undefined || isic !== undefined;

  const params: Value[] = [];
  const param = (value: Value) => `$${params.push(value)}`;
  const filters: string[] = [];
  if (country !== undefined) filters.push(`country_code = ${param(country)}`);
  if (register !== undefined) filters.push(`register = ${param(register)}`);
  if (status !== undefined) filters.push(`status = ${param(status)}`);
  if (legalForm !== undefined) filters.push(`legal_form = ${param(legalForm)}`);
  if (legalFormCode !== undefined) filters.push(`legal_form_code = ${param(legalFormCode)}`);
  const forms = listForms(query);
  if (forms !== undefined) filters.push(writeFormList(forms, param));
  if (registeredFrom !== undefined) filters.push(`registered_at COLLATE "binary" >= ${param(registeredFrom)}`);
  if (registeredTo !== undefined) filters.push(`registered_at COLLATE "binary" <= ${param(registeredTo)}`);
  if (activity !== undefined) {
    const keys = findActivityKeys(activityType, activity).map(param);
    filters.push(`${ACTIVITIES} && ARRAY[${keys.join(', ')}]`);
  }
  if (isic !== undefined) {
    filters.push(`${ISIC_CODES} && string_to_array(${param(isic)}, ',')`);
  }
  if (text !== '') filters.push(writeFragment(text, hasTrigram, param));
  // The small index for counting has neither the code nor the day; the ones in order find them.
  const isDated = registeredFrom !== undefined || registeredTo !== undefined;
  const isCounted = text === '' && !isNarrow && legalFormCode === undefined && forms === undefined && !isDated;
  return {
    params,
    param,
    isNarrow,
    listParts: (columns) =>
      [ORDERED_PART, OVERSIZED_PART].map(
        (part) => `SELECT ${columns} FROM entities WHERE ${[part, ...filters].join(' AND ')}`,
      ),
    counted: isCounted ? `entities WHERE ${['TRUE', ...filters].join(' AND ')}` : 'matching',
  };
}

function writeFragment(text: string, hasTrigram: boolean, param: (value: Value) => string): string {
  // Without a trigram to look up, LIKE would read the whole trigram index and then the table.
  const isPart = (column: string, fragment: string) => `strpos(${column}, ${param(fragment)}) > 0`;
  const contains = (column: string, fragment: string) => {
    if (!hasTrigram) return isPart(column, fragment);
    const excerpt = INDEXED.exec(fragment)?.[0] ?? fragment;
    const found = `${column} LIKE ${param(toPattern(excerpt))}`;
    return excerpt === fragment ? found : `(${found} AND ${isPart(column, fragment)})`;
  };
  const number = readNumberFragment(text);
  const inNumber = contains('number_keys', number.text);
  const alternatives = [contains('name_key', text)];
  alternatives.push(number.asWritten ? `${inNumber} AND ${contains(WRITTEN_NUMBERS, number.text)}` : inNumber);
  const vat = readVatNumber(text);
  if (vat !== undefined) {
    const isWhole = `strpos(${SEPARATE_NUMBERS}, chr(10) || ${param(vat.number)} || chr(10)) > 0`;
    alternatives.push(`${contains('number_keys', vat.number)} AND country_code = ${param(vat.country)} AND ${isWhole}`);
  }
  return `(${alternatives.join(' OR ')})`;
}

/** What is looked up in the index of trigrams. Of a long fragment it is a part: the work grows with each trigram. */
const INDEXED = /^.{1,200}$|[\p{L}\p{N}]{3}.{0,197}/su;

/** The first one is `number_keys` without the forms that have no separators, the second one has a line break around every number. */
const WRITTEN_NUMBERS = "regexp_replace(number_keys, '\\t[^\\n]*', '', 'g')";
const SEPARATE_NUMBERS = 'chr(10) || translate(number_keys, chr(9), chr(10)) || chr(10)';

function toPattern(fragment: string): string {
  return `%${fragment.replace(/[\\%_]/g, '\\$&')}%`;
}
