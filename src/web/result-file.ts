import { writeCsv } from '../core/csv.ts';
import type { Deadline } from '../core/deadline.ts';
import { type EntitySummary, summaryNames } from '../core/entity-summary.ts';
import { fail } from '../core/errors.ts';
import type { Search, SearchQuery } from '../search/search.ts';
import type { FoundPage } from './parts/results.ts';

/** The results of a search as a CSV file. Its columns are the fields of a result of the API, with the same names. */

/** One request per so many results, because the API returns at most as many per request. */
export const ROWS_PER_UNIT = 100;
export const MAX_UNITS = 10;

/** How many requests a file costs. */
export function countUnits(total: number): number {
  return Math.min(MAX_UNITS, Math.max(1, Math.ceil(total / ROWS_PER_UNIT)));
}

export interface ResultFile {
  readonly text: string;
  readonly rows: number;
}

/** Reads at most as many results as the units pay for, all from one version of the data. */
export async function writeResultFile(
  search: Pick<Search, 'find'>,
  query: SearchQuery,
  { units, account, deadline }: { readonly units: number; readonly account: string; readonly deadline: Deadline },
): Promise<ResultFile> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const entities = await readEntities();
    if (entities === undefined) continue;
    const rows = entities.map((entity) => summaryNames.map((name) => entity[name]));
    return { text: writeCsv(summaryNames, rows), rows: rows.length };
  }
  throw fail('service_unavailable', { message: 'The data is being updated: try again shortly.', retryAfter: 1 });

  /** Undefined if an import changed the data meanwhile. */
  async function readEntities(): Promise<EntitySummary[] | undefined> {
    const entities: EntitySummary[] = [];
    let first: string | undefined;
    for (let page = 1; page <= units; page++) {
      const { version, body } = await search.find({ ...query, page, pageSize: ROWS_PER_UNIT }, account, deadline);
      first ??= version;
      if (version !== first) return undefined;
      const found = JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString()) as FoundPage;
      entities.push(...found.data);
      if (page >= found.meta.pageCount) break;
    }
    return entities;
  }
}

const MAX_ATTEMPTS = 3;
