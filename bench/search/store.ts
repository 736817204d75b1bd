import type { Db, Queries, Value } from '../../src/base/db/db.ts';
import { parseNumberFragment } from '../../src/base/search-keys.ts';

/** The SQL of the benchmarks: one exported function per statement or script, with the database handle first. */

/** The columns that differ between invented companies. All values are texts; SQLite converts them to the column's type. */
export const inventedColumns = [
  'id',
  'name_key',
  'canonical_name',
  'country_code',
  'status',
  'legal_form',
  'legal_form_code',
  'registered_at',
  'updated_at',
  'number_keys',
  'activity_keys',
  'register',
  'registration_number',
  'city',
  'place',
  'registrations',
  'registry',
  'source_data',
] as const;

/** Needs a SQLite store that no other connection has open. */
export async function loadEntities(db: Db, batches: AsyncIterable<string[][]>): Promise<void> {
  const columns = [...inventedColumns, 'file_id', 'content_hash'];
  await withoutJournal(db, () =>
    db.transaction(async (tx) => {
      for await (const rows of batches) {
        for (const row of rows) row.push('1', 'bench-0000000000000000');
        await tx.bulkLoad('entities', columns, rows);
      }
    }),
  );
}

/** Replaces all companies by a few others, in either database. */
export async function replaceEntities(db: Db, rows: readonly (readonly Value[])[]): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.run('DELETE FROM entities');
    const filled = rows.map((row) => [...row, '1', 'bench-0000000000000000']);
    await tx.bulkLoad('entities', [...inventedColumns, 'file_id', 'content_hash'], filled);
  });
}

/** As an import would: the invented companies are of file 1, and the journal starts after them. */
export async function publish(db: Queries, now: number): Promise<void> {
  await db.run('UPDATE generation SET generation = generation + 1, published_at = $1, last_file = 1 WHERE id = 1', [
    now,
  ]);
  await db.run(
    `INSERT INTO journal (generation, published_at, register, batch, changes, loaded, mixed)
      SELECT generation, published_at, '', 0, 0, 0, 0 FROM generation`,
  );
}

/** Skips the journal, which would double what is written: an incomplete store is thrown away anyway. */
async function withoutJournal<T>(db: Db, work: () => Promise<T>): Promise<T> {
  await db.run('PRAGMA journal_mode = OFF');
  await db.run('PRAGMA synchronous = OFF');
  const result = await work();
  await db.run('PRAGMA journal_mode = WAL');
  return result;
}

export interface Sample {
  readonly name: string;
  readonly nameKey: string;
  readonly numberKeys: string;
  readonly countryCode: string;
  readonly legalForm: string;
  readonly activityKeys: string;
}

/** Reads one entity of the store by its row id. */
export async function readSample(db: Queries, rowId: number): Promise<Sample | undefined> {
  return db.one<Sample>(
    `SELECT canonical_name AS name, name_key AS "nameKey", number_keys AS "numberKeys", country_code AS "countryCode",
      legal_form AS "legalForm", activity_keys AS "activityKeys" FROM entities WHERE rowid = $1`,
    [rowId],
  );
}

