import { type StoredName, storedNames, summaryFields } from '../../core/entity-summary.ts';
import { type Connection, unavailable } from './connection.ts';
import { FRAGMENTS } from './fragments.ts';

/**
 * The tables in ClickHouse. Each build of the index has a table of its own, so that searches never see half of one. On a
 * cluster named `firmament`, every node has a table with its part of the rows, and a `Distributed` table over all parts.
 */

/** Raised with every change of the columns and of the tables in `classifications/`. Releases with different layouts keep their tables side by side. */
export const LAYOUT = 4;

/** What was tested. Older versions lack settings that make searches exact. */
const MIN_VERSION = [26, 7] as const;
const CLUSTER = 'firmament';

function typeOf(name: StoredName): string {
  const { type, values, nullable } = summaryFields[name];
  if (type === 'timestamp') return 'Int64';
  const text = nullable ? 'Nullable(String)' : 'String';
  return values === 'few' ? `LowCardinality(${text})` : text;
}

/** A row says that an entity appeared (`sign` 1) or ended (-1) in a publication, with all values it had. */
const COLUMNS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(storedNames.map((name) => [summaryFields[name].column, typeOf(name)])),
  isic: 'LowCardinality(Nullable(String))',
  name_key: 'String',
  number_keys: 'String',
  legal_form_code: 'LowCardinality(Nullable(String))',
  activity_keys: 'Array(LowCardinality(String))',
  named_registry: 'String',
  isic_codes: 'Array(LowCardinality(String))',
  bucket: 'UInt16',
  publication: 'UInt32',
  sign: 'Int8',
};
export const columnNames: readonly string[] = Object.keys(COLUMNS);
/** The columns that describe an entity: all but the last two. */
export const entityColumns: readonly string[] = columnNames.slice(0, -2);

export const nameTable = (build: number | '') => `entities_v${LAYOUT}_${build}`;

/** Checks every node, creates the database there and returns what they are together. The cause of an error is a sentence for the operator. */
export async function prepareNodes(connection: Connection): Promise<{ shards: number; isReplicated: boolean }> {
  // In a format that very old versions know: Debian ships 18.16.
  const versions = `SELECT concat('["', version(), '"]') FORMAT TabSeparated`;
  for (const [row] of await connection.runEverywhere<[version: string]>(versions)) requireVersion(row?.[0]);
  const nodes = await connection.runEverywhere<[shards: number, replica: number]>(
    `SELECT toUInt8((SELECT countDistinct(shard_num) FROM clusters WHERE cluster = '${CLUSTER}')),
      toUInt8((SELECT count() FROM macros WHERE macro = 'replica'))`,
  );
  const [first = '', ...others] = nodes.map(([row]) => String(row));
  const [shards = 0, replica = 0] = first.split(',').map(Number);
  const problem = others.some((other) => other !== first)
    ? `the nodes of CLICKHOUSE_URL disagree about the cluster "${CLUSTER}"`
    : nodes.length > 1 && shards === 0
      ? `CLICKHOUSE_URL has several nodes, but they have no cluster "${CLUSTER}"`
      : nodes.length < shards
        ? `the cluster "${CLUSTER}" has ${shards} shards: list all its nodes in CLICKHOUSE_URL`
        : undefined;
  if (problem !== undefined) throw unavailable(new Error(problem));
  await connection.runEverywhere(`CREATE DATABASE IF NOT EXISTS ${connection.place.database}`);
  return { shards, isReplicated: replica > 0 };
}

export function requireVersion(version = ''): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > MIN_VERSION[0] || (major === MIN_VERSION[0] && minor >= MIN_VERSION[1])) return;
  throw unavailable(new Error(`ClickHouse ${version} is too old: upgrade to ${MIN_VERSION.join('.')} or newer`));
}

/** Short marks: fewer rows are read for a rare result. One block per posting list: split ones take ten times longer to intersect. */
const SETTINGS = 'index_granularity = 1024, text_index_posting_list_block_size = 1000000000';

/** Creates the table of a build on every node. First drops all others but the searched one: failed builds would fill the disk. */
export async function createTables(connection: Connection, build: number, searched: number | undefined): Promise<void> {
  const { shards, isReplicated } = await prepareNodes(connection);
  await dropTables(connection, searched);
  const { database } = connection.place;
  const name = nameTable(build);
  const columns = Object.entries(COLUMNS).map(([column, type]) => `${column} ${type}`);
  for (const [index, texts] of Object.entries({ ...FRAGMENTS, activities: 'activity_keys', industries: 'isic_codes' }))
    columns.push(`INDEX ${index} ${texts} TYPE text(tokenizer = 'array')`);
  const path = `/clickhouse/tables/${database}/${name}/{shard}`;
  const engine = isReplicated ? `ReplicatedMergeTree('${path}', '{replica}')` : 'MergeTree';
  const part = shards === 0 ? name : `${name}_part`;
  await connection.runEverywhere(`CREATE TABLE IF NOT EXISTS ${database}.${part} (${columns.join(', ')})
    ENGINE = ${engine} ORDER BY (bucket, name_key, canonical_name, id) SETTINGS ${SETTINGS}`);
  if (shards === 0) return;
  await connection.runEverywhere(`CREATE TABLE IF NOT EXISTS ${database}.${name} AS ${database}.${part}
    ENGINE = Distributed('${CLUSTER}', '${database}', '${part}', sipHash64(id))`);
}

async function dropTables(connection: Connection, kept: number | undefined): Promise<void> {
  const { database } = connection.place;
  const nodes = await connection.runEverywhere<[name: string]>(
    `SELECT name FROM tables WHERE database = '${database}' AND startsWith(name, '${nameTable('')}')`,
  );
  for (const name of new Set(nodes.flat(2)))
    if (![nameTable(kept ?? ''), `${nameTable(kept ?? '')}_part`].includes(name))
      await connection.runEverywhere(`DROP TABLE IF EXISTS ${database}.${name} SYNC`);
}
