import type { Snapshot } from '../../db/db.ts';
import { readVersion } from '../../db/version.ts';
import type { Register } from '../../registers/contract.ts';
import { describeEntity, type EntityParts, findWriters } from '../entity.ts';
import { readHoldings, readInvented } from '../imports/store.ts';
import { indexRegisters } from '../record.ts';
import { createRecordFinder } from '../records.ts';
import { ANY_LENGTH } from '../store.ts';
import { type CountryHolding, readCountryCounts, type Selection, streamKeys } from './store.ts';

/**
 * Reads all entities of one version of the data, from a snapshot. Keys come first, in order; records are then read by
 * their ids, so that several threads can share the work. Records are rendered as for the API.
 */
export interface BulkKey {
  readonly id: string;
  readonly country: string;
  readonly register: string;
}

/** The ids by country, in the order of search results. The first one takes as long as sorting all of them. */
export async function* readKeys(view: Snapshot, selection: Selection): AsyncGenerator<readonly BulkKey[]> {
  for await (const batch of streamKeys(view, selection)) {
    yield batch.map(([id, country, register]) => ({ id, country, register }) as BulkKey);
  }
}

/** Many ids per statement make a lookup cheaper. More than this saves nothing. */
const LOOKUP_SIZE = 64;

/** Returns the records with these ids, in their order, in batches. */
export type ReadRecords = (ids: readonly string[]) => AsyncIterable<readonly EntityParts[]>;

export function createBulkReader(view: Snapshot, registers: readonly Register[]): ReadRecords {
  const registersById = indexRegisters(registers);
  const linking = new Set(registers.filter(({ links }) => links).map(({ id }) => id));
  const findRecords = createRecordFinder(linking, ANY_LENGTH);

  return async function* (ids) {
    for (let first = 0; first < ids.length; first += LOOKUP_SIZE) {
      const some = ids.slice(first, first + LOOKUP_SIZE);
      const { records } = await findRecords(view, some, LOOKUP_SIZE);
      const found = new Map(records.map((record) => [record.entity.id, record]));
      yield some.map((id) => {
        const record = found.get(id);
        if (record === undefined) throw new Error(`the snapshot has no entity ${id}`);
        return describeEntity(record, findWriters(record, registersById));
      });
    }
  };
}

export interface Contents {
  /** The version of the data (`core/version.ts`). */
  readonly version: string;
  readonly holdings: readonly CountryHolding[];
  /** The day that the data of each register describes, if its files say so. */
  readonly asOf: ReadonlyMap<string, string | null>;
  /** Registers of which all companies are invented. */
  readonly synthetic: ReadonlySet<string>;
}

/** What there is to read. */
export async function readContents(view: Snapshot): Promise<Contents> {
  return {
    version: await readVersion(view),
    holdings: await readCountryCounts(view),
    asOf: new Map((await readHoldings(view)).map(({ register, asOf }) => [register, asOf])),
    synthetic: new Set(await readInvented(view)),
  };
}
