import type { Snapshot } from '../../../base/db/db.ts';
import { findVersion } from '../../../base/db/version.ts';
import type { PartyModes, SetModes } from '../../../base/party-modes.ts';
import type { Register } from '../../../registers/contract.ts';
import { type CountryHolding, countByCountry, listHoldings, listInvented } from '../imports/store.ts';
import { findLimit, limitRecord } from '../limit.ts';
import type { Publication } from '../provenance.ts';
import { createRecordFinder, describeEntity, type EntityParts, findWriters } from '../records.ts';
import { createKeyFinder, findNumbering, type RowKey, type Selection, streamKeys } from './store.ts';

export type { RowKey, Selection } from './store.ts';

/**
 * Reads all entities of one version of the data, from a snapshot. Keys come first, in order; records are then read by
 * their keys, so that several threads can share the work. Records are rendered as for the API.
 */
export interface BulkKey {
  readonly key: RowKey;
  readonly country: string;
  readonly register: string;
}

/** Equal in snapshots with the same entities under the same keys. */
export interface Moment {
  /** The version of the data (`base/version.ts`). */
  readonly version: string;
  readonly numbering: number;
}

export async function findMoment(view: Snapshot): Promise<Moment> {
  return { version: await findVersion(view), numbering: await findNumbering(view) };
}

/** The keys by country, in the order of search results. The first key takes as long as sorting all keys. */
export async function* listKeys(view: Snapshot, selection: Selection): AsyncGenerator<readonly BulkKey[]> {
  for await (const batch of streamKeys(view, selection)) {
    yield batch.map(([key, country, register]) => ({ key, country, register }) as BulkKey);
  }
}

/** Many keys per statement make a lookup cheaper. More than this saves nothing. */
const LOOKUP_SIZE = 64;

/** The values of a register that rendering its records needs. They can be sent to a thread, which then need not load all registers. */
export interface BulkRegister extends Publication, Pick<Register, 'name' | 'country'> {
  /** Whether records of the register name records of other registers. */
  readonly links: boolean;
  /** What may be written about persons in records of the register (`limit.ts`). */
  readonly limit: SetModes | undefined;
}

export function describeRegister(register: Register, modes: PartyModes): BulkRegister {
  const { id, name, country, publisher, sourceUrl, licence, links = false } = register;
  return { id, name, country, publisher, sourceUrl, licence, links, limit: findLimit(register, modes) };
}

/** Returns a function that reads the records with given keys, in the order of the keys, in batches. */
export function createBulkReader(view: Snapshot, version: string, registers: readonly BulkRegister[], counts: string) {
  const registersById = new Map(registers.map((register) => [register.id, register]));
  const linking = new Set(registers.filter(({ links }) => links).map(({ id }) => id));
  const findByKeys = createKeyFinder(view, counts);
  const findRecords = createRecordFinder<RowKey>(linking, async (_db, keys) => {
    return { version, entities: await findByKeys(keys) };
  });

  return async function* (keys: readonly RowKey[]): AsyncGenerator<readonly EntityParts[]> {
    for (let first = 0; first < keys.length; first += LOOKUP_SIZE) {
      const { records } = await findRecords(view, keys.slice(first, first + LOOKUP_SIZE));
      const parts: EntityParts[] = [];
      for (const record of records) {
        const limit = registersById.get(record.entity.register)?.limit;
        parts.push(describeEntity(await limitRecord(record, limit), findWriters(record, registersById)));
      }
      yield parts;
    }
  };
}

export interface Contents extends Moment {
  readonly holdings: readonly CountryHolding[];
  /** The day that the data of each register describes, if the day is known from its files. */
  readonly asOf: ReadonlyMap<string, string | null>;
  /** Registers of which all companies are invented. */
  readonly synthetic: ReadonlySet<string>;
}

export async function findContents(view: Snapshot): Promise<Contents> {
  return {
    ...(await findMoment(view)),
    holdings: await countByCountry(view),
    asOf: new Map((await listHoldings(view)).map(({ register, asOf }) => [register, asOf])),
    synthetic: new Set(await listInvented(view)),
  };
}
