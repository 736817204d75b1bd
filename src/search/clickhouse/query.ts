import { describeSummary, storedNames, summaryFields } from '../../base/entity-summary.ts';
import { fold } from '../../base/fold.ts';
import { findActivityKeys } from '../../base/search-keys.ts';
import { deriveForm, type FormValues } from '../../registers/classifications/elf.ts';
import { compileMatchedName } from '../match-row.ts';
import { listForms, type ResultLines, ROWS_PER_READ, type SearchQuery } from '../search.ts';
import { listWords } from '../words.ts';
import { quote, requireRows } from './connection.ts';
import { entityColumns, nameTable, writeFragment, writeRank, writeWord } from './schema.ts';
import type { Published } from './store.ts';

/**
 * What a query means in ClickHouse. Rows are only ever added: an entity that has changed has a row that ends the old values
 * (`sign` -1) and one with the new values. So totals are sums of signs, and a page leaves out the entities whose signs add up
 * to 0. Every statement names the publication it reads, so that answers do not change while rows are added.
 *
 * A page is found by counting: *cells* are the values of an expression that results are sorted by. The first statement counts the results
 * per cell and returns the cells that the page touches. Only the results of these cells are sorted; large cells are first divided.
 */

const DATES = {
  '-registeredAt': "ifNull(registered_at, '')",
  '-updatedAt': 'updated_at',
} as const;
const NAMES = ['bucket', 'leftUTF8(name_key, 4)', 'leftUTF8(name_key, 16)'] as const;

/** The order of results. */
interface Order {
  /** The expressions whose values divide results in their order, from coarse to fine. */
  readonly cells: readonly string[];
  /** The expressions that precede the name in an entity's key and in the order, each followed by a comma. */
  readonly group: string;
  readonly order: string;
}

const BY_NAME: Order = { cells: NAMES, group: '', order: '' };

async function describeOrder({ read, published }: Source, { sort, words }: SearchQuery): Promise<Order> {
  if (sort === 'name') return BY_NAME;
  if (sort !== 'relevance') {
    return { cells: [DATES[sort], ...NAMES], group: `${DATES[sort]}, `, order: `${DATES[sort]} DESC, ` };
  }
  const rank = writeRank(fold(words.toWellFormed()), await sortByRarity(read, published, readWords(words)));
  return { cells: [rank, ...NAMES], group: `${rank}, `, order: `${rank}, ` };
}

/** Sorts words by the number of entities that have the word: the rarest word comes first. */
async function sortByRarity(read: Read, published: Published, words: readonly string[]): Promise<readonly string[]> {
  if (words.length < 2) return words;
  const counts = words.map((word) => `(SELECT sum(sign) ${writeFrom(published, joinWords([word]))})`);
  const [row = []] = await read<readonly number[]>(`SELECT ${counts.join(', ')}`);
  const found = new Map(words.map((word, at) => [word, Number(row[at])]));
  return words.toSorted((a, b) => (found.get(a) ?? 0) - (found.get(b) ?? 0));
}

function readWords(words: string): readonly string[] {
  return [...new Set(listWords(fold(words.toWellFormed())))];
}

function joinWords(words: readonly string[]): Conditions {
  const conditions = words.map(writeWord);
  const [indexed, ...others] = conditions.map(([condition]) => condition);
  return { indexed: indexed && [indexed, ...others].join(' AND '), others: conditions.map(([, exact]) => exact) };
}

/** The ISIC code and the code of the legal form follow the stored fields. */
export const SUMMARY = [...storedNames.map((name) => summaryFields[name].column), 'isic', 'legal_form_code'].join(', ');

/** The columns from which the name that a search by words matched is found. They follow the columns of `SUMMARY`. */
const MATCHED = 'name_key, number_keys, named_registry';

/** Results that have the same value. `before` is the number of results in all preceding cells. */
type Cell = readonly [value: string | number, results: number, before: number];

/** One row: the cells that contain results from `from` to `to`, the total, and how many rows the table has. */
type LocatedRow = readonly [cells: Cell[], total: number, rows: number];

type Window = Readonly<Record<'from' | 'to', number>>;

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

