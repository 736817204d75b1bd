/** The registers and countries. See docs/adding-a-register.md. */
import type { Register } from './contract.ts';
import { readRows } from './data-files.ts';
import * as list from './list.ts';

export const registers: readonly Register[] = Object.values(list);

export interface CountryName {
  readonly code: string;
  readonly name: string;
  readonly nativeName: string;
}

/** Countries that have a register or will get one, sorted by code. `GET /api/v1/countries` lists all these countries. */
export const countries: readonly CountryName[] = readRows('countries.tsv').map(
  ([code = '', name = '', nativeName = '']) => ({ code, name, nativeName }),
);
