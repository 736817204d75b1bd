/** Generates invented entities in the format of register.csv. */

import { addCheckDigit } from '../../src/registers/check-digits.ts';
import { listColumns } from '../../src/registers/contract.ts';
import { hasValidCheckDigit } from '../../src/registers/lv/register.ts';
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
import { FORENAMES, PLACES, STREETS, SURNAMES, TRADES, WORDS } from './lv-words.ts';

export function generateEntities(rows: number, seed: number): SyntheticFile {
  return {
    name: 'register.csv',
    packing: 'none',
    content: makeCsv(
      { dialect: { delimiter: ';', quote: '"', encoding: 'utf-8' } },
      listColumns('lv', 'register'),
      () => generateRows(rows, seed),
    ),
  };
}

interface Form {
  /** Cumulative share of all rows. */
  readonly share: number;
  readonly code: string;
  readonly text: string;
  readonly register: 'K' | 'B' | 'U';
  /** Text before the quoted part of the name. */
  readonly before: readonly string[];
  readonly naming: 'trade' | 'person' | 'plain';
}

const REGISTERS = { K: 'Komercreģistrs', B: 'Biedrību un nodibinājumu reģistrs', U: 'Uzņēmumu reģistra žurnāls' };
const LLC = 'Sabiedrība ar ierobežotu atbildību';
const FORMS: readonly Form[] = [
  { share: 0.58, code: 'SIA', text: LLC, register: 'K', before: [LLC, 'SIA', 'SIA'], naming: 'trade' },
  {
    share: 0.595,
    code: 'AS',
    text: 'Akciju sabiedrība',
    register: 'K',
    before: ['Akciju sabiedrība', 'AS'],
    naming: 'trade',
  },
  {
    share: 0.66,
    code: 'IK',
    text: 'Individuālais komersants',
    register: 'K',
    before: ['IK', 'Individuālais komersants'],
    naming: 'person',
  },
  { share: 0.665, code: 'FIL', text: 'Filiāle', register: 'K', before: ['SIA filiāle'], naming: 'trade' },
  { share: 0.67, code: 'PS', text: 'Pilnsabiedrība', register: 'K', before: ['PS', 'Pilnsabiedrība'], naming: 'trade' },
  { share: 0.674, code: 'KS', text: 'Komandītsabiedrība', register: 'K', before: ['KS'], naming: 'trade' },
  {
    share: 0.78,
    code: 'IND',
    text: 'Individuālais uzņēmums',
    register: 'U',
    before: ['Individuālais uzņēmums'],
    naming: 'person',
  },
  {
    share: 0.9,
    code: 'ZEM',
    text: 'Zemnieku saimniecība',
    register: 'U',
    before: ['Zemnieku saimniecība', ''],
    naming: 'plain',
  },
  { share: 0.985, code: 'BDR', text: 'Biedrība', register: 'B', before: ['', 'Biedrība'], naming: 'plain' },
  { share: 1, code: 'NOD', text: 'Nodibinājums', register: 'B', before: ['', 'Nodibinājums'], naming: 'plain' },
];

const FORM_SHARES: Shares<Form> = FORMS.map((form) => [form.share, form]);

/** The entities of register.csv, as cells in the order of its columns. */
export function* generateRows(rows: number, seed: number): Generator<readonly string[]> {
  const chance = createChance(seed);
  const takeNumber = createNumbers(chance);
  for (let row = 0; row < rows; row++) {
    const form = pickByShare(chance, FORM_SHARES);
    yield generateRow(chance, form, takeNumber());
  }
}

/** `4`, nine digits and a check digit, which is wrong for a few. Serials whose check digit would be 10 are skipped. */
function createNumbers(chance: Chance): () => string {
  const takeSerial = createSerials(chance, 9);
  return () => {
    for (;;) {
      const body = `4${takeSerial()}`;
      if (addCheckDigit(hasValidCheckDigit, body) !== null)
        return completeNumber(hasValidCheckDigit, body, chance.is(0.002));
    }
  };
}

