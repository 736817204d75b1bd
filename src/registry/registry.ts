import { createBatch } from '../core/batch.ts';
import { chooseLookupSize, MAX_LOOKUP_SIZE } from '../core/pad-list.ts';
import type { Db } from '../db/db.ts';
import { readVersion } from '../db/version.ts';
import type { Register } from '../registers/contract.ts';
import { countries } from '../registers/index.ts';
import { type EntityText, renderEntity } from './entity.ts';
import { indexRegisters } from './record.ts';
import type { Replica } from './replica.ts';
import { deleteAll, findEntities, type Holding, readHoldings } from './store.ts';

/**
 * The registry service: what the rest of the program can ask about registers and their records. This folder owns the
 * records and their import (`import.ts`). It does not search them.
 */
export interface Registry {
  listCountries(): Promise<Country[]>;
  listRegisters(): Promise<RegisterState[]>;
  /** Finds a full record by its id in lower case. Lookups made in one turn of the event loop share a statement. */
  findEntity(id: string): Promise<EntityText | undefined>;
  /** Identifies the current data. Changes with every import. */
  version(): Promise<string>;
}

export interface Country {
  readonly code: string;
  readonly name: string;
  readonly nativeName: string;
  /** Whether a register of the country has data. */
  readonly enabled: boolean;
}

export interface RegisterState {
  readonly register: Register;
  readonly entities: number;
  readonly importedAt: number | null;
  /** Whether the latest import was of invented companies. */
  readonly synthetic: boolean;
}

/** Reads records from the replica, if there is one and it is current. Everything else is read from `db`. */
export function createRegistry(db: Db, registers: readonly Register[], replica?: Replica): Registry {
  const registersById = indexRegisters(registers);
  const findStored = createBatch(
    async (ids: readonly string[]) => {
      const size = chooseLookupSize(ids.length);
      const { version, entities } = (await replica?.find(ids, size)) ?? (await findEntities(db, ids, size));
      const found = new Map(entities.map((stored) => [stored.id, { version, stored }]));
      return ids.map((id) => found.get(id));
    },
    { maxSize: MAX_LOOKUP_SIZE },
  );

  return {
    async listCountries() {
      const filled = new Set((await readHoldings(db)).filter(hasEntities).map((holding) => holding.register));
      const enabled = new Set(registers.filter(({ id }) => filled.has(id)).map(({ country }) => country));
      return countries.map((country) => ({ ...country, enabled: enabled.has(country.code) }));
    },
    async listRegisters() {
      const holdings = new Map((await readHoldings(db)).map((holding) => [holding.register, holding]));
      return registers.map((register) => {
        const holding = holdings.get(register.id);
        return {
          register,
          entities: holding?.entities ?? 0,
          importedAt: holding?.importedAt ?? null,
          synthetic: holding?.synthetic === 1,
        };
      });
    },
    async findEntity(id) {
      const found = await findStored(id);
      if (found === undefined) return undefined;
      const { version, stored } = found;
      return { version, text: renderEntity(stored, registersById.get(stored.register)) };
    },
    version: () => readVersion(db),
  };
}

function hasEntities({ entities }: Holding): boolean {
  return entities > 0;
}

/** Deletes every record, for benchmarks and tests. */
export async function emptyRegistry(db: Db): Promise<void> {
  await deleteAll(db);
}
