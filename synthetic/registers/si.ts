/** Invented entities in the format of opsiprs.csv (UTF-16), and the list of taxable legal persons that is joined to it. */

import { listColumns } from '../../src/registers/contract.ts';
import { isValidNumber, isValidTaxNumber } from '../../src/registers/si/register.ts';
import {
  type Chance,
  completeNumber,
  createChance,
  makeCsv,
  pickByShare,
  type Shares,
  writeDayFirst,
} from '../chance.ts';
import { makeArchive, type SyntheticFile } from '../file.ts';

const FORMS: Shares<readonly [form: string, short: string, office: string]> = [
  [0.5, ['Družba z omejeno odgovornostjo d.o.o.', ', d.o.o.', 'Okrožno sodišče Koper']],
  [0.85, ['Samostojni podjetnik posameznik s.p.', ' s.p.', 'AJPES, izpostava Koper']],
  [0.95, ['Društvo, zveza društev', ', društvo', 'Upravna enota Piran']],
  [1, ['Zavod', ', zavod', 'Okrožno sodišče Koper']],
];
const WORDS = 'Bor Breza Burja Čebela Galeb Hrast Jadro Javor Kamen Lipa Morje Oljka Potok Sinica Šipek Žarek'.split(
  ' ',
);
const TRADES = 'gradbeništvo|gostinstvo|kmetijstvo|oblikovanje|prevozi|storitve|svetovanje|trgovina|turizem'.split('|');
const PLACES = [
  ['Ljubljana', '1000', 'Ljubljana'],
  ['Maribor', '2000', 'Maribor'],
  ['Lucija', '6320', 'Portorož - Portorose'],
  ['Šentjur', '3230', 'Šentjur'],
] as const;
const STREETS = ['Cankarjeva ulica', 'Čopova ulica', 'Prešernova cesta', 'Župančičeva ulica', ''];
const ACTIVITIES = ['01.110', '43.210', '47.110', '49.410', '56.101', '62.010', '85.510'];

export function generateEntities(rows: number, seed: number): SyntheticFile {
  const format = { bom: true, quoting: 'all', lineEnd: '\r\n' } as const;
  const make = (
    table: string,
    dialect: Parameters<typeof makeCsv>[0]['dialect'],
    pick: (made: Made) => Row | null,
  ) => ({
    name: `${table}.csv`,
    content: makeCsv({ ...format, dialect }, listColumns('si', table), () => generateRows(rows, seed, pick)),
  });
  return makeArchive('prs-2026-11.zip', [
    make('opsiprs', { delimiter: ',', quote: '"', encoding: 'utf-16le' }, ({ entity }) => entity),
    make('DURS_zavezanci_PO', { delimiter: ';', quote: '"', encoding: 'utf-8' }, ({ taxable }) => taxable),
  ]);
}

type Row = readonly string[];
type Made = { readonly entity: Row; readonly taxable: Row | null };

function* generateRows(rows: number, seed: number, pick: (made: Made) => Row | null): Generator<Row> {
  const chance = createChance(seed);
  for (let row = 0; row < rows; row++) {
    const picked = pick(generateEntity(chance, row));
    if (picked !== null) yield picked;
  }
}

/** Sole traders are in another list of the tax office. */
function generateEntity(chance: Chance, row: number): Made {
  const [form, short, office] = pickByShare(chance, FORMS);
  const number = `${completeNumber(isValidNumber, String(200_000 + row), chance.is(0.002))}000`;
  const name = `${chance.pick(WORDS).toUpperCase()} ${chance.between(2, 999)}, ${chance.pick(TRADES)}${short}`;
  const [city, postCode, postOffice] = chance.pick(PLACES);
  const [street, house] = [chance.pick(STREETS), chance.between(1, 180)];
  const [suffix, hseid] = [chance.is(0.1) ? 'A' : '', String(chance.between(10_000_000, 99_999_999))];
  const place = [street, String(house).padStart(3, '0'), suffix, city, postCode, postOffice, 'SLOVENIJA'];
  const [isVat, since] = [chance.is(0.6), writeDayFirst(chance.date(1999, 2025), '.')];
  const tax = completeNumber(isValidTaxNumber, String(1_000_000 + row));
  const line = `${street || city} ${house}${suffix}, ${postCode} ${postOffice}`.toUpperCase();
  const vat = ['', isVat ? '* ' : '  ', tax, number, isVat ? since : '', chance.pick(ACTIVITIES)];
  return {
    entity: [number, name, hseid, form, office, ...place],
    taxable: short === ' s.p.' ? null : [...vat, name.toUpperCase().padEnd(100), line.padEnd(113), '06'],
  };
}
