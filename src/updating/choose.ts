import { join } from 'node:path';
import type { Register } from '../registers/contract.ts';
import type { Registry } from '../registry/registry.ts';
import { readState } from '../sources/state.ts';

/** The default of an update: registers with official data or files here. All together would be tens of gigabytes. */
export async function chooseRegisters(
  registry: Pick<Registry, 'listRegisters'>,
  sourcesFolder: string,
  now: number,
): Promise<Register[]> {
  const chosen: Register[] = [];
  for (const { register, entities, synthetic } of await registry.listRegisters(now)) {
    const { snapshots } = await readState(join(sourcesFolder, register.id));
    if ((entities > 0 && !synthetic) || snapshots.length > 0) chosen.push(register);
  }
  return chosen;
}