/** The criteria of a query for both rivals: folded, undefined if not given. */
export interface Criteria {
  /** Folded. */
  readonly words: readonly string[];
  readonly fragment: string | undefined;
  readonly country: string | undefined;
  readonly legalForm: string | undefined;
  readonly activityKey: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

export interface Answer {
  readonly total: number;
  readonly ids: readonly string[];
}

const SUMMARY =
  'id, canonical_name, country_code, legal_form, status, registered_at, updated_at, register, registration_number, city';
/** The columns of `listing`, besides `place`. */
const LISTING = `name_key, number_keys, ${SUMMARY}, activity_keys`;

/**
 * Creates `listing`: the columns that a search needs, numbered and stored in result order. This makes `ORDER BY place`
 * free, an advantage that a table with changing rows would not have. Searched columns come first, because SQLite reads a
 * row from its start.
 */
export async function createListing(db: Db, registryFile: string): Promise<void> {
  await db.run('PRAGMA cache_size = -1000000');
  await db.run('PRAGMA temp_store = MEMORY');
  await db.run('ATTACH $1 AS registry', [registryFile]);
  await withoutJournal(db, () =>
    db.transaction((tx) =>
      tx.script(`
        CREATE TABLE listing (place INTEGER PRIMARY KEY, name_key TEXT NOT NULL, number_keys TEXT NOT NULL,
          country_code TEXT NOT NULL, legal_form TEXT, id TEXT NOT NULL, canonical_name TEXT NOT NULL,
          status TEXT NOT NULL, registered_at TEXT, updated_at INTEGER NOT NULL, register TEXT NOT NULL,
          registration_number TEXT NOT NULL, city TEXT NOT NULL, activity_keys TEXT NOT NULL);
        INSERT INTO listing (${LISTING})
          SELECT ${LISTING} FROM registry.entities ORDER BY name_key, canonical_name, id`),
    ),
  );
  await db.run('DETACH registry');
}

export async function readListing(db: Queries, from: number, to: number): Promise<Record<string, Value>[]> {
  return db.all(`SELECT place, ${LISTING} FROM listing WHERE place BETWEEN $1 AND $2`, [from, to]);
}

/** A large hash table leaves few segments to merge, and `optimize` leaves one, which is the fastest to query. */
export async function indexSqlite(db: Db, activityKeys: readonly string[]): Promise<void> {
  await db.run('PRAGMA cache_size = -1000000');
  await db.run('PRAGMA temp_store = MEMORY');
  await db.transaction(async (tx) => {
    await tx.script(`
      CREATE VIRTUAL TABLE listing_text USING fts5(name_key, number_keys, content = 'listing', content_rowid = 'place',
        tokenize = 'trigram case_sensitive 1');
      INSERT INTO listing_text (listing_text, rank) VALUES ('hashsize', 400000000), ('automerge', 0);
      INSERT INTO listing_text (listing_text) VALUES ('rebuild');
      INSERT INTO listing_text (listing_text) VALUES ('optimize')`);
    await tx.script('CREATE TABLE activity_names (activity INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)');
    await tx.bulkLoad(
      'activity_names',
      ['name'],
      activityKeys.map((name) => [name]),
    );
    await tx.script(`
      CREATE TABLE listing_activity (activity INTEGER, place INTEGER, PRIMARY KEY (activity, place)) WITHOUT ROWID;
      INSERT INTO listing_activity SELECT activity, place
        FROM listing, json_each('[' || replace(json_quote(activity_keys), '\\n', '","') || ']') AS line
        JOIN activity_names ON name = line.value ORDER BY activity, place;
      CREATE INDEX listing_country ON listing (country_code);
      CREATE INDEX listing_legal_form ON listing (legal_form);
      ANALYZE`);
  });
}

/** Keeps the complete file in memory. */
export async function warmSqlite(tx: Queries): Promise<void> {
  await tx.all('PRAGMA cache_size = -3000000');
  await tx.all('PRAGMA mmap_size = 20000000000');
}

/** What drives the search: the trigram index, or the filters, with every name that passes them checked. */
export type SqlitePlan = 'text' | 'filters';

export async function askSqlite(tx: Queries, criteria: Criteria, plan: SqlitePlan): Promise<Answer> {
  const { words, fragment, country, legalForm, activityKey, limit, offset } = criteria;
  const params: Value[] = [];
  const param = (value: Value) => `$${params.push(value)}`;
  const tests: string[] = [];
  const isShort = words.some((word) => [...word].length < 3);
  const number = parseNumberFragment(fragment ?? '').text;
  // The trigram index cannot find fragments of fewer than three characters.
  const indexed = plan === 'text' && fragment !== undefined && [...fragment].length >= 3 && [...number].length >= 3;
  const filtered = country !== undefined || legalForm !== undefined;
  const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;
  let from = 'listing';
  let place = 'listing.place';
  if (indexed) {
    from = filtered ? 'listing_text CROSS JOIN listing ON listing.place = listing_text.rowid' : 'listing_text';
    place = 'listing_text.rowid';
    tests.push(`listing_text MATCH ${param(`name_key : ${quote(fragment)} OR number_keys : ${quote(number)}`)}`);
  } else if (words.length > 0 && !isShort && plan === 'text') {
    from = 'listing_text';
    place = 'listing_text.rowid';
    tests.push(`listing_text MATCH ${param(words.map(quote).join(' AND '))}`);
  } else if (words.length > 0) {
    for (const word of words.map(param))
      tests.push(`(instr(name_key, ${word}) > 0 OR instr(number_keys, ${word}) > 0)`);
  } else if (activityKey !== undefined) {
    from =
      fragment === undefined && !filtered ? 'listing_activity' : 'listing_activity CROSS JOIN listing USING (place)';
    place = 'listing_activity.place';
  }
  if (activityKey !== undefined) {
    const activity = `activity = (SELECT activity FROM activity_names WHERE name = ${param(activityKey)})`;
    // The plus keeps SQLite from querying the text index once per row of the list.
    tests.push(indexed ? `+${place} IN (SELECT place FROM listing_activity WHERE ${activity})` : activity);
  }
  if (fragment !== undefined && !indexed) {
    tests.push(`(instr(name_key, ${param(fragment)}) > 0 OR instr(number_keys, ${param(number)}) > 0)`);
  }
  if (country !== undefined) tests.push(`country_code = ${param(country)}`);
  if (legalForm !== undefined) tests.push(`legal_form = ${param(legalForm)}`);
  const found = `FROM ${from}${tests.length > 0 ? ` WHERE ${tests.join(' AND ')}` : ''}`;
  const count = await tx.one<{ total: number }>(`SELECT count(*) AS total ${found}`, params);
  const rows = await tx.all<{ id: string }>(
    `SELECT ${SUMMARY} FROM (SELECT ${place} AS place ${found} ORDER BY ${place} LIMIT ${param(limit)}
      OFFSET ${param(offset)}) AS page JOIN listing USING (place) ORDER BY place`,
    params,
  );
  return { total: count?.total ?? 0, ids: rows.map(({ id }) => id) };
}

/** Creates and fills the table in one transaction, so that PostgreSQL need not log its rows. */
export async function loadPostgres(db: Db, rows: AsyncIterable<readonly Value[]>): Promise<void> {
  await db.transaction(
    async (tx) => {
      await tx.script(`
        CREATE SCHEMA IF NOT EXISTS registry;
        CREATE EXTENSION IF NOT EXISTS pg_trgm;
        CREATE EXTENSION IF NOT EXISTS pg_prewarm;
        DROP TABLE IF EXISTS listing;
        CREATE TABLE listing (place INTEGER NOT NULL, name_key TEXT NOT NULL, number_keys TEXT NOT NULL,
          country_code TEXT NOT NULL, legal_form TEXT, id TEXT NOT NULL, canonical_name TEXT NOT NULL,
          status TEXT NOT NULL, registered_at TEXT, updated_at BIGINT NOT NULL, register TEXT NOT NULL,
          registration_number TEXT NOT NULL, city TEXT NOT NULL, activity_keys TEXT[] NOT NULL)`);
      let batch: (readonly Value[])[] = [];
      const load = () => tx.bulkLoad('listing', ['place', ...LISTING.split(', ')], batch);
      for await (const row of rows) {
        if (batch.push(row) < 10_000) continue;
        await load();
        batch = [];
      }
      await load();
    },
    { patient: true },
  );
}

export async function indexPostgres(db: Db): Promise<void> {
  for (const sql of [
    'ALTER TABLE listing ADD PRIMARY KEY (place)',
    'CREATE INDEX ON listing (country_code, place)',
    'CREATE INDEX ON listing (legal_form, place)',
    'CREATE INDEX ON listing USING gin (activity_keys)',
    'CREATE INDEX ON listing USING gin (number_keys gin_trgm_ops)',
    'CREATE INDEX ON listing USING gin (name_key gin_trgm_ops)',
    "CREATE INDEX ON listing USING gin (to_tsvector('simple', name_key))",
    'VACUUM ANALYZE listing',
    'CHECKPOINT',
  ]) {
    await db.run(sql);
  }
}

export async function warmPostgres(db: Queries): Promise<void> {
  await db.all(`SELECT pg_prewarm(oid) FROM pg_class
    WHERE relnamespace = 'registry'::regnamespace AND relkind IN ('r', 'i')`);
}

/**
 * One statement that finds the hits once for total and page, or two statements that each find them. For words, the first looks for them
 * as fragments, in the order of names; the second finds words and their beginnings by `tsvector`, ranked.
 */
export type PostgresPlan = 'one statement' | 'two statements';

export async function askPostgres(db: Queries, criteria: Criteria, plan: PostgresPlan): Promise<Answer> {
  const { words, fragment, country, legalForm, activityKey, limit, offset } = criteria;
  const params: Value[] = [];
  const param = (value: Value) => `$${params.push(value)}`;
  const like = (text: string) => param(`%${text.replace(/[\\%_]/g, '\\$&')}%`);
  const tests: string[] = [];
  const isShort = words.some((word) => [...word].length < 3);
  const number = parseNumberFragment(fragment ?? '').text;
  if (fragment !== undefined && [...number].length >= 3) {
    tests.push(`(name_key LIKE ${like(fragment)} OR number_keys LIKE ${like(number)})`);
  } else if (fragment !== undefined) {
    // With LIKE, PostgreSQL would read a complete trigram index to no avail, which takes four times as long as reading the table.
    tests.push(`(strpos(name_key, ${param(fragment)}) > 0 OR strpos(number_keys, ${param(number)}) > 0)`);
  }
  let order = 'place';
  if (words.length > 0 && plan === 'two statements') {
    const query = `to_tsquery('simple', ${param(words.map((word) => `${word}:*`).join(' & '))})`;
    tests.push(`to_tsvector('simple', name_key) @@ ${query}`);
    order = `ts_rank(to_tsvector('simple', name_key), ${query}) DESC, place`;
  } else {
    const test = (word: string) =>
      isShort
        ? `(strpos(name_key, ${param(word)}) > 0 OR strpos(number_keys, ${param(word)}) > 0)`
        : `(name_key LIKE ${like(word)} OR number_keys LIKE ${like(word)})`;
    tests.push(...words.map(test));
  }
  if (country !== undefined) tests.push(`country_code = ${param(country)}`);
  if (legalForm !== undefined) tests.push(`legal_form = ${param(legalForm)}`);
  if (activityKey !== undefined) tests.push(`activity_keys @> ARRAY[${param(activityKey)}]`);
  const found = `FROM listing${tests.length > 0 ? ` WHERE ${tests.join(' AND ')}` : ''}`;
  if (plan === 'two statements') {
    const count = await db.one<{ total: number }>(`SELECT count(*) AS total ${found}`, params);
    const rows = await db.all<{ id: string }>(
      `SELECT ${SUMMARY} FROM (SELECT place ${found} ORDER BY ${order} LIMIT ${param(limit)} OFFSET ${param(offset)}) AS page
        JOIN listing USING (place) ORDER BY place`,
      params,
    );
    return { total: count?.total ?? 0, ids: rows.map(({ id }) => id) };
  }
  const rows = await db.all<{ id: string | null; total: number }>(
    `WITH hits AS MATERIALIZED (SELECT place ${found}), page AS (SELECT place FROM hits ORDER BY place
        LIMIT ${param(limit)} OFFSET ${param(offset)})
      SELECT total, ${SUMMARY} FROM (SELECT count(*) AS total FROM hits) AS counted
        LEFT JOIN (page JOIN listing USING (place)) ON true ORDER BY place`,
    params,
  );
  return { total: rows[0]?.total ?? 0, ids: rows.flatMap(({ id }) => id ?? []) };
}
