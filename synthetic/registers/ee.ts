/** Invented companies in the simple-data CSV. Its quirks occur about as often as in the real file. */

import { listColumns } from '../../src/registers/contract.ts';
import { isValidNumber } from '../../src/registers/ee/register.ts';
import { type Chance, completeNumber, createChance, makeCsv, pickByShare, type Shares } from '../chance.ts';
import type { SyntheticFile } from '../file.ts';

const NAME_STARTS =
  'Kask Tamm Kuusk Mänd Saar Pärn Haab Lepp Vaher Paju Meri Järv Jõgi Oja Allik Laine Rand Neeme Lahe Soo Raba Mets Salu Nurme Põld Aasa Mäe Kivi Liiva Paas Päike Kuu Täht Taeva Tuule Lume Jää Põhja Lõuna Ida Lääne Kotka Pääsu Luige Hundi Karu Ilves Rebase Põdra Ööbiku'.split(
    ' ',
  );
const NAME_ENDS =
  'mäe oja saare nõmme välja metsa soo ranna vere küla talu veski silla linna laane nurga järve kalda kopli pere õue salu'.split(
    ' ',
  );
const TRADES =
  'Ehitus Kinnisvara Invest Transport Logistika Konsultatsioonid Tarkvara Disain Puit Mööbel Metall Elekter Autoremont Kohvik Catering Raamatupidamine Haldus Kaubandus Holding Grupp Turism Põllumajandus Energia Meedia Koolitus Õigusbüroo Ilusalong Aiandus Stuudio Tehnika Kapital Partnerid Lahendused Teenused Köök Ökotooted Mesila Kalatööstus'.split(
    ' ',
  );
export const SURNAMES =
  'Tamm Saar Sepp Mägi Kask Kukk Rebane Ilves Pärn Koppel Luik Oja Raudsepp Lepik Kuusk Vaher Põder Jõgi Õunapuu Ööbik'.split(
    ' ',
  );
export const FIRST_NAMES =
  'Aare Mari Jaan Tiina Priit Kadri Ülle Märt Rein Anneli Toomas Liis Karl Kätlin Siim Õie Andres Piret'.split(' ');
const STREETS = [
  'Pärnu mnt',
  'Narva mnt',
  'Tartu mnt',
  'Õismäe tee',
  'Regati pst',
  'Vabaduse pst',
  'Kase tn',
  'Ülikooli tn',
  'Jõe tn',
  'Mäe tn',
];
/** EHAK code (with its leading zeros), place and post code. */
const PLACES = [
  ['0176', 'Haabersti linnaosa, Tallinn, Harju maakond', '13513'],
  ['0298', 'Kesklinna linnaosa, Tallinn, Harju maakond', '10145'],
  ['0387', 'Lasnamäe linnaosa, Tallinn, Harju maakond', '11415'],
  ['0524', 'Nõmme linnaosa, Tallinn, Harju maakond', '11611'],
  ['0596', 'Pirita linnaosa, Tallinn, Harju maakond', '11911'],
  ['0663', 'Rakvere linn, Lääne-Viru maakond', '44306'],
  ['0511', 'Narva linn, Ida-Viru maakond', '20308'],
  ['8151', 'Tartu linn, Tartu linn, Tartu maakond', '51003'],
  ['4228', 'Laagri alevik, Saue vald, Harju maakond', '76401'],
  ['8065', 'Pärnu linn, Pärnu linn, Pärnu maakond', '80010'],
] as const;
const FORMS: Shares<readonly [form: string, ending: string]> = [
  [0.775, ['Osaühing', 'OÜ']],
  [0.843, ['Korteriühistu', 'korteriühistu']],
  [0.908, ['Füüsilisest isikust ettevõtja', 'FIE']],
  [0.969, ['Mittetulundusühing', 'MTÜ']],
  [0.979, ['Usaldusühing', 'UÜ']],
  [0.985, ['Aktsiaselts', 'AS']],
  [0.99, ['Sihtasutus', 'SA']],
  [0.995, ['Tulundusühistu', 'TÜ']],
  [1, ['Täisühing', 'TÜ']],
];
const STATUSES: Shares<readonly [code: string, text: string]> = [
  [0.0018, ['N', 'Pankrotis']],
  [0.0248, ['L', 'Likvideerimisel']],
  [1, ['R', 'Registrisse kantud']],
];

