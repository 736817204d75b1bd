import { exceeds, listSetModes, type PartyModes, readSetModes, type SetModes } from '../core/party-modes.ts';
import type { Register } from '../registers/contract.ts';
import type { StoredRecord } from './records.ts';
import type { StoredEntity } from './store.ts';
import { createWithholding, namesParties } from './withholding.ts';

/** What may be shown of the persons in records of a register. Undefined if they name none. */
export function findLimit(register: Register, modes: PartyModes): SetModes | undefined {
  return namesParties(register) ? listSetModes(modes, register) : undefined;
}

/** Whether the record was stored in a higher mode: then it is limited when it is read, until the removal has reached it. */
export function needsLimit({ file }: Pick<StoredRecord, 'file'>, limit: SetModes | undefined): limit is SetModes {
  return limit !== undefined && exceeds(readSetModes(file?.file.modes ?? null), limit);
}

/**
 * The entity without what the modes leave out. Columns that were too long to be read stay empty. `columns` is of its layout. Registers are
 * loaded only if they are needed: a thread starts faster without them.
 */
export async function limitEntity(
  entity: StoredEntity,
  columns: string | undefined,
  limit: SetModes,
): Promise<StoredEntity> {
  const { id, registry, sourceData } = entity;
  const { registers } = await import('../registers/index.ts');
  const register = registers.find((candidate) => candidate.id === entity.register);
  if (register === undefined) return entity;
  const withholding = createWithholding(register, limit);
  return {
    ...entity,
    registry: registry === '' ? '' : JSON.stringify(withholding.registry(id, JSON.parse(registry))),
    sourceData: sourceData === '' ? '' : withholding.source(id, columns ?? null, { text: sourceData }),
  };
}
