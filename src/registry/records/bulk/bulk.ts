import type { Snapshot } from '../../../base/db/db.ts';
import { findVersion } from '../../../base/db/version.ts';
import type { PartyModes, SetModes } from '../../../base/party-modes.ts';
import type { Register } from '../../../registers/contract.ts';
import { type CountryHolding, countByCountry, listHoldings, listInvented } from '../imports/store.ts';
import { createRecordFinder, describeEntity, type EntityParts, type RecordRegister } from '../records.ts';
import { createKeyFinder, findNumbering, type RowKey } from '../store.ts';
import { createLimits, findLimit, limitRecord } from '../withholding.ts';

export { type BulkKey, type RowKey, type Selection, streamKeys } from '../store.ts';

/** Reads all entities of one snapshot, rendered as for the API. Sorted keys come first, so that several threads can read records by them. */

/** Identifies the state of a snapshot: snapshots with equal moments have the same entities under the same keys. */
export interface Moment {
  readonly version: string;
  readonly numbering: number;
}

export async function findMoment(view: Snapshot): Promise<Moment> {
  return { version: await findVersion(view), numbering: await findNumbering(view) };
}

export interface RecordLimit {
  /** What may be written about persons in records of the register (`withholding.ts`). */
  readonly limit: SetModes | undefined;
}

/** The values of a register that rendering its records needs. They can be sent to a thread, which then need not load all registers. */
export interface BulkRegister extends RecordRegister, RecordLimit, Pick<Register, 'name' | 'country'> {}

export function describeRegister(register: Register, modes: PartyModes): BulkRegister {
  const { id, name, country, publisher, sourceUrl, licence, links } = register;
  return { id, name, country, publisher, sourceUrl, licence, links, limit: findLimit(register, modes) };
}

/** Returns a function that reads the records with given keys, in the order of the keys. */
export function createBulkReader(view: Snapshot, version: string, registers: readonly BulkRegister[], counts: string) {
  const findWithholding = createLimits(new Map(registers.map(({ id, limit }) => [id, limit])));
  const findByKeys = createKeyFinder(view, counts);
  const findRecords = createRecordFinder<RowKey>(
    new Map(registers.map((register) => [register.id, register])),
    async (_db, keys) => ({ version, entities: await findByKeys(keys) }),
  );
  return async (keys: readonly RowKey[]): Promise<EntityParts[]> => {
    const parts: EntityParts[] = [];
    for (const record of (await findRecords(view, keys)).records) {
      parts.push(describeEntity(await limitRecord(record, findWithholding)));
    }
    return parts;
  };
}

export interface Contents extends Moment {
  readonly holdings: readonly CountryHolding[];
  /** The day that the data of each register describes, if the day is known from its files. */
  readonly asOf: ReadonlyMap<string, string | null>;
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
