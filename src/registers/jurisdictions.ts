/** Jurisdictions by the names and letters that registers write. */
import { fold } from '../base/fold.ts';
import { findCountryCode } from './address.ts';
import { readRows } from './data-files.ts';

/** States and provinces that have registers of their own (ISO 3166-2). */
const states = readRows('states.tsv') as [string, string][];
const names = new Map(states.map(([code, name]) => [fold(name), code]));

/** States and provinces by their code. */
export const stateNames: ReadonlyMap<string, string> = new Map(states);

/**
 * `NY` or `New York` is `US-NY`. Two letters are a state of `country`: registers do not agree on the letters of other places. Null if the
 * text is neither a state of `country` nor a name in English.
 */
export function findJurisdiction(written: string, country: string): string | null {
  const code = `${country}-${written.toUpperCase()}`;
  if (written.length === 2) return stateNames.has(code) ? code : null;
  return names.get(fold(written)) ?? findCountryCode(written, 'en');
}