function generateRow(chance: Chance, form: Form, number: string): string[] {
  const place = chance.pick(PLACES);
  const isClosed = chance.is(0.45);
  const registered = chance.date(1991, isClosed ? 2024 : 2025);
  const hasDate = isClosed && chance.is(0.97);
  return [
    number,
    chance.is(0.97) ? writeSepa(number) : '',
    ...generateName(chance, form),
    form.register,
    REGISTERS[form.register],
    form.code,
    form.text,
    registered,
    hasDate ? chance.date(Number(registered.slice(0, 4)) + 1, 2025) : '',
    isClosed ? (chance.is(0.05) ? 'R' : 'L') : ' ',
    generateAddress(chance, place.text),
    chance.is(0.01) ? '' : `${place.post}${chance.between(10, 99)}`,
    String(chance.between(100_000_000, 119_999_999)),
    place.region,
    place.city,
    chance.is(0.5) ? place.territory : '',
    '',
  ];
}

/** SEPA creditor identifier: its check digits (ISO 7064, mod 97) cover the number and `LV00` written in digits. */
function writeSepa(number: string): string {
  // 17 digits exceed a double's precision, so the remainder of the first 11 is taken before the other 6 are appended.
  const check = 98 - (((Number(number) % 97) * 1_000_000 + 213_100) % 97);
  return `LV${String(check).padStart(2, '0')}ZZZ${number}`;
}

/** The columns `name`, `name_before_quotes`, `name_in_quotes`, `name_after_quotes` and `without_quotes`. */
function generateName(chance: Chance, form: Form): string[] {
  const inner = generateInnerName(chance, form.naming);
  const before = chance.pick(form.before);
  if (form.naming === 'person' && chance.is(0.3)) return [`${before} ${inner}`, before, inner, '', '1'];
  if (form.before.includes(form.code) && chance.is(0.05)) return [`"${inner}" ${form.code}`, '', inner, form.code, '0'];
  if (before !== '' && chance.is(0.02)) return [`${before} ${inner}`, before, inner, '', '1'];
  return [before === '' ? `"${inner}"` : `${before} "${inner}"`, before, inner, '', '0'];
}

function generateInnerName(chance: Chance, naming: Form['naming']): string {
  if (naming === 'person' && chance.is(0.4)) return generatePerson(chance);
  const first = chance.pick(WORDS);
  const second = chance.pick(WORDS);
  if (naming === 'plain') return chance.is(0.5) ? `${first} un ${second}` : `${first} ${chance.between(1, 999)}`;
  const drawn = chance.next();
  const trade = chance.pick(TRADES);
  if (drawn < 0.003) return `${first}; ${trade}`;
  if (drawn < 0.2) return `${first.toUpperCase()} ${second.toUpperCase()} ${trade.toUpperCase()}`;
  if (drawn < 0.3) return `${chance.pick(SURNAMES)} & ${chance.pick(SURNAMES)} ${trade}`;
  if (drawn < 0.4) return `${first} ${trade} ${chance.between(1, 999)}`;
  return `${first} ${second} ${trade}`;
}

/** Surnames agree with the gender of the forename: Jānis Bērziņš, Anna Bērziņa. */
export function generatePerson(chance: Chance): string {
  const forename = chance.pick(FORENAMES);
  const surname = chance.pick(SURNAMES);
  const isWoman = forename.endsWith('a') || forename.endsWith('e');
  return `${forename} ${isWoman ? surname.replace(/is$/, 'e').replace(/[sš]$/, 'a') : surname}`;
}

function generateAddress(chance: Chance, place: string): string {
  if (place.endsWith('pag.')) return `${place}, "${chance.pick(WORDS)}s"`;
  const street = `${place}, ${chance.pick(STREETS)} ${chance.between(1, 180)}`;
  return chance.is(0.4) ? `${street} - ${chance.between(1, 90)}` : street;
}