/** The companies of the simple data, as cells in the order of its columns. */
export function* generateRows(rows: number, seed: number): Generator<readonly string[]> {
  const chance = createChance(seed);
  for (let row = 0; row < rows; row++) yield makeRow(chance, row);
}

function makeRow(chance: Chance, row: number): readonly string[] {
  const [form, ending] = pickByShare(chance, FORMS);
  const number = makeNumber(chance, row);
  const [status, statusText] = pickByShare(chance, STATUSES);
  const [placeCode, place, postCode] = chance.pick(PLACES);
  const isHousing = form === 'Korteriühistu';
  const street = `${chance.pick(STREETS)} ${chance.between(1, 220)}${isHousing || chance.is(0.4) ? '' : `-${chance.between(1, 90)}`}`;
  const [year, month, day] = chance.date(1995, 2026).split('-');
  const hasAddress = !chance.is(0.02);
  const region = place.split(', ').reverse().join(', ');
  return [
    makeName(chance, form, ending, street),
    number,
    form,
    '',
    !isHousing && chance.is(0.3) ? `EE10${String(row % 10_000_000).padStart(7, '0')}` : '',
    status,
    statusText,
    `${day}.${month}.${year}`,
    '',
    hasAddress ? street : '',
    hasAddress ? placeCode : '',
    hasAddress ? place : '',
    hasAddress ? postCode : '',
    hasAddress ? String(chance.between(2_000_000, 3_900_000)) : '',
    hasAddress && chance.is(0.1) ? `ME0${chance.between(1_000_000, 9_999_999)}` : '',
    hasAddress ? `${region}, ${street}` : '',
    `https://ariregister.rik.ee/est/company/${number}`,
  ];
}

/** Seven digits that do not repeat within nine million rows, and a check digit, which is wrong in 0.2 % of the rows. */
function makeNumber(chance: Chance, row: number): string {
  const block = Math.floor(row / 1_000_000);
  const digits = String((block + 1) * 1_000_000 + ((row * 7919) % 1_000_000));
  return completeNumber(isValidNumber, digits, chance.is(0.002));
}

function makeName(chance: Chance, form: string, ending: string, street: string): string {
  const place = chance.pick(NAME_STARTS) + chance.pick(NAME_ENDS);
  const trade = chance.pick(TRADES);
  if (form === 'Korteriühistu') return `${place} linnas ${street} korteriühistu`;
  if (form === 'Füüsilisest isikust ettevõtja') {
    const person = `${chance.pick(FIRST_NAMES)} ${chance.pick(SURNAMES)}`;
    return chance.is(0.1) ? `"${person} ${place.toUpperCase()}"` : `${person} ${place} ${trade.toLowerCase()}`;
  }
  const partner = chance.is(0.5) ? chance.pick(SURNAMES) : chance.pick(NAME_STARTS);
  if (chance.is(0.01)) return `${place} &#038; ${partner} ${trade} ${ending}`;
  if (chance.is(0.02)) return `${ending} "${place} ${partner} ${trade}"`;
  if (chance.is(0.05)) return `${place} & ${partner} ${trade} ${ending}`;
  return chance.is(0.2) ? `${ending} ${place} ${partner} ${trade}` : `${place} ${partner} ${trade} ${ending}`;
}

const CSV = { delimiter: ';', quote: '"', encoding: 'utf-8' } as const;

/** A file in the layout of the publisher. */
export function generateFile(rows: number, seed: number): SyntheticFile {
  return {
    name: 'ettevotja_rekvisiidid__lihtandmed.csv.zip',
    packing: 'zip',
    content: makeCsv({ dialect: CSV, bom: true }, listColumns('ee', 'lihtandmed (CSV)'), () =>
      generateRows(rows, seed),
    ),
  };
}
