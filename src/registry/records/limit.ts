import { exceeds, listSetModes, type PartyModes, parseSetModes, type SetModes } from '../../base/party-modes.ts';
import type { Register } from '../../registers/contract.ts';
import type { StoredRecord } from './records.ts';
import { createWithholding, type Withholding } from './withholding.ts';

/** What may be shown of the persons in records of a register, and in rows of its parties. Undefined if all persons may be shown. */
export function findLimit(register: Register, modes: PartyModes): SetModes | undefined {
  const limit = listSetModes(modes, register);
  return Object.values(limit).every((mode) => mode === 'names') ? undefined : limit;
}

/** What to leave out of data of a register that was stored in these modes (`files.modes`). Undefined if all of it may be shown. */
export type FindWithholding = (id: string, modes: string | undefined) => Promise<Withholding | undefined> | undefined;

/** `limits` has the limit of each register, by its id. Data above its limit is in the store until the removal has reached it. */
export function createLimits(limits: ReadonlyMap<string, SetModes | undefined>): FindWithholding {
  // Files of an import have the same modes, so a few texts are compared.
  const known = new Map<string, Promise<Withholding | undefined>>();
  return (id, modes) => {
    const limit = limits.get(id);
    return limit && known.getOrInsertComputed(`${id} ${modes}`, () => findWithholding(id, parseSetModes(modes), limit));
  };
}

export function limitRegisters(registers: readonly Register[], modes: PartyModes): FindWithholding {
  return createLimits(new Map(registers.map((register) => [register.id, findLimit(register, modes)])));
}

/** Registers are loaded only on demand: a thread starts faster without registers. */
async function findWithholding(id: string, held: SetModes, limit: SetModes): Promise<Withholding | undefined> {
  if (!exceeds(held, limit)) return undefined;
  const { registers } = await import('../../registers/index.ts');
  const register = registers.find((candidate) => candidate.id === id);
  return register && createWithholding(register, limit);
}

/** The record without what is left out. Columns that were too long to be read stay empty. */
export async function limitRecord(record: StoredRecord, find: FindWithholding): Promise<StoredRecord> {
  const { entity, layout, file } = record;
  const finding = find(entity.register, file?.modes);
  // Nearly all records have no limit: an await would delay each of them.
  const withholding = finding && (await finding);
  if (withholding === undefined) return record;
  const { id, registry, sourceData } = entity;
  const limited = {
    ...entity,
    registry: registry === '' ? '' : JSON.stringify(withholding.registry(id, JSON.parse(registry))),
    sourceData: sourceData === '' ? '' : withholding.source(id, layout?.columns ?? null, { text: sourceData }),
  };
  return { ...record, entity: limited };
}
