import { DuckDBInstance, type DuckDBValue } from '@duckdb/node-api';
import { use } from '../harness/use.ts';

/** DuckDB in memory, as an independent reader of exports. */
export interface Duck {
  all<R = Record<string, unknown>>(sql: string, params?: readonly DuckDBValue[]): Promise<R[]>;
  close(): void;
}

/** For the tests of the surrounding `describe`. */
export const useDuck = () => use(openDuck, (duck) => duck.close());

async function openDuck(): Promise<Duck> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  return {
    async all<R>(sql: string, params: readonly DuckDBValue[] = []) {
      const reader = await connection.runAndReadAll(sql, [...params]);
      return reader.getRowObjectsJson() as R[];
    },
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}
