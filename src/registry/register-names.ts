import { registers } from '../registers/index.ts';

const names = new Map(registers.map(({ id, name }) => [id, name]));

/** The name of a register. An unknown one, which only a filter can name, is shown by its id. */
export function nameRegister(id: string): string {
  return names.get(id) ?? id;
}