/** Adds a condition that selects only the rows of some cells. */
function writeCells({ indexed, others }: Conditions, column: string, cells: readonly Cell[]): Conditions {
  const values = cells.map(([value]) => (typeof value === 'number' ? String(value) : quote(value)));
  return { indexed, others: [...others, `${column} IN (${values.join(', ')})`] };
}

export type PageRow = readonly [summary: readonly (string | number | null)[]];

/** Selects the results in result order, each with the values of the entity's last row. */
function writePage(
  published: Published,
  conditions: Conditions,
  { group, order }: Order,
  { from, to }: Window,
): string {
  return `
    SELECT argMaxIf((${SUMMARY}, ${MATCHED}), publication, sign = 1) ${writeFrom(published, conditions)}
    GROUP BY ${group}name_key, canonical_name, id HAVING sum(sign) > 0
    ORDER BY ${order}name_key, canonical_name, id LIMIT ${to - from} OFFSET ${from}`;
}

/** Selects the current row of each of these entities. */
export function writeRows(published: Published, ids: readonly string[]): string {
  return `
    SELECT sum(sign), argMaxIf((${entityColumns.join(', ')}), publication, sign = 1)
    ${writeFrom(published, { others: [`id IN (${ids.map(quote).join(', ')})`] })}
    GROUP BY id`;
}

/** Counts the entities for each combination of the values of these expressions. */
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

/** Counts the rows that a publication has added, and adds up their signs. */
export const writeCheck = (build: number, publication: number) =>
  `SELECT count(), sum(sign) FROM ${nameTable(build)} WHERE publication = ${publication}`;

export const writeCountRows = (build: number) => `(SELECT count() FROM ${nameTable(build)})`;

/** Conditions, all of which a row must meet. `indexed` is evaluated first, by the text index, and leaves few rows. */
export interface Conditions {
  readonly indexed?: string | undefined;
  readonly others: readonly string[];
}

/** Writes the part of a statement that selects the rows of a publication and of all earlier publications that meet these conditions. */
export function writeFrom({ build, publication, skipped }: Published, { indexed, others }: Conditions): string {
  const without = skipped.length === 0 ? [] : [`publication NOT IN (${skipped.join(', ')})`];
  const where = [`publication <= ${publication}`, ...without, ...others].join(' AND ');
  return `FROM ${nameTable(build)} ${indexed === undefined ? '' : `PREWHERE ${indexed} `}WHERE ${where}`;
}

export function writeConditions(query: SearchQuery): Conditions {
  const { country, register, jurisdiction, status, legalForm, legalFormCode, activity, isic } = query;
  const { registeredFrom, registeredTo } = query;
  const text = fold(query.q.toWellFormed());
  const [ofText, ...exact] = text === '' ? [] : writeFragment(text);
  const words = joinWords(readWords(query.words));
  const indexed = [ofText, words.indexed].filter((one) => one !== undefined).join(' AND ') || undefined;
  const conditions: string[] = [];
  const compare = (column: string, operator: string, value: string | undefined) => {
    if (value !== undefined) conditions.push(`${column} ${operator} ${quote(value.toWellFormed())}`);
  };
  compare('country_code', '=', country);
  compare('register', '=', register);
  compare('jurisdiction', '=', jurisdiction);
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
  return { indexed, others: [...conditions, ...exact, ...words.others] };
}

export type Read = <Row extends readonly unknown[]>(sql: string) => Promise<Row[]>;

/** What the statements of one answer read: all of them read one publication. */
interface Source {
  readonly read: Read;
  readonly published: Published;
  /** More results than this are not sorted at once if finer cells can divide them. */
  readonly maxSorted: number;
}

/** Some results in their order, and the total number of results. The results are read some thousand at a time. */
export async function findResults(source: Source, query: SearchQuery, window: Window) {
  const conditions = writeConditions(query);
  const order = await describeOrder(source, query);
  const { cells, total } = await locate(source, conditions, order.cells[0] ?? '', window);
  return { total, parts: readCells(source, order, conditions, 0, cells, window) };
}

