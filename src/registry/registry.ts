import { createBatch } from '../core/batch.ts';
import type { Db } from '../db/db.ts';
import { readVersion } from '../db/version.ts';
import type { Register } from '../registers/contract.ts';
import { countries } from '../registers/index.ts';
import { type EntityText, renderEntity } from './entity.ts';
import type { Replica } from './replica.ts';
import { deleteAll, findEntities, type Holding, readHoldings } from './store.ts';

/**
 * The registry service: what the rest of the program may ask about registers and their data. This folder owns the
 * records and how they come in; it does not search them.
 */
export interface Registry {
  listCountries(): Promise<Country[]>;
  listRegisters(): Promise<RegisterState[]>;
  /** The full record; the id in lower case. Look-ups of one turn of the event loop share one statement. */
  findEntity(id: string): Promise<EntityText | undefined>;
  /** Which data an answer given now would come from. Changes with every import. */
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
  /** Whether its latest import was of invented companies. */
  readonly synthetic: boolean;
}

/** List sizes of the look-up: a statement is prepared for each of them, and a list is at most four times too long. */
const LOOK_UP_SIZES = [1, 4, 16, 64];
const MOST_AT_ONCE = 64;

/** Records may be read from a replica; everything else is asked of `db`. */
export function createRegistry(db: Db, registers: readonly Register[], replica?: Replica): Registry {
  const registersById = new Map(registers.map((register) => [register.id, register]));
  const lookUp = createBatch(
    async (ids: readonly string[]) => {
      const size = LOOK_UP_SIZES.find((candidate) => candidate >= ids.length) ?? MOST_AT_ONCE;
      const { version, entities } = (await replica?.find(ids, size)) ?? (await findEntities(db, ids, size));
      const found = new Map(entities.map((stored) => [stored.id, { version, stored }]));
      return ids.map((id) => found.get(id));
    },
    { most: MOST_AT_ONCE },
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
      const found = await lookUp(id);
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

/** Forgets every record, for benchmarks and tests. */
export async function emptyRegistry(db: Db): Promise<void> {
  await deleteAll(db);
}
