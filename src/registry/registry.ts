import type { Db } from '../db/db.ts';
import type { Register } from '../registers/contract.ts';
import { plannedCountries } from '../registers/index.ts';
import { deleteAll, type Holding, readGeneration, readHoldings } from './store.ts';

/**
 * The registry service: what the rest of the program may ask about registers and their data. This folder owns the records
 * and how they come in; it does not search them.
 */
export interface Registry {
  listCountries(): Promise<Country[]>;
  listRegisters(): Promise<RegisterState[]>;
  generation(): Promise<number>;
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
}

export function createRegistry(db: Db, registers: readonly Register[]): Registry {
  return {
    async listCountries() {
      const filled = new Set((await readHoldings(db)).filter(hasEntities).map((holding) => holding.register));
      const enabled = new Set(registers.filter(({ id }) => filled.has(id)).map(({ country }) => country));
      return plannedCountries.map((country) => ({ ...country, enabled: enabled.has(country.code) }));
    },
    async listRegisters() {
      const holdings = new Map((await readHoldings(db)).map((holding) => [holding.register, holding]));
      return registers.map((register) => {
        const holding = holdings.get(register.id);
        return { register, entities: holding?.entities ?? 0, importedAt: holding?.importedAt ?? null };
      });
    },
    generation: () => readGeneration(db),
  };
}

function hasEntities({ entities }: Holding): boolean {
  return entities > 0;
}

/** Forgets every record, for benchmarks and tests. */
export async function emptyRegistry(db: Db): Promise<void> {
  await deleteAll(db);
}
