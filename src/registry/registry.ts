import type { Db, Queries } from '../base/db/db.ts';
import { MAX_LOOKUP_SIZE } from '../base/db/lists.ts';
import { findVersion, readOneVersion } from '../base/db/version.ts';
import { type DatedData, type Freshness, judgeFreshness } from '../base/freshness.ts';
import { DEFAULT_PARTY_MODES, type PartyModes } from '../base/party-modes.ts';
import { createBatch } from '../base/system/batch.ts';
import { indexRegisters, type Register } from '../registers/contract.ts';
import { type CountryName, countries } from '../registers/index.ts';
import { type CompanyReference, findIds } from './company-references.ts';
import { nameCountry } from './country-names.ts';
import { createParties } from './parties/parties.ts';
import { writePartyCounts } from './parties/store.ts';
import * as imports from './records/imports/store.ts';
import {
  createRecordFinder,
  describeMainRow,
  findFormerNames,
  isCut,
  type MainRow,
  renderEntity,
  type StoredRecord,
} from './records/records.ts';
import type { Replica } from './records/replica.ts';
import { createLongRecordLoader, itemsOf, recordExcerpt, type Wanted, wholeRecord } from './records/shown-record.ts';
import { createEntityFinder, MAX_INLINE_BYTES } from './records/store.ts';
import { limitRecord, limitRegisters } from './records/withholding.ts';

interface RegistryOptions {
  /** Records are read from the replica while it is current. Everything else is read from `db`. */
  readonly replica?: Replica | undefined;
  readonly partyModes?: PartyModes;
}

export type Registry = ReturnType<typeof createRegistry>;

/** What the rest of the program can read about registers and their records. Searching is not part of it. */
export function createRegistry(db: Db, registers: readonly Register[], options: RegistryOptions = {}) {
  const { replica, partyModes = DEFAULT_PARTY_MODES } = options;
  const findWithholding = limitRegisters(registers, partyModes);
  const loadLong = createLongRecordLoader(db, findWithholding);
  const findShort = createEntityFinder(MAX_INLINE_BYTES, writePartyCounts(registers, partyModes));
  const findRecords = createRecordFinder(indexRegisters(registers), findShort);
  const findStored = createBatch(
    async (ids: readonly string[]) => {
      const read = (from: Db) => findRecords(from, ids);
      const { version, records } = (await replica?.read(ids.length, read)) ?? (await read(db));
      const found = new Map<string, { version: string; record: StoredRecord }>();
      for (const record of records) found.set(record.entity.id, { version, record });
      return ids.map((id) => found.get(id));
    },
    { maxSize: MAX_LOOKUP_SIZE, inBursts: true },
  );

  /** Long columns are read by further statements. All statements must see the same version of the data. */
  async function find<T>(id: string, wanted: Wanted<T>) {
    const read = async () => {
      const found = await findStored(id);
      if (found === undefined) return null;
      const { version, record } = found;
      if (isCut(record.entity)) return loadLong(record, version, wanted);
      return { version, content: await wanted.select([renderEntity(await limitRecord(record, findWithholding))]) };
    };
    return (await readOneVersion(read)) ?? undefined;
  }

  return {
    listCountries: () => findCountries(db, registers),
    listRegisters: (now: number) => findRegisterStates(db, registers, now),
    /** What imports did on each day since a given day. Days are counted from the Unix epoch. */
    listImportDays: (since: number) => imports.listImportDays(db, since),
    /** The values that registers do not know, by register, the most frequent first. */
    async listUnknownValues(): Promise<imports.StoredUnknownValue[]> {
      // A value that occurs in several imports is listed with the figures of the latest one.
      const latest = new Map<string, imports.StoredUnknownValue>();
      for (const stored of await imports.listUnknownValues(db)) {
        latest.set(JSON.stringify([stored.register, stored.kind, stored.column, stored.value]), stored);
      }
      return [...latest.values()];
    },
    /** The ids of these companies, in the given order. Undefined for companies that do not exist here. */
    findIds: (references: readonly CompanyReference[]) => findIds(db, registers, references),
    /** Finds a full record by its id in lower case. Lookups that are made in the same turn of the event loop share a statement. */
    findEntity: (id: string) => find(id, wholeRecord),
    findExcerpt: (id: string) => find(id, recordExcerpt),
    /** Finds some items of one list of a record. The content is undefined if the record has no such list. */
    findList: (id: string, { pointer, first, count }: { pointer: string; first: number; count: number }) =>
      find(id, itemsOf(pointer, first, count)),
    /** The latest former name of each of these records that has a former name, by id. */
    findFormerNames: (ids: readonly string[]) => findFormerNames(db, ids),
    /** The main file and row of each of these records, by id. These lookups share a statement, as lookups of `findEntity` do. */
    async findMainRows(ids: readonly string[]): Promise<ReadonlyMap<string, MainRow>> {
      const found = await Promise.all(ids.map((id) => findStored(id)));
      const rows = new Map<string, MainRow>();
      for (const { record } of found.filter((each) => each !== undefined)) {
        const row = describeMainRow(record);
        if (row !== undefined) rows.set(record.entity.id, row);
      }
      return rows;
    },
    listFiles: () => imports.listLatestFiles(db),
    parties: createParties(db, registers, partyModes),
    version: () => findVersion(db),
  };
}

