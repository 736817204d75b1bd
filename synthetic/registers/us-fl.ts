/** Invented entities in lines of 1,440 characters. */
import { LINES } from '../../src/registers/us-fl/register.ts';
import { type Chance, pickByShare } from '../chance.ts';
import { type MadeRow, tableGenerator } from '../tables.ts';
import { formsOf, makeAgent, makeFormed, makeName, makePerson, makePlace, writePlace } from './us.ts';

const format = { dialect: LINES } as const;
const name = 'cordata.zip';
const file = { register: 'us-fl', table: 'entities', name, packing: 'zip', header: false, digits: 9, format } as const;
const LETTERS: Readonly<Record<string, string>> = {
  FLAL: 'L',
  DOMP: 'P',
  DOMNP: 'N',
  DOMLP: 'A',
  FORP: 'F',
  FORL: 'M',
};

function writeAt(chance: Chance, prefix: string): MadeRow {
  const at = (part: string) => `${prefix}${part}`;
  const place = makePlace(chance, 'FL');
  const columns = [at('Address1'), at('Address2'), at('City'), at('State'), at('Zip')] as const;
  return { ...writePlace(place, [...columns]), [at('Country')]: 'US' };
}

function writeParty(chance: Chance, prefix: string): MadeRow {
  const at = (part: string) => `${prefix}${part}`;
  const { street, city, state, zip } = makePlace(chance, 'FL');
  const { first, middle, last } = makePerson(chance);
  const isPerson = chance.is(0.7);
  return {
    [at('Type')]: isPerson ? 'P' : 'C',
    [at('Name')]: isPerson
      ? `${last.padEnd(20)}${first.padEnd(14)}${middle}`.toUpperCase().trimEnd()
      : makeAgent(chance),
    [at('Address')]: street,
    [at('City')]: city,
    [at('State')]: state,
    [at('Zip')]: zip.replace('-', ''),
  };
}

export const generateFile = tableGenerator(file, (chance, serial) => {
  const [form = '', ending = ''] = pickByShare(chance, formsOf('FL'));
  const [year = '', month, day] = chance.date(1970, 2026).split('-');
  return {
    documentNumber: `${LETTERS[form]}${year.slice(2)}${serial}`,
    name: makeName(chance, ending),
    status: chance.is(0.4) ? 'A' : 'I',
    filingType: form,
    ...writeAt(chance, 'principal'),
    ...(chance.is(0.5) && writeAt(chance, 'mailing')),
    filed: `${month}${day}${year}`,
    fei: chance.is(0.5) ? String(chance.between(100_000_000, 999_999_999)) : '',
    hasMoreOfficers: 'N',
    formedIn: form.startsWith('FOR') ? makeFormed(chance).slice(0, 2) : 'FL',
    report1Year: '2025',
    report1Filed: `0${chance.between(1, 5)}152025`,
    ...writeParty(chance, 'agent'),
    ...writeParty(chance, 'officer1'),
    officer1Title: chance.pick(['P', 'D', 'MGR']),
    ...(chance.is(0.3) && { ...writeParty(chance, 'officer2'), officer2Title: 'S' }),
  };
});
