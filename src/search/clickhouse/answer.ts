import { deriveForm } from '../../classifications/legal-form.ts';
import { describeSummary, storedNames } from '../../core/entity-summary.ts';
import { type ResultLines, ROWS_PER_READ, type SearchQuery } from '../search.ts';
import { unavailable } from './connection.ts';
import {
  CELLS,
  type Cell,
  type Located,
  type LocatedRow,
  type PageRow,
  writeCells,
  writeConditions,
  writeLocate,
  writePage,
} from './query.ts';
import type { Published } from './store.ts';

/** Runs a SELECT. */
export type Read = <Row extends readonly unknown[]>(sql: string) => Promise<Row[]>;

/** More results are not sorted at once, if there are finer cells. */
const MAX_SORTED = 20_000;

export interface Page {
  readonly total: number;
  /** Entity summaries. */
  readonly data: readonly object[];
}

/** One page of results, and how many there are. Finds the cells it touches, then reads them. */
export async function findPage(read: Read, published: Published, query: SearchQuery): Promise<Page> {
  const { page, pageSize, sort } = query;
  const conditions = writeConditions(query);
  let where = conditions;
  let offset = Math.min((page - 1) * pageSize, Number.MAX_SAFE_INTEGER - pageSize);
  let total: number | undefined;
  for (const columns of CELLS[sort]) {
    const located = await locate(read, published, where, columns, { from: offset, to: offset + pageSize });
    total ??= located.total;
    const [first] = located.cells;
    if (first === undefined) return { total, data: [] };
    offset -= first[2];
    where = [...conditions, ...writeCells(columns, located.cells)];
    if (countResults(located.cells) <= MAX_SORTED) break;
  }
  const rows = await read<PageRow>(writePage(published, where, sort, { limit: pageSize, offset }));
  return { total: total ?? 0, data: rows.map(([values]) => summarize(values)) };
}

export async function countWhole(read: Read, published: Published, query: SearchQuery): Promise<number> {
  const columns = CELLS[query.sort][0] ?? [];
  const { total } = await locate(read, published, writeConditions(query), columns, { from: 0, to: 0 });
  return total;
}

/** The first results in their order. Reads some thousand at a time, from the cells that contain them. */
export async function* readLines(
  read: Read,
  published: Published,
  query: SearchQuery,
  limit: number,
): AsyncGenerator<ResultLines> {
  let left = limit;
  for await (const rows of readParts(read, published, query, writeConditions(query), 0)) {
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
  read: Read,
  published: Published,
  query: SearchQuery,
  conditions: readonly string[],
  level: number,
): AsyncGenerator<PageRow[]> {
  const columns = CELLS[query.sort][level] ?? [];
  const everything = { from: 0, to: Number.MAX_SAFE_INTEGER };
  const { cells } = await locate(read, published, conditions, columns, everything);
  for (const part of groupCells(cells)) {
    const where = [...conditions, ...writeCells(columns, part)];
    const limit = countResults(part);
    if (limit > MAX_SORTED && level + 1 < CELLS[query.sort].length) {
      yield* readParts(read, published, query, where, level + 1);
    } else {
      yield await read<PageRow>(writePage(published, where, query.sort, { limit, offset: 0 }));
    }
  }
}

/** Neighbouring cells with some thousand results together. */
function* groupCells(cells: readonly Cell[]): Generator<Cell[]> {
  let part: Cell[] = [];
  for (const cell of cells) {
    if (part.length > 0 && countResults(part) + cell[1] > MAX_SORTED / 4) {
      yield part;
      part = [];
    }
    part.push(cell);
  }
  if (part.length > 0) yield part;
}

function countResults(cells: readonly Cell[]): number {
  return cells.reduce((sum, [, results]) => sum + results, 0);
}

async function locate(
  read: Read,
  published: Published,
  conditions: readonly string[],
  columns: readonly string[],
  window: { readonly from: number; readonly to: number },
): Promise<Located> {
  const [row] = await read<LocatedRow>(writeLocate(published, conditions, columns, window));
  const [cells = [], total = 0, rows = 0] = row ?? [];
  requireRows(published, rows);
  return { cells: cells.toSorted((a, b) => a[2] - b[2]), total };
}

/** A node that was replaced by an empty one, or a replica that lags, must not answer with a total that is too small. */
export function requireRows({ rows: published }: Published, rows: number): void {
  if (rows >= published) return;
  throw unavailable(new LostRows(`ClickHouse has only ${rows} of ${published} rows`));
}

export class LostRows extends Error {
  override name = 'LostRows';
}

const [REGISTER, LEGAL_FORM] = [storedNames.indexOf('register'), storedNames.indexOf('legalForm')];

/** The ISIC code and the code of the legal form follow the stored fields. */
function summarize(values: PageRow[0]) {
  const text = (at: number) => (values[at] ?? null) as string | null;
  const form = { register: text(REGISTER), legalForm: text(LEGAL_FORM), legalFormCode: text(storedNames.length + 1) };
  return describeSummary(values, { isic: text(storedNames.length), ...deriveForm(form) });
}
