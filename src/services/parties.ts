import { reject } from '../config/config-values.ts';
import type { PartyModes } from '../core/party-modes.ts';
import type { Register } from '../registers/contract.ts';
import type { Registry } from '../registry/registry.ts';

export function checkPartyModes({ exceptions }: PartyModes, registers: readonly Pick<Register, 'id'>[]): void {
  const unknown = Object.keys(exceptions).find((id) => registers.every((register) => register.id !== id));
  if (unknown !== undefined)
    reject('PARTIES', `names the register "${unknown}", which does not exist: use an id such as gleif`);
}

/** What PARTIES switches off is not only hidden, but deleted. */
export async function removeParties(
  parties: Registry['parties'],
  log: { info(fields: object, message: string): void },
): Promise<void> {
  const removed = await parties.removeOff();
  if (removed.length > 0)
    log.info({ registers: removed }, 'deleted the parties of registers that PARTIES switches off');
}
