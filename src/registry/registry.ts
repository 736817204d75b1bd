import { createBatch } from '../core/batch.ts';
import { chooseLookupSize, MAX_LOOKUP_SIZE } from '../core/pad-list.ts';
import type { Db } from '../db/db.ts';
import { readVersion } from '../db/version.ts';
import type { Register } from '../registers/contract.ts';
import { countries } from '../registers/index.ts';
import { type CountryName, nameCountry } from './country-names.ts';
import { type EntityText, renderEntity } from './entity.ts';
import { createImportParts } from './import-parts.ts';
import {
  deleteAll,
  readCountryCodes,
  readHoldings,
  readUnknownValues,
  type StoredUnknownValue,
} from './imports/store.ts';
import { indexRegisters } from './record.ts';
import { findRecords } from './records.ts';
import type { Replica } from './replica.ts';

/**
 * The registry service: what the rest of the program can ask about registers and their records. This folder owns the
 * records and their import (`import.ts`). It does not search them.
 */
export interface Registry {
  listCountries(): Promise<Country[]>;
  listRegisters(): Promise<RegisterState[]>;
  /** The values that registers do not know, by register, the most frequent first. */
  listUnknownValues(): Promise<StoredUnknownValue[]>;
  /** Finds a full record by its id in lower case. Lookups made in one turn of the event loop share a statement. */
  findEntity(id: string): Promise<EntityText | undefined>;
  /** Identifies the current data. Changes with every import. */
  version(): Promise<string>;
}

export interface Country extends CountryName {
  /** Whether there is at least one entity of the country. */
  readonly enabled: boolean;
}

export interface RegisterState {
  readonly register: Register;
  readonly entities: number;
  readonly importedAt: number | null;
  /** Whether the latest full import, or one after it, was of invented companies. */
  readonly synthetic: boolean;
}

/** Reads records from the replica, if there is one and it is current. Everything else is read from `db`. */
export function createRegistry(db: Db, registers: readonly Register[], replica?: Replica): Registry {
  const registersById = indexRegisters(registers);
  const linking = new Set(registers.filter(({ links }) => links).map(({ id }) => id));
  const findParts = createImportParts(db);
  const findStored = createBatch(
    async (ids: readonly string[]) => {
      const size = chooseLookupSize(ids.length);
      const read = (from: Db) => findRecords(from, ids, size, linking);
      const { version, records } = (await replica?.read(ids.length, read)) ?? (await read(db));
      const found = new Map(records.map((record) => [record.entity.id, { version, record }]));
      return ids.map((id) => found.get(id));
    },
    { maxSize: MAX_LOOKUP_SIZE },
  );

  return {
    async listCountries() {
      const filled = await readCountryCodes(db);
      const known = new Map(countries.map((country) => [country.code, country]));
      const codes = [...new Set([...known.keys(), ...filled])].sort();
      return codes.map((code) => ({ ...(known.get(code) ?? nameCountry(code)), enabled: filled.includes(code) }));
    },
    async listUnknownValues() {
      // A value that several imports have is listed as in the latest one.
      const latest = new Map<string, StoredUnknownValue>();
      for (const stored of await readUnknownValues(db)) {
        latest.set(JSON.stringify([stored.register, stored.kind, stored.column, stored.value]), stored);
      }
      return [...latest.values()];
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
      const { version, record } = found;
      const { fileGeneration, register } = record.entity;
      const parts = fileGeneration === null ? [] : await findParts(fileGeneration);
      return { version, text: renderEntity(record, registersById.get(register ?? ''), parts) };
    },
    version: () => readVersion(db),
  };
}

/** Deletes every record, for benchmarks and tests. */
export async function emptyRegistry(db: Db): Promise<void> {
  await deleteAll(db);
}
