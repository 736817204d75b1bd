import { deriveForm } from '../../classifications/legal-form.ts';
import { describeSummary, storedNames } from '../../core/entity-summary.ts';
import { type ResultLines, ROWS_PER_READ, type SearchQuery, type SortOrder } from '../search.ts';
import { requireRows } from './connection.ts';
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

export type Read = <Row extends readonly unknown[]>(sql: string) => Promise<Row[]>;

/** All statements of an answer read the same publication. */
export interface Source {
  readonly read: Read;
  readonly published: Published;
  /** More results than this are not sorted at once, if there are finer cells. */
  readonly maxSorted: number;
}

/** Some results in their order, and how many there are in total. They are read some thousand at a time. */
export async function findResults(source: Source, query: SearchQuery, window: Window) {
  const conditions = writeConditions(query);
  const { cells, total } = await locate(source, conditions, CELLS[query.sort][0] ?? '', window);
  return { total, parts: readCells(source, query.sort, conditions, 0, cells, window) };
}

/** Reads the results of a window from the cells that it touches, those of a large cell from finer ones. */
async function* readCells(
  source: Source,
  sort: SortOrder,
  conditions: Conditions,
  level: number,
  cells: readonly Cell[],
  { from, to }: Window,
): AsyncGenerator<PageRow[]> {
  const [column = '', finer] = CELLS[sort].slice(level);
  for (const part of groupCells(cells, source.maxSorted)) {
    const before = part[0]?.[2] ?? 0;
    const results = countResults(part);
    const window = { from: Math.max(0, from - before), to: Math.min(to - before, results) };
    const within = writeCells(conditions, column, part);
    if (results <= source.maxSorted || finer === undefined) {
      yield await source.read<PageRow>(writePage(source.published, within, sort, window));
    } else {
      const located = await locate(source, within, finer, window);
      yield* readCells(source, sort, within, level + 1, located.cells, window);
    }
  }
}

/** Neighbouring cells that are sorted together, or one that is too large. */
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

/** The first results, as lines of JSON. */
export async function* readLines(source: Source, query: SearchQuery, limit: number): AsyncGenerator<ResultLines> {
  const { parts } = await findResults(source, query, { from: 0, to: Math.min(limit, Number.MAX_SAFE_INTEGER) });
  for await (const rows of parts) {
    for (let first = 0; first < rows.length; first += ROWS_PER_READ) {
      const some = rows.slice(first, first + ROWS_PER_READ);
      const lines = some.map(([values]) => `${JSON.stringify(summarize(values))}\n`).join('');
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
