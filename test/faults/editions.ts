import { join } from 'node:path';
import type { TestDatabase } from '../harness/databases.ts';
import { run } from '../harness/process.ts';

/** Writes two editions of a register with different companies, and returns the environment for importing them. */
export async function writeEditions({ dataDir, databaseUrl }: TestDatabase, rows: number) {
  const env = { DATA_DIR: dataDir, LOG_LEVEL: 'fatal', ...(databaseUrl && { DATABASE_URL: databaseUrl }) };
  const files: string[] = [];
  for (const seed of ['1', '2']) {
    const file = join(dataDir, `register-${seed}.csv`);
    await run(['generate', 'gb', '--rows', String(rows), '--seed', seed, '--out', file], env);
    files.push(file);
  }
  return { env, files };
}
