/** Invented entities in the format of the monthly JSON files of the RPO. */

import type { Json } from '../../src/registers/contract.ts';
import { isValidNumber } from '../../src/registers/sk/register.ts';
import { type Chance, completeNumber, createChance, createSerials, pickByShare } from '../chance.ts';
import type { SyntheticFile } from '../file.ts';
import { readLists } from '../lists.ts';

const lists = readLists('sk');
const forms = lists.shares('form');
const statuses = lists.shares('status');
const COUNTRY = { codelistCode: 'CL000086', code: '703', value: 'Slovenská republika' };

export function generateEntities(rows: number, seed: number): SyntheticFile {
  const content = { type: 'json', layout: 'array', values: listEntities(rows, seed) } as const;
  return { name: 'init_2026-11-07_001.json.gz', packing: 'gzip', content };
}

function* listEntities(rows: number, seed: number): Generator<Json> {
  const chance = createChance(seed);
  const takeSerial = createSerials(chance, 7);
  for (let row = 0; row < rows; row++) yield makeEntity(chance, takeSerial(), 100_000 + row);
}

function makeEntity(chance: Chance, serial: string, id: number): Json {
  const [code = '', form = '', ending = '', prefix = '', list = '', register = '', office = ''] = pickByShare(
    chance,
    forms,
  );
  const [since, until, word] = [chance.date(1992, 2019), chance.date(2020, 2025), chance.pick(lists.words('words'))];
  const name =
    ending === '' ? chance.pick(lists.words('person')) : `${word} ${chance.pick(lists.words('trades'))}${ending}`;
  const isEnded = chance.is(0.2);
  const period = { validFrom: since, ...(isEnded && { validTo: until }) };
  const [status, label] = pickByShare(chance, statuses);
  const [activity = '', activities = '', title = '', description = ''] = chance.pick(lists.rows('activity'));
  const formerName = { value: `${word} ${chance.between(2, 99)}${ending}`, validFrom: since, validTo: '2019-12-31' };
  const person = () => {
    const [given = '', family = ''] = chance.pick(lists.words('person')).split(' ');
    return { formatedName: `${given} ${family}`, givenNames: [given], familyNames: [family] };
  };
  const party = (type: Json) => ({
    stakeholderType: type,
    ...period,
    address: makeAddress(chance),
    personName: person(),
  });
  return {
    id,
    identifiers: [{ value: completeNumber(isValidNumber, serial, chance.is(0.001)), validFrom: since }],
    fullNames: [...(chance.is(0.1) ? [formerName] : []), { value: name, ...period }],
    addresses: [{ ...period, ...makeAddress(chance) }],
    legalForms: [{ value: { codelistCode: 'CL000056', code, value: form }, ...period }],
    establishment: since,
    ...(isEnded && { termination: until }),
    activities: [{ economicActivityDescription: description, validFrom: since }],
    ...(list === '1' && {
      statutoryBodies: [party({ codelistCode: 'CL010113', code: '3', value: 'Konateľ' })],
      stakeholders: [party({ codelistCode: 'CL010109', code: '99', value: 'Spoločník v.o.s. / s.r.o.' })],
      equities: [{ ...period, value: '5000.00', currency: { codelistCode: 'CL000083', code: 'EUR', value: 'euro' } }],
      kuvPersonsInfo: [{ personName: person(), birthDate: '1970-01-01', country: COUNTRY, kuvInfo: [period] }],
    }),
    ...(status && {
      legalStatuses: [{ value: { codelistCode: 'CL010108', code: status, value: label ?? '' }, ...period }],
    }),
    sourceRegister: {
      value: { codelistCode: 'CL010112', code: list, value: register },
      registrationOffices: [{ value: office, validFrom: since }],
      registrationNumbers: [{ value: `${prefix}/${chance.between(100, 99_999)}/B`, validFrom: since }],
    },
    statisticalCodes: {
      statCodesActualization: '2026-01-01',
      mainActivity: { codelistCode: activities, code: activity, value: title },
      esa2010: { codelistCode: 'CL010010', code: '11002', value: 'Národné súkromné nefinančné korporácie' },
    },
  };
}

function makeAddress(chance: Chance) {
  const [municipality = '', postCode = '', street] = chance.pick(lists.rows('place'));
  return {
    ...(street && { street }),
    regNumber: street ? 0 : chance.between(1, 900),
    ...(street && { buildingNumber: String(chance.between(1, 150)) }),
    postalCodes: [postCode],
    municipality: { value: municipality },
    country: COUNTRY,
  };
}
