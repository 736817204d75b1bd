import type { DatedData } from '../core/freshness.ts';
import type { Queries } from '../db/db.ts';
import { type Holding, readCountryHoldings, readHoldings } from '../records/imports/store.ts';
import type { Register } from '../registers/contract.ts';
import { countries } from '../registers/index.ts';
import { type CountryName, nameCountry } from './country-names.ts';

export interface Country extends CountryName {
  /** Whether there is at least one entity of the country. */
  readonly enabled: boolean;
  /** The official data that says how current the country is: of its own registers, or else of those that also list its companies. */
  readonly data: readonly DatedData[];
}

/** All countries that have entities or are planned, sorted by code. */
export async function readCountries(db: Queries, registers: readonly Register[]): Promise<Country[]> {
  const holdings = new Map((await readHoldings(db)).map((holding) => [holding.register, holding]));
  const held = Map.groupBy(await readCountryHoldings(db), ({ code }) => code);
  const known = new Map(countries.map((country) => [country.code, country]));
  const codes = [...new Set([...known.keys(), ...held.keys()])].sort();
  return codes.map((code) => {
    const ids = new Set(held.get(code)?.map(({ register }) => register));
    const official = registers.filter(({ id }) => ids.has(id) && holdings.get(id)?.synthetic === 0);
    const own = official.filter(({ country }) => country === code);
    return {
      ...(known.get(code) ?? nameCountry(code)),
      enabled: held.has(code),
      data: (own.length > 0 ? own : official).map((register) => describeData(register, holdings.get(register.id))),
    };
  });
}

function describeData({ updates }: Register, holding: Holding | undefined): DatedData {
  return { rhythm: updates, asOf: holding?.asOf ?? null, importedAt: holding?.importedAt ?? null };
}
