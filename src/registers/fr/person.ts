/** Names of a unit other than its legal name, and of the person if the unit is a sole trader. */
import { compact } from '../parsing.ts';
import type { RegistryOf } from '../vocabulary.ts';

type Text = (column: string) => string | null;

type Person = { readonly [key: string]: string | readonly string[] };

const FIRST_NAMES = ['1', '2', '3', '4'].map((rank) => `prenom${rank}UniteLegale`);

export function readPerson(text: Text): Person {
  return compact({
    firstNames: FIRST_NAMES.map(text).filter((name) => name !== null),
    usualFirstName: text('prenomUsuelUniteLegale'),
    surname: text('nomUniteLegale'),
    usageName: text('nomUsageUniteLegale'),
    pseudonym: text('pseudonymeUniteLegale'),
    sex: text('sexeUniteLegale'),
  }) as Person;
}

/** The name that a person goes by: the usual first name, and the name in use or else the surname. */
export function writeName({ firstNames = [], usualFirstName = firstNames[0] ?? '', surname, usageName }: Person) {
  const name = `${usualFirstName} ${usageName ?? surname ?? ''}`.trim();
  return name === '' ? null : name;
}

const USUAL_NAMES = ['1', '2', '3'].map((rank) => `denominationUsuelle${rank}UniteLegale`);

export function listOtherNames(text: Text, canonicalName: string): NonNullable<RegistryOf['otherNames']> {
  const names: { name: string; type: 'short' | 'trading' }[] = [];
  const acronym = text('sigleUniteLegale');
  if (acronym !== null && acronym !== canonicalName) names.push({ name: acronym, type: 'short' });
  for (const column of USUAL_NAMES) {
    const name = text(column);
    if (name !== null && name !== canonicalName) names.push({ name, type: 'trading' });
  }
  return names;
}
