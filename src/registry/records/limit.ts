import { exceeds, listSetModes, type PartyModes, parseSetModes, type SetModes } from '../../base/party-modes.ts';
import type { Register } from '../../registers/contract.ts';
import type { StoredRecord } from './records.ts';
import { createWithholding, type Withholding } from './withholding.ts';

/** What may be shown of the persons in records of a register, and in rows of its parties. Undefined if all persons may be shown. */
export function findLimit(register: Register, modes: PartyModes): SetModes | undefined {
  const limit = listSetModes(modes, register);
  return Object.values(limit).every((mode) => mode === 'names') ? undefined : limit;
}

/** Files of an import have the same modes, so each text is compared once. */
const compared = new WeakMap<SetModes, Map<string | undefined, boolean>>();

/** Whether what was stored in these modes (`files.modes`) must be limited when it is read. */
export function isAbove(modes: string | undefined, limit: SetModes): boolean {
  const known = compared.getOrInsertComputed(limit, () => new Map());
  return known.getOrInsertComputed(modes, () => exceeds(parseSetModes(modes), limit));
}

/** Returns a function that limits the sources of parties of a register. */
export async function createPartyLimit(id: string, limit: SetModes): Promise<Withholding['party']> {
  const register = await loadRegister(id);
  return register === undefined ? (_party, _columns, { text }) => text : createWithholding(register, limit).party;
}

/**
 * The record without what the modes leave out, if it was stored in a higher mode and the removal has not reached it yet. Columns that were too
 * long to be read stay empty.
 */
export async function limitRecord(record: StoredRecord, limit: SetModes | undefined): Promise<StoredRecord> {
  const { entity, layout, file } = record;
  if (limit === undefined || !isAbove(file?.file.modes, limit)) return record;
  const { id, registry, sourceData } = entity;
  const register = await loadRegister(entity.register);
  if (register === undefined) return record;
  const withholding = createWithholding(register, limit);
  const limited = {
    ...entity,
    registry: registry === '' ? '' : JSON.stringify(withholding.registry(id, JSON.parse(registry))),
    sourceData: sourceData === '' ? '' : withholding.source(id, layout?.columns ?? null, { text: sourceData }),
  };
  return { ...record, entity: limited };
}

/** Registers are loaded only on demand: a thread starts faster without registers. */
async function loadRegister(id: string): Promise<Register | undefined> {
  const { registers } = await import('../../registers/index.ts');
  return registers.find((candidate) => candidate.id === id);
}
