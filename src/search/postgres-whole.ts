import { deriveSummary, parseActivities } from '../classifications/activities.ts';
import { toSummary } from '../core/entity-summary.ts';
import { describeVersion } from '../core/version.ts';
import type { Db, Snapshot } from '../db/db.ts';
import { createAccountTurns } from '../system/account-turns.ts';
import { type CountRow, type ShownRow, writeCount, writeWhole } from './postgres-query.ts';
import { type ResultLines, ROWS_PER_READ, type SearchQuery, type WholeResult } from './search.ts';

/**
 * Whole results in PostgreSQL: counted and read in one transaction (REPEATABLE READ), by a cursor, so imports do not change them and
 * this process holds only what it has just read. Each one keeps a connection until it ends, so only a few may run.
 */
export type ReadWhole = <T>(
  query: SearchQuery,
  use: (result: WholeResult) => Promise<T>,
  account: string,
  deadline: number,
) => Promise<T>;

/** A fifth of the connections. */
export function countWholeResults(connections: number): number {
  return Math.max(1, Math.floor(connections / 5));
}

export function createWholeReader(db: Db, connections: number): ReadWhole {
  const inTotal = countWholeResults(connections);
  // A download that has to end for another one takes a moment to release its connection.
  const turns = createAccountTurns({ perAccount: inTotal, inTotal });
  return (query, use, account, deadline) =>
    turns.run(account, deadline, () =>
      db.snapshot(async (view) => {
        await limitStatements(view, Math.max(1, Math.min(MAX_COUNT_MS, Math.floor(deadline - performance.now()))));
        const { sql, params } = writeCount(query);
        const { generation = 0, published_at = null, total = 0 } = (await view.one<CountRow>(sql, params)) ?? {};
        const version = describeVersion(generation, published_at);
        return use({ version, total, read: (limit) => readLines(view, query, limit) });
      }),
    );
}

/** Without a deadline. */
const MAX_COUNT_MS = 60_000;
/** The first rows may need all of them to be sorted. */
const MAX_FETCH_MS = 120_000;

async function* readLines(view: Snapshot, query: SearchQuery, limit: number): AsyncGenerator<ResultLines> {
  await limitStatements(view, MAX_FETCH_MS);
  const { sql, params } = writeWhole(query);
  await view.all(`DECLARE whole_result NO SCROLL CURSOR FOR ${sql}`, params);
  for (let left = limit; left > 0; left -= ROWS_PER_READ) {
    const rows = await view.all<ShownRow>(`FETCH ${ROWS_PER_READ} FROM whole_result`);
    const wanted = rows.slice(0, left);
    if (wanted.length > 0) {
      const lines = wanted
        .map((row) => `${JSON.stringify(toSummary(row, deriveSummary(parseActivities(row.activities), row)))}\n`)
        .join('');
      yield { rows: wanted.length, lines: Buffer.from(lines) };
    }
    if (rows.length < ROWS_PER_READ) return;
  }
}

async function limitStatements(view: Snapshot, ms: number): Promise<void> {
  await view.one("SELECT set_config('statement_timeout', $1, true) AS ms", [String(ms)]);
}
