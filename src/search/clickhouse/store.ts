import type { Db } from '../../base/db/db.ts';
import { LAYOUT } from './schema.ts';

/**
 * What is published in ClickHouse, kept in the accounts store: it has transactions, and imports do not lock it. A publication
 * is rows in ClickHouse and, when all rows are stored, one update here. Rows of a failed publication are never seen, even if
 * a process that has lost its lease still adds some: the number of the publication is in `skipped`.
 */
export interface Published {
  /** The number of the table that is searched. It is also the number of the first publication in this table. */
  readonly build: number;
  /** The last publication that is searched. */
  readonly publication: number;
  /** The failed publications before `publication`. */
  readonly skipped: readonly number[];
  /** The version of the data. */
  readonly version: string;
  /** The number of rows of all publications in the table that did not fail. The table has at least as many rows. */
  readonly rows: number;
  readonly entities: number;
}

export async function readPublished(db: Pick<Db, 'one'>): Promise<Published | undefined> {
  const row = await db.one<Omit<Published, 'skipped'> & { readonly skipped: string }>(
    `SELECT build, publication, skipped, version, rows_published AS rows, entities
      FROM search_publications WHERE layout = $1 AND publication > 0`,
    [LAYOUT],
  );
  return row && { ...row, skipped: JSON.parse(row.skipped) as number[] };
}

/** Takes a number that no other publication has or gets. */
export async function takeNumber(db: Pick<Db, 'one'>): Promise<number> {
  const row = await db.one<{ numbers: number }>(
    `INSERT INTO search_publications (layout, numbers) VALUES ($1, 1)
      ON CONFLICT (layout) DO UPDATE SET numbers = search_publications.numbers + 1 RETURNING numbers`,
    [LAYOUT],
  );
  return row?.numbers ?? 0;
}

/** Publishes, unless something else was published since `previous` was read. Returns whether this call published. */
export async function publish(
  db: Pick<Db, 'run'>,
  previous: Published | undefined,
  { build, publication, skipped, version, rows, entities }: Published,
): Promise<boolean> {
  const changed = await db.run(
    `UPDATE search_publications SET build = $1, publication = $2, skipped = $3, version = $4, rows_published = $5, entities = $6
      WHERE layout = $7 AND publication = $8`,
    [build, publication, JSON.stringify(skipped), version, rows, entities, LAYOUT, previous?.publication ?? 0],
  );
  return changed === 1;
}
