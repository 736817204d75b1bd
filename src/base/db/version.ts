import { fail } from '../errors.ts';
import { describeVersion } from '../version.ts';
import type { Queries, Value } from './db.ts';
import { type ListStatement, writeListed } from './lists.ts';

/** The version of the registry data. Defined here because both the registry and search read it. */
export async function findVersion(db: Pick<Queries, 'one'>): Promise<string> {
  const sql = 'SELECT generation, published_at AS "publishedAt" FROM generation WHERE id = 1';
  const row = await db.one<{ generation: number; publishedAt: number | null }>(sql);
  return describeVersion(row?.generation ?? 0, row?.publishedAt ?? null);
}

/** A statement that reads rows and the version of one commit. If no row matches, the result is one row with only the version. */
export function selectWithVersion(columns: string, joined: string, rest = ''): string {
  return `SELECT ${columns}, g.generation AS "currentGeneration", g.published_at AS "currentTime"
    FROM generation g LEFT JOIN ${joined} WHERE g.id = 1 ${rest}`;
}

/** The version in the last two columns of every row of a statement by `selectWithVersion`. */
export function versionOf(rows: readonly Value[][]): string {
  const [generation = 0, publishedAt = null] = rows[0]?.slice(-2) ?? [];
  return describeVersion(Number(generation), publishedAt === null ? null : Number(publishedAt));
}

interface Current {
  readonly currentGeneration: number;
  readonly currentTime: number | null;
}

/** Reads the rows and the version by a statement of `selectWithVersion`. `key` is a column that is null in no matching row. */
export async function findWithVersion<R extends object>(
  db: Pick<Queries, 'all'>,
  values: readonly Value[],
  write: ListStatement,
  key: keyof R,
): Promise<{ readonly version: string; readonly rows: readonly R[] }> {
  const found = await db.all<R & Current>(...writeListed(write, values));
  const { currentGeneration = 0, currentTime = null } = found[0] ?? {};
  return { version: describeVersion(currentGeneration, currentTime), rows: found.filter((row) => row[key] !== null) };
}

/** A try fails only if an import commits between its statements, so more tries are not needed. */
const MAX_TRIES = 3;

/** Repeats a read of several statements until all of them have seen one version. `read` returns undefined if they have seen different versions. */
export async function readOneVersion<T>(read: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    const found = await read();
    if (found !== undefined) return found;
  }
  throw fail('service_unavailable', { cause: new Error('the data changed during every attempt'), retryAfter: 1 });
}
