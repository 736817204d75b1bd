import assert from 'node:assert/strict';
import type { Db, Queries, Row, Value } from '../../src/base/db/db.ts';

export interface Statement {
  readonly sql: string;
  readonly params: readonly Value[];
}

/** The statements that `work` would run. */
export async function record(work: (db: Queries) => Promise<unknown>): Promise<Statement[]> {
  const statements: Statement[] = [];
  const keep = (sql: string, params: readonly Value[] = []) => statements.push({ sql, params });
  await work({
    engine: 'postgres',
    all: async (sql, params) => {
      keep(sql, params);
      return [];
    },
    rows: async (sql, params) => {
      keep(sql, params);
      return [];
    },
    one: async (sql, params) => {
      keep(sql, params);
      return undefined;
    },
    run: async (sql, params) => {
      keep(sql, params);
      return 0;
    },
    bulkLoad: () => assert.fail('not a statement'),
  });
  return statements;
}

/**
 * PostgreSQL does not accept parameters in EXPLAIN. It also prefers to read a small table whole, so that has to be disabled: then it
 * does so only if no index fits.
 */
export async function explain(db: Db, { sql, params }: Statement): Promise<string> {
  const literal = (value: Value) => (typeof value === 'string' ? `'${value}'` : String(value));
  const text = sql.replace(/\$(\d+)/g, (_, number: string) => literal(params[Number(number) - 1] ?? null));
  return db.transaction(async (tx) => {
    if (db.engine === 'postgres') await tx.script('SET LOCAL enable_seqscan = off');
    const rows = await tx.all<Row>(`EXPLAIN ${db.engine === 'sqlite' ? 'QUERY PLAN ' : ''}${text}`);
    return rows.map((row) => row.detail ?? row['QUERY PLAN']).join('\n');
  });
}
