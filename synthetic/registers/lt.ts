/** Generates invented entities in the format of JAR_IREGISTRUOTI.csv. */

import { listColumns } from '../../src/registers/contract.ts';
import { hasValidCheckDigit } from '../../src/registers/lt/register.ts';
import {
  type Chance,
  completeNumber,
  createChance,
  createSerials,
  makeCsv,
  pickByShare,
  type Shares,
} from '../chance.ts';
import type { SyntheticFile } from '../file.ts';

export function generateEntities(rows: number, seed: number): SyntheticFile {
  return {
    name: 'JAR_IREGISTRUOTI.csv',
    packing: 'none',
    content: makeCsv(
      { dialect: { delimiter: '|', quote: '"', encoding: 'utf-8' } },
      listColumns('lt', 'JAR_IREGISTRUOTI'),
      () => generateRows(rows, seed),
    ),
  };
}

const FORMS: Shares<readonly [code: string, text: string, short: string]> = [
  [0.62, ['310', 'Uždaroji akcinė bendrovė', 'UAB']],
  [0.64, ['320', 'Akcinė bendrovė', 'AB']],
  [0.65, ['110', 'Valstybės įmonė', 'VĮ']],
  // The codes of the forms below are invented; the real ones are not known.
  [0.78, ['910', 'Mažoji bendrija', 'MB']],
  [0.96, ['920', 'Asociacija', 'Asociacija']],
  [1, ['930', 'Viešoji įstaiga', 'VšĮ']],
];

const STATUSES: Shares<readonly [code: string, text: string]> = [
  [0.9, ['0', 'Teisinis stat neįregistruotas']],
  [0.93, ['7', 'Likviduojamas']],
  [0.96, ['5', 'Bankrutuojantis']],
  [0.97, ['6', 'Bankrutavęs']],
  [0.98, ['4', 'Restruktūrizuojamas']],
  [0.99, ['1', 'Reorganizuojamas']],
  [1, ['9', 'Inicijuojamas likvidavimas']],
];

const WORDS = (
  'Ąžuolas Alvita Aušra Baltija Banga Beržas Dainava Dubysa Eglė Ežeras Gabija Gija Gintaras Giria Kalnas Klevas Krantas ' +
  'Kregždė Kuršiai Lanka Liepa Lūšis Medus Merkys Minija Mituva Neris Nida Nemunas Pajūris Perkūnas Pušis Rasa Rytas ' +
  'Rugys Saulė Sėkla Stirna Šatrija Šilas Šventoji Tauras Upė Ūla Vėtra Vilnia Vyturys Žaltvykslė Žemaitija Žuvėdra'
).split(' ');
const TRADES = (
  'architektai|baldai|dizainas|energija|finansai|grupė|investicijos|klinika|konsultacijos|langai|logistika|medis|metalas|' +
  'namai|prekyba|projektai|sprendimai|statyba|servisas|sistemos|technika|transportas|turizmas|ūkis|vaistinė'
).split('|');
const PLACES = (
  'Vilnius|Kaunas|Klaipėda|Šiauliai|Panevėžys|Alytus|Marijampolė|Kėdainių r. sav., Kėdainiai|Utenos r. sav., Utena|' +
  'Trakų r. sav., Lentvaris|Šilutės r. sav., Rusnė'
).split('|');
const STREETS = 'Gedimino pr.|Laisvės al.|Tilto g.|Žalgirio g.|Liepų g.|S. Daukanto g.|Vytauto g.|Pušų g.'.split('|');

function* generateRows(rows: number, seed: number): Generator<readonly string[]> {
  const chance = createChance(seed);
  const takeSerial = createSerials(chance, 7);
  for (let row = 0; row < rows; row++) yield generateRow(chance, `3${takeSerial()}`);
}

function generateRow(chance: Chance, body: string): string[] {
  const [formCode, form, short] = pickByShare(chance, FORMS);
  const [statusCode, status] = pickByShare(chance, STATUSES);
  const registered = chance.date(1991, 2024);
  return [
    completeNumber(hasValidCheckDigit, body, chance.is(0.002)),
    generateName(chance, chance.is(0.5) ? form : short),
    chance.is(0.01) ? '' : generateAddress(chance),
    registered,
    formCode,
    form,
    statusCode,
    status,
    chance.date(Number(registered.slice(0, 4)) + 1, 2025),
    '2026-05-27',
  ];
}

function generateName(chance: Chance, form: string): string {
  const first = chance.pick(WORDS);
  const inner = chance.is(0.3) ? `${first} ir ${chance.pick(WORDS)}` : `${first} ${chance.pick(TRADES)}`;
  const numbered = chance.is(0.4) ? `${inner} ${chance.between(2, 999)}` : inner;
  return chance.is(0.1) ? `${form} ${numbered}` : `${form} "${numbered}"`;
}

function generateAddress(chance: Chance): string {
  const flat = chance.is(0.3) ? `-${chance.between(1, 90)}` : '';
  const street = `${chance.pick(STREETS)} ${chance.between(1, 180)}${flat}`;
  return `${chance.pick(PLACES)}, ${street}, LT-${String(chance.between(1000, 99_999)).padStart(5, '0')}`;
}
