import { authorities } from '../registers/gleif/register.ts';
import { registers } from '../registers/index.ts';
import { nameCountry } from './country-names.ts';

const names = new Map(
  registers.map(({ id, name, country }) => [id, country === null ? name : `${nameCountry(country).name}: ${name}`]),
);

/** The name of a register after its country. An unknown register, which only a filter can name, is shown by its id. */
export function nameRegister(id: string): string {
  return names.get(id) ?? id;
}

const authorityNames = new Map(
  [...authorities].flatMap(([register, codes]) => codes.map((code) => [code, nameRegister(register)] as const)),
);

/** The register that GLEIF means by the code of a registration authority, such as `RA000585`, and the code. */
export function nameAuthority(code: string): string {
  const name = authorityNames.get(code);
  return name === undefined ? `${code} (GLEIF’s list of authorities)` : `${name} (${code})`;
}
