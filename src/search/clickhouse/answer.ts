import { deriveForm } from '../../classifications/legal-form.ts';
import { describeSummary, storedNames } from '../../core/entity-summary.ts';
import { type ResultLines, ROWS_PER_READ, type SearchQuery } from '../search.ts';
import { unavailable } from './connection.ts';
import {
  CELLS,
  type Cell,
  type Conditions,
  type LocatedRow,
  type PageRow,
  type Window,
  writeCells,
  writeConditions,
  writeLocate,
  writePage,
} from './query.ts';
import type { Published } from './store.ts';

/** Runs a SELECT. */
export type Read = <Row extends readonly unknown[]>(sql: string) => Promise<Row[]>;

/** All statements of an answer read the same publication. */
export interface Source {
  readonly read: Read;
  readonly published: Published;
}

/** More results are not sorted at once, if there are finer cells. */
const MAX_SORTED = 20_000;

export interface Page {
  readonly total: number;
  /** Entity summaries. */
  readonly data: readonly object[];
}

/** One page of results, and how many there are. Finds the cells it touches, then reads them. */
export async function findPage(source: Source, query: SearchQuery): Promise<Page> {
  const { page, pageSize, sort } = query;
  const conditions = writeConditions(query);
  let where = conditions;
  let from = Math.min((page - 1) * pageSize, Number.MAX_SAFE_INTEGER - pageSize);
  let total: number | undefined;
  for (const columns of CELLS[sort]) {
    const located = await locate(source, where, columns, { from, to: from + pageSize });
    total ??= located.total;
    const [first] = located.cells;
    if (first === undefined) return { total, data: [] };
    from -= first[2];
    where = writeCells(conditions, columns, located.cells);
    if (countResults(located.cells) <= MAX_SORTED) break;
  }
  const rows = await source.read<PageRow>(writePage(source.published, where, sort, { from, to: from + pageSize }));
  return { total: total ?? 0, data: rows.map(([values]) => summarize(values)) };
}

/** The first results in their order. Reads some thousand at a time, from the cells that contain them. */
export async function* readLines(source: Source, query: SearchQuery, limit: number): AsyncGenerator<ResultLines> {
  let left = limit;
  for await (const rows of readParts(source, query, writeConditions(query), CELLS[query.sort])) {
    for (let first = 0; first < rows.length && left > 0; first += ROWS_PER_READ) {
      const part = rows.slice(first, first + Math.min(ROWS_PER_READ, left));
      left -= part.length;
      const lines = part.map(([values]) => `${JSON.stringify(summarize(values))}\n`).join('');
      yield { rows: part.length, lines: Buffer.from(lines) };
    }
    if (left <= 0) return;
  }
}

async function* readParts(
  source: Source,
  query: SearchQuery,
  conditions: Conditions,
  [columns = [], ...finer]: readonly (readonly string[])[],
): AsyncGenerator<PageRow[]> {
  const everything = { from: 0, to: Number.MAX_SAFE_INTEGER };
  const { cells } = await locate(source, conditions, columns, everything);
  for (const part of groupCells(cells)) {
    const where = writeCells(conditions, columns, part);
    const to = countResults(part);
    if (to > MAX_SORTED && finer.length > 0) yield* readParts(source, query, where, finer);
    else yield await source.read<PageRow>(writePage(source.published, where, query.sort, { from: 0, to }));
  }
}

/** Neighbouring cells with some thousand results together. */
function groupCells(cells: readonly Cell[]): Cell[][] {
  const parts: Cell[][] = [];
  for (const cell of cells) {
    const part = parts.at(-1);
    if (part !== undefined && countResults(part) + cell[1] <= MAX_SORTED / 4) part.push(cell);
    else parts.push([cell]);
  }
  return parts;
}

function countResults(cells: readonly Cell[]): number {
  return cells.reduce((sum, [, results]) => sum + results, 0);
}

async function locate({ read, published }: Source, conditions: Conditions, columns: readonly string[], window: Window) {
  const [row] = await read<LocatedRow>(writeLocate(published, conditions, columns, window));
  const [cells = [], total = 0, rows = 0] = row ?? [];
  requireRows(published, rows);
  return { cells: cells.toSorted((a, b) => a[2] - b[2]), total };
}

/** A node that was replaced by an empty one, or a replica that lags, must not answer with a total that is too small. */
export function requireRows({ rows: published }: Published, rows = 0): void {
  if (rows < published) throw unavailable(new LostRows(`ClickHouse has only ${rows} of ${published} rows`));
}

export class LostRows extends Error {
  override name = 'LostRows';
}

const [REGISTER, LEGAL_FORM] = [storedNames.indexOf('register'), storedNames.indexOf('legalForm')];

/** The ISIC code and the code of the legal form follow the stored fields. */
export function summarize(values: PageRow[0]) {
  const text = (at: number) => (values[at] ?? null) as string | null;
  const form = { register: text(REGISTER), legalForm: text(LEGAL_FORM), legalFormCode: text(storedNames.length + 1) };
  return describeSummary(values, { isic: text(storedNames.length), ...deriveForm(form) });
}
