import type { Snapshot } from '../../../base/db/db.ts';
import type { Register } from '../../../registers/contract.ts';
import { type BulkKey, type BulkRegister, type Contents, findContents, type RowKey } from '../../records/bulk/bulk.ts';
import type { StoredFile } from '../../records/imports/store.ts';
import { createPartyLimit, isAbove } from '../../records/limit.ts';
import type { WriteSourceData } from '../../records/source-data.ts';
import type { Withholding } from '../../records/withholding.ts';
import { type Company, type FindCompany, loadCompanies } from '../companies/store.ts';
import { linkOf, type ShownParty, showParty } from '../parties.ts';
import {
  createPartyFinder,
  findPartyFiles,
  listStoredSets,
  type SelectedSet,
  type StoredParty,
  streamPartyKeys,
} from '../store.ts';

export type { Company } from '../companies/store.ts';
export { listStoredSets, type SelectedSet, writePartyCounts } from '../store.ts';

/** Reads all parties of one version of the data, from a snapshot, as `records/bulk/` reads all entities. */
export interface BulkParty {
  /** What users see of the party: the fields of the API, and the company. */
  readonly shown: ExportedParty;
  readonly company: Company | undefined;
  /** The party itself, if it is a company with a record here. */
  readonly linked: Company | undefined;
  /** The register and the number of the party, if both are certain. */
  readonly link: { readonly register: string; readonly number: string } | null;
  /** The day that the party's file describes, or else the day of the import. */
  readonly day: string;
}

export interface ExportedParty extends ShownParty {
  readonly id: string;
  readonly register: string;
  readonly companyNumber: string;
  readonly companyId: string | null;
}

/** The country of parties of registers that span countries: a code that ISO 3166-1 leaves to users. */
const ALL_COUNTRIES = 'ZZ';

type Place = Pick<Register, 'id' | 'country'>;

const placeOf = ({ country }: Pick<Place, 'country'>) => country ?? ALL_COUNTRIES;

/** Describes what the store has of these sets. */
export async function findPartyContents(
  view: Snapshot,
  registers: readonly Place[],
  sets: readonly SelectedSet[],
): Promise<Contents> {
  const counts = await listStoredSets(view);
  const holdings = registers.flatMap((register) => {
    const counted = counts.filter((one) => one.register === register.id && sets.some((set) => isSame(set, one)));
    const entities = counted.reduce((sum, { parties }) => sum + parties, 0);
    return entities === 0 ? [] : { country: placeOf(register), register: register.id, entities };
  });
  return { ...(await findContents(view)), holdings };
}

function isSame(a: Pick<SelectedSet, 'register' | 'set'>, b: Pick<SelectedSet, 'register' | 'set'>): boolean {
  return a.register === b.register && a.set === b.set;
}

export async function* listPartyKeys(
  view: Snapshot,
  registers: readonly Place[],
  sets: readonly SelectedSet[],
): AsyncGenerator<readonly BulkKey[]> {
  if (sets.length === 0) return;
  const countries = new Map(registers.map((register) => [register.id, placeOf(register)]));
  for await (const batch of streamPartyKeys(view, sets)) {
    yield batch.map(([key, register]) => ({ key, register, country: countries.get(String(register)) }) as BulkKey);
  }
}

const LOOKUP_SIZE = 64;

/** Returns a function that reads the parties with the given keys, in the order of the keys, in batches. */
export function createPartyReader(view: Snapshot, registers: readonly (Place & Pick<BulkRegister, 'limit'>)[]) {
  const registersById = new Map(registers.map((register) => [register.id, register]));
  const findParties = createPartyFinder(view);
  const files = new Map<number, StoredFile>();
  const writers = new Map<string, WriteSourceData>();
  const limiters = new Map<string, Promise<Withholding['party']>>();

  /** Undefined if the file was not imported in a higher mode than the mode of this export. */
  function findPartyLimit(id: string, file: StoredFile | undefined) {
    const limit = registersById.get(id)?.limit;
    if (limit === undefined || !isAbove(file?.modes, limit)) return undefined;
    return limiters.getOrInsertComputed(id, () => createPartyLimit(id, limit));
  }

  return async function* (keys: readonly RowKey[]): AsyncGenerator<readonly BulkParty[]> {
    for (let first = 0; first < keys.length; first += LOOKUP_SIZE) {
      const rows = await findParties(keys.slice(first, first + LOOKUP_SIZE));
      const fileIds = rows.map(({ fileId }) => fileId);
      await findPartyFiles(view, fileIds, files);
      const wanted = rows.flatMap((row) => [{ register: row.register, number: row.company }, linkOf(row)]);
      const find = await loadCompanies(view, registersById, wanted);
      const parties: BulkParty[] = [];
      for (const row of rows) {
        const file = files.get(row.fileId);
        parties.push(describeParty(row, find, file, writers, await findPartyLimit(row.register, file)));
      }
      yield parties;
    }
  };
}

function describeParty(
  row: StoredParty,
  find: FindCompany,
  file: StoredFile | undefined,
  writers: Map<string, WriteSourceData>,
  limit: Withholding['party'] | undefined,
): BulkParty {
  const { id, register, company: companyNumber, partyRegister, partyNumber } = row;
  const company = find(register, companyNumber);
  const linked = find(partyRegister, partyNumber);
  const shown = showParty(row, linked, file, writers, limit);
  return {
    shown: { id, register, companyNumber, companyId: company?.id ?? null, ...shown },
    company,
    linked,
    link: partyRegister === null || partyNumber === null ? null : { register: partyRegister, number: partyNumber },
    day: file?.asOf ?? new Date(file?.importedAt ?? 0).toISOString().slice(0, 10),
  };
}
