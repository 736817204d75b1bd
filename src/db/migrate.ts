import { readdirSync, readFileSync } from 'node:fs';
import type { Clock } from '../core/clock.ts';
import type { Db, StoreName } from './db.ts';

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

export type SchemaState = 'current' | 'behind' | 'newer';

/** The database was migrated by a newer release. Continuing could damage data that this one does not know about. */
export class SchemaTooNew extends Error {}

export class SchemaBehind extends Error {}

/** Reads a store's migrations in order: `migrations/<store>/NNNN_name.sql`, numbered from 0001 without gaps. */
export function readMigrations(store: StoreName): Migration[] {
  return readMigrationFolder(new URL(`../../migrations/${store}/`, import.meta.url));
}

export function readMigrationFolder(folder: URL): Migration[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'));
  return files.sort().map((file, index) => {
    const version = Number(/^(\d{4})_[a-z0-9_]+\.sql$/.exec(file)?.[1]);
    if (version !== index + 1) throw new Error(`migration ${file} must be named ${pad(index + 1)}_<name>.sql`);
    return { version, name: file, sql: readFileSync(new URL(file, folder), 'utf8') };
  });
}

/** Compares the schema with what this program expects. The readiness probe uses it, too. */
export async function readSchemaState(db: Db, migrations: readonly Migration[]): Promise<SchemaState> {
  if (!(await db.hasTable('migrations'))) return 'behind';
  const row = await db.one<{ version: number }>('SELECT coalesce(max(version), 0) AS version FROM migrations');
  const version = row?.version ?? 0;
  if (version === migrations.length) return 'current';
  return version < migrations.length ? 'behind' : 'newer';
}

/** Applies the missing migrations in one transaction and returns their names. A second process waits for the first. */
export async function migrate(db: Db, migrations: readonly Migration[], clock: Clock): Promise<string[]> {
  if ((await readSchemaState(db, migrations)) === 'current') return [];
  return db.transaction(
    async (tx) => {
      await tx.claimSchema();
      await tx.script(
        'CREATE TABLE IF NOT EXISTS migrations (version BIGINT PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL)',
      );
      const row = await tx.one<{ version: number }>('SELECT coalesce(max(version), 0) AS version FROM migrations');
      const version = row?.version ?? 0;
      if (version > migrations.length) throw new SchemaTooNew(tooNew(version, migrations.length));
      const missing = migrations.slice(version);
      for (const migration of missing) {
        await tx.script(migration.sql);
        await tx.run('INSERT INTO migrations (version, name, applied_at) VALUES ($1, $2, $3)', [
          migration.version,
          migration.name,
          clock.now(),
        ]);
      }
      return missing.map((migration) => migration.name);
    },
    { patient: true },
  );
}

function tooNew(found: number, known: number): string {
  return (
    `the database has schema version ${found}, this release supports up to ${known}: ` +
    'it was migrated by a newer release. Run that release, or restore a backup made before the upgrade.'
  );
}

function pad(version: number): string {
  return String(version).padStart(4, '0');
}
