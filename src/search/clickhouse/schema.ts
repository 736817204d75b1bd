import { type StoredName, storedNames, summaryFields } from '../../core/entity-summary.ts';
import { type Connection, unavailable } from './connection.ts';

/**
 * The tables in ClickHouse. Each build of the index has a table of its own, so that searches never see half of one. On a
 * cluster named `firmament`, every node has a table with its part of the rows, and a `Distributed` table over all parts.
 */

/** Raised with every change of the columns and of the tables in `classifications/`. Releases with different layouts keep their tables side by side. */
export const LAYOUT = 2;

/** What was tested. Older versions lack settings that make searches exact. */
const MIN_VERSION = [26, 5] as const;
const CLUSTER = 'firmament';

function typeOf(name: StoredName): string {
  const { type, values, nullable } = summaryFields[name];
  if (type === 'timestamp') return 'Int64';
  const text = nullable ? 'Nullable(String)' : 'String';
  return values === 'few' ? `LowCardinality(${text})` : text;
}

/**
 * A row says that an entity appeared (`sign` 1) or ended (-1) in a publication, with all values it had. `bucket` is the number
 * of a range of names, in result order: see `buckets.ts`.
 */
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

export interface Cluster {
  /** The statements that create the table of a build. */
  writeTables(database: string, build: number): readonly string[];
}

/** The name of the table of a build. */
export function nameTable(build: number): string {
  return `entities_v${LAYOUT}_${build}`;
}

/** Checks every node and returns what they are together. The cause of an error is a sentence for the operator. */
export async function readCluster(
  connection: Connection,
  minVersion: readonly number[] = MIN_VERSION,
): Promise<Cluster> {
  const nodes = await connection.readEverywhere<[version: string, shards: number, replica: number]>(
    `SELECT version(), (SELECT countDistinct(shard_num) FROM clusters WHERE cluster = '${CLUSTER}'),
      (SELECT count() FROM macros WHERE macro = 'replica')`,
  );
  const described = nodes.map(([row]) => ({ version: row?.[0] ?? '', shards: row?.[1] ?? 0, replica: row?.[2] ?? 0 }));
  for (const { version } of described) requireVersion(version, minVersion);
  const [first = { shards: 0, replica: 0 }, ...others] = described;
  if (others.some(({ shards, replica }) => shards !== first.shards || replica !== first.replica)) {
    throw unavailable(new Error(`the nodes of CLICKHOUSE_URL disagree about the cluster "${CLUSTER}"`));
  }
  if (described.length > 1 && first.shards === 0) {
    throw unavailable(new Error(`CLICKHOUSE_URL has several nodes, but they have no cluster "${CLUSTER}"`));
  }
  if (described.length < first.shards) {
    throw unavailable(
      new Error(`the cluster "${CLUSTER}" has ${first.shards} shards: list all its nodes in CLICKHOUSE_URL`),
    );
  }
  return { writeTables: (database, build) => writeTables(database, build, first) };
}

/** Asks any node that can be reached: searches do not need all of them. */
export async function checkVersion(connection: Connection, minVersion: readonly number[] = MIN_VERSION): Promise<void> {
  const [row] = await connection.read<[version: string]>('SELECT version()');
  requireVersion(row?.[0] ?? '', minVersion);
}

function requireVersion(version: string, minVersion: readonly number[]): void {
  if (!isOlder(version, minVersion)) return;
  throw unavailable(new Error(`ClickHouse ${version} is too old: upgrade to ${minVersion.join('.')} or newer`));
}

function isOlder(version: string, minVersion: readonly number[]): boolean {
  const parts = version.split('.').map(Number);
  for (const [at, min] of minVersion.entries()) {
    const part = parts[at] ?? 0;
    if (part !== min) return part < min;
  }
  return false;
}

function writeTables(
  database: string,
  build: number,
  { shards, replica }: { shards: number; replica: number },
): string[] {
  const table = `${database}.${nameTable(build)}`;
  const columns = Object.entries(COLUMNS).map(([name, type]) => `${name} ${type}`);
  const path = `/clickhouse/tables/${database}/${nameTable(build)}/{shard}`;
  const engine = replica === 0 ? 'MergeTree' : `ReplicatedMergeTree('${path}', '{replica}')`;
  const create = (name: string) =>
    `CREATE TABLE IF NOT EXISTS ${name} (${columns.join(', ')}) ENGINE = ${engine}
      ORDER BY (bucket, name_key, canonical_name, id)`;
  if (shards === 0) return [create(table)];
  return [
    create(`${table}_part`),
    `CREATE TABLE IF NOT EXISTS ${table} AS ${table}_part
      ENGINE = Distributed('${CLUSTER}', '${database}', '${nameTable(build)}_part', sipHash64(id))`,
  ];
}

/** Removes the tables of builds that are not searched any more. */
export async function dropTables(connection: Connection, isDropped: (build: number) => boolean): Promise<void> {
  const { database } = connection.place;
  const nodes = await connection.readEverywhere<[name: string]>(
    `SELECT name FROM tables WHERE database = '${database}'`,
  );
  const builds = new Set(nodes.flat().flatMap(([name]) => readBuild(name) ?? []));
  for (const build of [...builds].filter(isDropped)) {
    for (const suffix of ['', '_part']) {
      await connection.runEverywhere(`DROP TABLE IF EXISTS ${database}.${nameTable(build)}${suffix} SYNC`);
    }
  }
}

function readBuild(table: string): number | undefined {
  const build = new RegExp(`^${nameTable(0).slice(0, -1)}(\\d+)(?:_part)?$`).exec(table)?.[1];
  return build === undefined ? undefined : Number(build);
}

export async function createDatabase(connection: Connection): Promise<void> {
  await connection.runEverywhere(`CREATE DATABASE IF NOT EXISTS ${connection.place.database}`);
}
