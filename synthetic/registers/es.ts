/** Names for the registers of countries that speak Spanish. */
import type { Chance } from '../chance.ts';
import { readLists } from '../lists.ts';

export const es = readLists('es');

/** `AGROPECUARIA "EL ÑANDÚ" SRL` */
export function makeName(chance: Chance, ending: string): string {
  const word = chance.pick(es.words('words'));
  return `${chance.pick(es.words('trades'))} ${chance.is(0.02) ? `"${word}"` : word}${ending}`.toUpperCase();
}