/** For benchmarks and tests. */
export { deleteAll as emptyRegistry } from './records/imports/store.ts';

export interface Country extends CountryName {
  readonly enabled: boolean;
  /** The official data that shows how current the country is: of its own registers, or else of registers that also list its companies. */
  readonly data: readonly DatedData[];
}

/** All countries that have entities or are planned, sorted by code. */
async function findCountries(db: Queries, registers: readonly Register[]): Promise<Country[]> {
  const holdings = new Map((await imports.listHoldings(db)).map((holding) => [holding.register, holding]));
  const held = Map.groupBy(await imports.countByCountry(db), ({ country }) => country);
  const known = new Map(countries.map((country) => [country.code, country]));
  const codes = [...new Set([...known.keys(), ...held.keys()])].sort();
  return codes.map((code) => {
    const ids = new Set(held.get(code)?.map(({ register }) => register));
    const official = registers.filter(({ id }) => ids.has(id) && holdings.get(id)?.synthetic === 0);
    const own = official.filter(({ country }) => country === code);
    return {
      ...(known.get(code) ?? nameCountry(code)),
      enabled: held.has(code),
      data: (own.length > 0 ? own : official).map((register) => describeData(register, holdings.get(register.id))),
    };
  });
}

function describeData({ updates }: Register, holding: imports.Holding | undefined): DatedData {
  return { rhythm: updates, asOf: holding?.asOf ?? null, importedAt: holding?.importedAt ?? null };
}

/** What the store holds of a register, and how current it is. */
export interface RegisterState extends Pick<imports.SourceCheck, 'checkedAt' | 'failures' | 'problem'> {
  readonly register: Register;
  readonly entities: number;
  /** The day that the data of the latest import describes, `YYYY-MM-DD`; null if unknown from its files. */
  readonly asOf: string | null;
  readonly importedAt: number | null;
  /** Null if there is no data, if the data is synthetic, or if the publisher has no known rhythm. */
  readonly freshness: Freshness | null;
  /** Whether the latest full import, or an import after it, was of invented companies. */
  readonly synthetic: boolean;
}

async function findRegisterStates(db: Queries, registers: readonly Register[], now: number): Promise<RegisterState[]> {
  const holdings = new Map((await imports.listHoldings(db)).map((holding) => [holding.register, holding]));
  const checks = new Map((await imports.listChecks(db)).map((check) => [check.register, check]));
  return registers.map((register) => {
    const holding = holdings.get(register.id);
    const { entities = 0, asOf = null, importedAt = null } = holding ?? {};
    const { checkedAt = null, failures = 0, problem = null } = checks.get(register.id) ?? {};
    const synthetic = holding?.synthetic === 1;
    const isJudged = entities > 0 && !synthetic;
    const freshness = isJudged ? judgeFreshness(register.updates, { asOf, importedAt }, now) : null;
    return { register, entities, asOf, importedAt, checkedAt, freshness, failures, problem, synthetic };
  });
}
