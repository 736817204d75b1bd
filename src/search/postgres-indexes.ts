import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Db, Transaction } from '../db/db.ts';
import { FORM_INDEX, FORM_OF_REGISTER } from './postgres-forms.ts';
import { CREATE_ISIC_CODES, ISIC_CODES, ISIC_INDEX } from './postgres-isic.ts';
import type { SortOrder } from './search.ts';

/**
 * The indexes of the engine in PostgreSQL, and how they are created. They are not part of the migrations, because a
 * database that is searched in memory does not need them and would pay for them at every import.
 */
const ORDER = 'name_key COLLATE "binary", canonical_name COLLATE "binary", id COLLATE "binary"';

/** The order of results by each value of `sort`. */
export const ORDERS: Readonly<Record<SortOrder, string>> = {
  name: ORDER,
  '-registeredAt': `registered_at COLLATE "binary" DESC NULLS LAST, ${ORDER}`,
  '-updatedAt': `updated_at DESC NULLS LAST, ${ORDER}`,
};

/**
 * A B-tree entry has at most 2,704 bytes, and one longer text would make an import fail. So the indexes in result order
 * leave out entities whose texts are longer than any real name; a query reads those separately.
 */
const SIZE = `octet_length(name_key) + octet_length(canonical_name) + octet_length(number_keys)
  + coalesce(octet_length(legal_form), 0) + coalesce(octet_length(legal_form_code), 0)`;
export const ORDERED_PART = `${SIZE} < 2000`;
export const OVERSIZED_PART = `${SIZE} >= 2000`;

export const ACTIVITIES = 'string_to_array(activity_keys, chr(10))';

/** The entities with former or further names, and these names in lower case. Matching finds entities by them. */
export const WITH_OTHER_NAMES = `(registry LIKE '%"previousNames":%' OR registry LIKE '%"otherNames":%')`;
export const OTHER_NAMES = `lower(coalesce(substring(registry from '"previousNames":(\\[[^]]*\\])'), '')
  || coalesce(substring(registry from '"otherNames":(\\[[^]]*\\])'), ''))`;

/** Columns that a query may compare while it reads an index in result order. Without them it would read the table. */
const FILTERED = 'number_keys, status, register';
const ALL_FILTERED = `${FILTERED}, country_code, legal_form, legal_form_code`;

/**
 * By name. An index with a changed definition needs a new name, because an existing name is taken for current.
 * `trigrams` is the operator class of pg_trgm. `entities_filters` is only for counting: it has a twentieth of the size
 * of the others. `entities_sizes` finds the oversized entities and gives the planner statistics on how few they are.
 */
const INDEXES: Readonly<Record<string, (trigrams: string) => string>> = {
  entities_in_order: () => `(${ORDER}) INCLUDE (${FILTERED}) WHERE ${ORDERED_PART}`,
  entities_country_in_order: () => `(country_code, ${ORDER}) INCLUDE (${FILTERED}) WHERE ${ORDERED_PART}`,
  entities_form_in_order: () =>
    `(legal_form, ${ORDER}) INCLUDE (${FILTERED}, country_code, legal_form_code) WHERE ${ORDERED_PART}`,
  entities_form_code_in_order: () =>
    `(legal_form_code, ${ORDER}) INCLUDE (${FILTERED}, country_code, legal_form)
      WHERE ${ORDERED_PART} AND legal_form_code IS NOT NULL`,
  entities_registered_in_order: () => `(${ORDERS['-registeredAt']}) INCLUDE (${ALL_FILTERED}) WHERE ${ORDERED_PART}`,
  entities_updated_in_order: () => `(${ORDERS['-updatedAt']}) INCLUDE (${ALL_FILTERED}) WHERE ${ORDERED_PART}`,
  entities_filters: () => '(country_code, legal_form, status, register)',
  entities_sizes: () => `((${SIZE}))`,
  entities_activities: () => `USING gin (${ACTIVITIES})`,
  [FORM_INDEX]: () => `((${FORM_OF_REGISTER})) WHERE ${ORDERED_PART}`,
  [ISIC_INDEX]: () => `USING gin (${ISIC_CODES})`,
  entities_name_trigrams: (trigrams) => `USING gin (name_key ${trigrams})`,
  entities_other_name_trigrams: (trigrams) => `USING gin ((${OTHER_NAMES}) ${trigrams}) WHERE ${WITH_OTHER_NAMES}`,
  entities_number_trigrams: (trigrams) => `USING gin (number_keys ${trigrams})`,
};

