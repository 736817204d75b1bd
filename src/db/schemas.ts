import type { Clock } from '../core/clock.ts';
import type { Db, StoreName } from './db.ts';
import { migrate, readMigrations, readSchemaState, type SchemaState } from './migrate.ts';

/** The schemas of both stores, migrated and checked together. */
export interface Schemas {
  /** Brings both stores up to date. Returns the migrations applied, as `<store>/<name>`. */
  migrate(): Promise<string[]>;
  /** `current` if both stores are; `newer` if any store is. */
  readState(): Promise<SchemaState>;
}

export function createSchemas(dbs: Readonly<Record<StoreName, Db>>, clock: Clock): Schemas {
  const stores = (['registry', 'accounts'] as const).map((name) => {
    return { name, db: dbs[name], migrations: readMigrations(name) };
  });
  return {
    async migrate() {
      const applied: string[] = [];
      for (const { name, db, migrations } of stores) {
        for (const migration of await migrate(db, migrations, clock)) applied.push(`${name}/${migration}`);
      }
      return applied;
    },
    async readState() {
      const states = await Promise.all(stores.map(({ db, migrations }) => readSchemaState(db, migrations)));
      return states.find((state) => state === 'newer') ?? states.find((state) => state === 'behind') ?? 'current';
    },
  };
}