/** Reads the results of a window from the cells that the window touches; a large cell is divided into finer cells. */
async function* readCells(
  source: Source,
  order: Order,
  conditions: Conditions,
  level: number,
  cells: readonly Cell[],
  { from, to }: Window,
): AsyncGenerator<PageRow[]> {
  const [column = '', finer] = order.cells.slice(level);
  for (const part of groupCells(cells, source.maxSorted)) {
    const before = part[0]?.[2] ?? 0;
    const results = countResults(part);
    const window = { from: Math.max(0, from - before), to: Math.min(to - before, results) };
    const within = writeCells(conditions, column, part);
    if (results <= source.maxSorted || finer === undefined) {
      yield await source.read<PageRow>(writePage(source.published, within, order, window));
    } else {
      const located = await locate(source, within, finer, window);
      yield* readCells(source, order, within, level + 1, located.cells, window);
    }
  }
}

/** Groups neighbouring cells that are sorted together. A cell that is too large is a group of its own. */
function groupCells(cells: readonly Cell[], maxSorted: number): Cell[][] {
  const parts: Cell[][] = [];
  for (const cell of cells) {
    const part = parts.at(-1);
    if (part !== undefined && countResults(part) + cell[1] <= maxSorted) part.push(cell);
    else parts.push([cell]);
  }
  return parts;
}

function countResults(cells: readonly Cell[]): number {
  return cells.reduce((sum, [, results]) => sum + results, 0);
}

async function locate({ read, published }: Source, conditions: Conditions, column: string, window: Window) {
  const [row] = await read<LocatedRow>(writeLocate(published, conditions, column, window));
  const [cells = [], total = 0, rows] = row ?? [];
  requireRows(rows, published.rows);
  return { cells: cells.toSorted((a, b) => a[2] - b[2]), total };
}

/** The first `limit` results, as lines of JSON. */
export async function* readLines(source: Source, query: SearchQuery, limit: number): AsyncGenerator<ResultLines> {
  const describe = describeHits(query);
  const { parts } = await findResults(source, query, { from: 0, to: Math.min(limit, Number.MAX_SAFE_INTEGER) });
  for await (const rows of parts) {
    for (let first = 0; first < rows.length; first += ROWS_PER_READ) {
      const some = rows.slice(first, first + ROWS_PER_READ);
      const lines = some.map(([values]) => `${JSON.stringify(describe(values))}\n`).join('');
      yield { rows: some.length, lines: Buffer.from(lines) };
    }
  }
}

const [REGISTER, LEGAL_FORM] = [storedNames.indexOf('register'), storedNames.indexOf('legalForm')];

/** The ISIC code and the code of the legal form follow the stored fields. */
export function summarize(values: PageRow[0]) {
  const text = (at: number) => (values[at] ?? null) as string | null;
  const form = { register: text(REGISTER), legalForm: text(LEGAL_FORM), legalFormCode: text(storedNames.length + 1) };
  return describeSummary(values, { isic: text(storedNames.length), ...deriveForm(form) });
}

/** Describes the results of a query. If the query has words, each result includes the name that the words matched. */
export function describeHits(query: SearchQuery): (values: PageRow[0]) => object {
  const words = readWords(query.words);
  if (words.length === 0) return summarize;
  const findName = compileMatchedName(words);
  return (values) => {
    const summary = summarize(values);
    const [nameKey, numberKeys, namedRegistry] = values.slice(storedNames.length + 2) as [string, string, string];
    const { canonicalName, countryCode } = summary;
    return { ...summary, matchedName: findName({ canonicalName, countryCode, nameKey, numberKeys, namedRegistry }) };
  };
}

/** The columns of the store that hold a legal form. */
const COLUMNS = { code: 'legal_form_code', label: 'legal_form' } as const;

/** Writes the condition that a row has one of these legal forms; `write` writes a value. */
function writeForms(forms: readonly FormValues[], write: (value: string) => string): string {
  const alternatives = forms.map(
    ({ register, column, values }) =>
      `(register = ${write(register)} AND ${COLUMNS[column]} IN (${values.map(write).join(', ')}))`,
  );
  return alternatives.length === 0 ? '1 = 0' : `(${alternatives.join(' OR ')})`;
}
