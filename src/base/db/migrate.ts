import { readdirSync, readFileSync } from 'node:fs';
import type { Clock } from '../clock.ts';
import type { Db, Queries, StoreName } from './db.ts';

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

type SchemaState = 'current' | 'behind' | 'newer' | 'unreleased';

/** The schema of the database is not that of this program. Continuing could damage its data. */
export class SchemaError extends Error {}

/** Reads a store's migrations in order: `migrations/<store>/NNNN_name.sql`, numbered from 0001 without gaps. */
export function loadMigrations(store: StoreName): Migration[] {
  return loadMigrationFolder(new URL(`../../../migrations/${store}/`, import.meta.url));
}

export function loadMigrationFolder(folder: URL): Migration[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'));
  return files.sort().map((file, index) => {
    const version = Number(/^(\d{4})_[a-z0-9_]+\.sql$/.exec(file)?.[1]);
    if (version !== index + 1) {
      const number = String(index + 1).padStart(4, '0');
      throw new Error(`migration ${file} must be named ${number}_<name>.sql`);
    }
    return { version, name: file, sql: readFileSync(new URL(file, folder), 'utf8') };
  });
}

/** Compares the schema of the database with the schema that this program expects. The readiness probe uses this function too. */
export async function findSchemaState(db: Db, migrations: readonly Migration[]): Promise<SchemaState> {
  if (!(await db.hasTable('migrations'))) return 'behind';
  return compareApplied(await listApplied(db), migrations);
}

async function listApplied(db: Pick<Queries, 'all'>): Promise<string[]> {
  return (await db.all<{ name: string }>('SELECT name FROM migrations ORDER BY version')).map(({ name }) => name);
}

function compareApplied(applied: readonly string[], migrations: readonly Migration[]): SchemaState {
  if (migrations.some(({ name }, at) => at < applied.length && applied[at] !== name)) return 'unreleased';
  if (applied.length === migrations.length) return 'current';
  return applied.length < migrations.length ? 'behind' : 'newer';
}

/** Applies the missing migrations in one transaction and returns their names. A second process waits for the first one. */
export async function migrate(db: Db, migrations: readonly Migration[], clock: Clock): Promise<string[]> {
  if ((await findSchemaState(db, migrations)) === 'current') return [];
  return db.transaction(
    async (tx) => {
      await tx.claimSchema();
      await tx.script(
        'CREATE TABLE IF NOT EXISTS migrations (version BIGINT PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL)',
      );
      const applied = await listApplied(tx);
      requireSupported(compareApplied(applied, migrations));
      const missing = migrations.slice(applied.length);
      for (const { version, name, sql } of missing) {
        await tx.script(sql);
        const values = [version, name, clock.now()];
        await tx.run('INSERT INTO migrations (version, name, applied_at) VALUES ($1, $2, $3)', values);
      }
      return missing.map(({ name }) => name);
    },
    { patient: true },
  );
}

const UNSUPPORTED: Readonly<Partial<Record<SchemaState, string>>> = {
  newer: 'the database was migrated by a newer release. Run that release, or restore a backup made before the upgrade.',
  unreleased:
    'the database was made by a development version, and no release can read it. Set DATA_DIR or DATABASE_URL to an empty place, and import the files again.',
};

/** Throws a `SchemaError` unless this release can use or migrate the database. */
export function requireSupported(state: SchemaState): asserts state is 'current' | 'behind' {
  const problem = UNSUPPORTED[state];
  if (problem !== undefined) throw new SchemaError(problem);
}

export type Schemas = ReturnType<typeof createSchemas>;

export function createSchemas(dbs: Readonly<Record<StoreName, Db>>, clock: Clock) {
  const stores = (['registry', 'accounts'] as const).map((name) => {
    return { name, db: dbs[name], migrations: loadMigrations(name) };
  });
  return {
    /** Brings both stores up to date. Returns the migrations applied, as `<store>/<name>`. */
    async migrate(): Promise<string[]> {
      const applied: string[] = [];
      for (const { name, db, migrations } of stores) {
        for (const migration of await migrate(db, migrations, clock)) applied.push(`${name}/${migration}`);
      }
      return applied;
    },
    /** Returns `current` if both stores are current. Otherwise returns the worse state of the two. */
    async readState(): Promise<SchemaState> {
      const states = await Promise.all(stores.map(({ db, migrations }) => findSchemaState(db, migrations)));
      const order = ['unreleased', 'newer', 'behind'] as const;
      return order.find((state) => states.includes(state)) ?? 'current';
    },
  };
}