/** Indexes over earlier tables of industries and forms, and what an earlier version of this program had instead. */
const FORMER = /^entities_(?:activity_classes|(?:isic|forms)_[0-9a-f]{16})$/;

const RETRY_MS = 1_000;

/**
 * Creates the missing indexes, one per transaction, so that a restart loses at most one. Of several processes only one
 * creates them; imports wait meanwhile, searches do not. If all indexes exist, nothing is written: a replica or a
 * read-only role is enough.
 */
export async function prepareIndexes(db: Db, log: Log, signal: AbortSignal): Promise<void> {
  let built = false;
  while (!signal.aborted) {
    const name = await findMissing(db);
    if (name === undefined) break;
    const isOurs = await db.transaction(
      async (tx) => {
        if (!(await tx.claim('firmament search indexes'))) return false;
        log.info({ index: name }, 'building a search index');
        await cancelOnAbort(db, tx, signal, () => createIndex(tx, name));
        return true;
      },
      { patient: true },
    );
    built ||= isOurs;
    if (!isOurs) await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
  }
  // Without statistics on the indexed expressions, the planner assumes that a third of all entities is oversized.
  if (built && !signal.aborted) {
    await dropFormer(db).catch((error: unknown) => log.warn({ err: error }, 'cannot drop a former search index'));
    await db.transaction((tx) => tx.script('ANALYZE entities'), { patient: true });
  }
}

/** Imports would keep them up to date for nothing. Their functions stay, because another process may still run the earlier version. */
async function dropFormer(db: Db): Promise<void> {
  const rows = await db.all<{ name: string }>("SELECT indexname AS name FROM pg_indexes WHERE tablename = 'entities'");
  const former = rows.filter(({ name }) => FORMER.test(name) && INDEXES[name] === undefined);
  for (const { name } of former) await db.run(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
}

async function findMissing(db: Db): Promise<string | undefined> {
  const rows = await db.all<{ name: string; valid: number }>(
    `SELECT relname AS name, indisvalid AS valid FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
      WHERE indrelid = 'entities'::regclass`,
  );
  const valid = new Map(rows.map((row) => [row.name, row.valid === 1]));
  const name = Object.keys(INDEXES).find((index) => !valid.get(index));
  if (name === undefined || !valid.has(name)) return name;
  throw new Error(`the index ${name} is not valid: wait until it is built, or drop it`);
}

async function createIndex(tx: Transaction, name: string): Promise<void> {
  const trigrams = `"${await provideTrigrams(tx)}".gin_trgm_ops`;
  if (name === ISIC_INDEX) await tx.script(CREATE_ISIC_CODES);
  const create = tx.script(`CREATE INDEX IF NOT EXISTS ${name} ON entities ${INDEXES[name]?.(trigrams)}`);
  await withAdvice(create, 'start once as the role that owns the tables');
}

/** The schema of pg_trgm, which need not be on our search path. A missing extension is created in our schema. */
async function provideTrigrams(tx: Transaction): Promise<string> {
  const find = () =>
    tx.one<{ schema: string }>(
      `SELECT nspname AS schema FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace
        WHERE extname = 'pg_trgm'`,
    );
  const found = await find();
  if (found !== undefined) return found.schema;
  await withAdvice(tx.script('CREATE EXTENSION pg_trgm'), 'have an administrator run CREATE EXTENSION pg_trgm');
  return (await find())?.schema ?? '';
}

async function withAdvice(work: Promise<void>, advice: string): Promise<void> {
  await work.catch((error: unknown) => {
    if (error instanceof Failure) throw error;
    throw new Error(`SEARCH_ENGINE=postgres: ${error instanceof Error ? error.message : error}: ${advice}`, {
      cause: error,
    });
  });
}

/** Building an index may take minutes: a shutdown cancels it instead of waiting for it. */
async function cancelOnAbort(db: Db, tx: Transaction, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  const backend = await tx.one<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const cancel = () => void db.run('SELECT pg_cancel_backend($1)', [backend?.pid ?? 0]).catch(() => undefined);
  signal.addEventListener('abort', cancel);
  try {
    await work();
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}
