import type { Clock } from '../core/clock.ts';
import type { Db, StoreName } from './db.ts';
import { migrate, readMigrations, readSchemaState, type SchemaState } from './migrate.ts';

export type Schemas = ReturnType<typeof createSchemas>;

/** The schemas of both stores, migrated and checked together. */
export function createSchemas(dbs: Readonly<Record<StoreName, Db>>, clock: Clock) {
  const stores = (['registry', 'accounts'] as const).map((name) => {
    return { name, db: dbs[name], migrations: readMigrations(name) };
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
    /** `current` if both stores are; otherwise the state that is the furthest from it. */
    async readState(): Promise<SchemaState> {
      const states = await Promise.all(stores.map(({ db, migrations }) => readSchemaState(db, migrations)));
      const order = ['unreleased', 'newer', 'behind'] as const;
      return order.find((state) => states.includes(state)) ?? 'current';
    },
  };
}
