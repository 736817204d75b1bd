/** The registers and countries. See docs/adding-a-register.md. */
import type { Register } from './contract.ts';
import { readRows } from './data-files.ts';
import * as list from './list.ts';
import { type CountryName, manifests } from './manifest.ts';

export type { CountryName } from './manifest.ts';

export const registers: readonly Register[] = Object.values(list);

const planned = readRows('planned-countries.tsv').map(([code = '', name = '', nativeName = '']) => ({
  code,
  name,
  nativeName,
}));
const covered = Array.from(manifests.values(), ({ country }) => country).filter((country) => country !== null);

/** Countries that have a register or will get one, sorted by code. `GET /api/v1/countries` lists all these countries. */
export const countries: readonly CountryName[] = [
  ...new Map([...planned, ...covered].map((country) => [country.code, country])).values(),
].sort((one, other) => (one.code < other.code ? -1 : 1));
