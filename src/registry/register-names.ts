import { registers } from '../registers/index.ts';
import { nameCountry } from './country-names.ts';

const names = new Map(
  registers.map(({ id, name, country }) => [id, country === null ? name : `${nameCountry(country).name}: ${name}`]),
);

/** The name of a register after its country. An unknown register, which only a filter can name, is shown by its id. */
export function nameRegister(id: string): string {
  return names.get(id) ?? id;
}
