import type { Connection } from '../../src/search/clickhouse/connection.ts';

/** The SQL of `bench search --engine clickhouse`. Each statement runs on every node. */

const addUp = (nodes: readonly (readonly [number])[][]) => nodes.flat(2).reduce((sum, value) => sum + value, 0);

/** Seconds of processor time of all statements, inserts and merges so far. */
export async function readCpuSeconds({ runEverywhere }: Connection): Promise<number> {
  const sql = `SELECT sum(value) FROM events WHERE event IN ('UserTimeMicroseconds', 'SystemTimeMicroseconds')`;
  return addUp(await runEverywhere<[number]>(sql)) / 1e6;
}

export async function countMerges({ runEverywhere }: Connection): Promise<number> {
  return addUp(await runEverywhere<[number]>('SELECT count() FROM merges'));
}

/** Bytes on disk: of everything, and of the text indexes. */
export async function readBytes({ runEverywhere, place }: Connection) {
  const from = `FROM parts WHERE active AND database = '${place.database}'`;
  const all = await runEverywhere<[number]>(`SELECT sum(bytes_on_disk) ${from}`);
  const indexes = await runEverywhere<[number]>(`SELECT sum(secondary_indices_compressed_bytes) ${from}`);
  return { all: addUp(all), indexes: addUp(indexes) };
}

export async function dropDatabase({ runEverywhere, place }: Connection): Promise<void> {
  await runEverywhere(`DROP DATABASE IF EXISTS ${place.database} SYNC`);
}
