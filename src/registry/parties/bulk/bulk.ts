import type { Snapshot } from '../../../base/db/db.ts';
import type { Register } from '../../../registers/contract.ts';
import { type Contents, findContents, type RecordLimit, type RowKey } from '../../records/bulk/bulk.ts';
import { createLimits } from '../../records/withholding.ts';
import { type Company, loadCompanies } from '../companies/store.ts';
import { createPartyReader, linkOf, type ShownParty } from '../parties.ts';
import { createPartyFinder, listStoredSets, type SelectedSet } from '../store.ts';

export type { Company } from '../companies/store.ts';
export { listStoredSets, type SelectedSet, streamPartyKeys, writePartyCounts } from '../store.ts';

/** Reads all parties of one version of the data, from a snapshot, as `records/bulk/` reads all entities. */
export interface BulkParty {
  /** What users see of the party: the fields of the API, and the company. */
  readonly shown: ExportedParty;
  readonly company: Company | undefined;
  /** The party itself, if it is a company with a record here. */
  readonly linked: Company | undefined;
  /** The register and the number of the party, if both are certain. */
  readonly link: { readonly register: string; readonly number: string } | null;
  readonly day: string;
}

export interface ExportedParty extends ShownParty {
  readonly id: string;
  readonly register: string;
  readonly companyNumber: string;
  readonly companyId: string | null;
}

/** The country of a register's parties. `ZZ` for registers that span countries: a code that ISO 3166-1 leaves to users. */
export function countryOfParties(register: Pick<Register, 'country'> | undefined): string {
  return register?.country ?? 'ZZ';
}

export async function findPartyContents(
  view: Snapshot,
  registers: readonly Pick<Register, 'id' | 'country'>[],
  sets: readonly SelectedSet[],
): Promise<Contents> {
  const isSelected = (held: { readonly register: string; readonly set: string }) =>
    sets.some(({ register, set }) => register === held.register && set === held.set);
  const stored = Map.groupBy((await listStoredSets(view)).filter(isSelected), ({ register }) => register);
  const holdings = registers.flatMap((register) => {
    const entities = (stored.get(register.id) ?? []).reduce((sum, { parties }) => sum + parties, 0);
    return entities === 0 ? [] : { country: countryOfParties(register), register: register.id, entities };
  });
  return { ...(await findContents(view)), holdings };
}

/** Returns a function that reads the parties with the given keys, in the order of the keys. */
export function createBulkPartyReader(
  view: Snapshot,
  registers: readonly (Pick<Register, 'id' | 'country'> & RecordLimit)[],
) {
  const registersById = new Map(registers.map((register) => [register.id, register]));
  const findParties = createPartyFinder(view);
  const read = createPartyReader(view, createLimits(new Map(registers.map(({ id, limit }) => [id, limit]))));
  return async (keys: readonly RowKey[]): Promise<BulkParty[]> => {
    const rows = await findParties(keys);
    const wanted = rows.flatMap((row) => [{ register: row.register, number: row.company }, linkOf(row)]);
    const find = await loadCompanies(view, registersById, wanted);
    return (await read(rows, find)).map(({ row, file, shown }) => {
      const { id, register, company: companyNumber, partyRegister, partyNumber } = row;
      const company = find(register, companyNumber);
      return {
        shown: { id, register, companyNumber, companyId: company?.id ?? null, ...shown },
        company,
        linked: find(partyRegister, partyNumber),
        link: partyRegister === null || partyNumber === null ? null : { register: partyRegister, number: partyNumber },
        day: file?.asOf ?? new Date(file?.importedAt ?? 0).toISOString().slice(0, 10),
      };
    });
  };
}
