/** Generates invented companies in the format of companies.csv. */

import { listColumns } from '../../src/registers/contract.ts';
import { type Chance, createChance, createSerials, makeCsv, pickByShare, type Shares } from '../chance.ts';
import type { SyntheticFile } from '../file.ts';

export function generateCompanies(rows: number, seed: number): SyntheticFile {
  return {
    name: 'companies.csv.zip',
    packing: 'zip',
    content: makeCsv(
      { dialect: { delimiter: ',', quote: '"', encoding: 'utf-8' } },
      listColumns('ie', 'companies'),
      () => generateRows(rows, seed),
    ),
  };
}

/** Only the codes 1151, 1153 and 1156 are real; the others are invented. */
const STATUSES: Shares<readonly [code: string, text: string]> = [
  [0.38, ['1151', 'Normal ']],
  [0.42, ['1156', 'Strike Off Listed']],
  [0.43, ['9001', 'Liquidation']],
  [0.44, ['9002', 'Receivership']],
  [0.92, ['9003', 'Dissolved']],
  [0.95, ['9004', 'Dissolved (liquidation)']],
  [0.99, ['9005', 'Struck off']],
  [1, ['9006', 'Ceased']],
];
const TYPES: Shares<readonly [code: string, text: string, ending: string]> = [
  [0.8, ['1153', 'LTD - Private Company Limited by Shares', 'LIMITED']],
  [0.88, ['9101', 'DAC - Designated Activity Company', 'DESIGNATED ACTIVITY COMPANY']],
  [0.99, ['9102', 'CLG - Company Limited by Guarantee', 'COMPANY LIMITED BY GUARANTEE']],
  [1, ['9103', 'PLC - Public Limited Company', 'PUBLIC LIMITED COMPANY']],
];
const WORDS = (
  'ABBEY ARDAGH ATLANTIC AVOCA BARROW BEARA BURREN CASHEL CELTIC CLADDAGH CLONARD COOLEY CORRIB DÁIL DINGLE ERNE FINN FOYLE GALTEE ' +
  'GLEANN HARP HERON INISH KELLS KERRY LEE LIFFEY LISMORE MOURNE NORE OAK ORIEL ROWAN SHANNON SILVER SLANEY SLIEVE SUIR TARA TÓIBÍN'
).split(' ');
const TRADES = (
  'BUILDERS CATERING CONSULTING DESIGN ELECTRICAL ENGINEERING FARMS FINANCE FOODS FURNITURE HOLDINGS HOMES LOGISTICS MEDIA PHARMA ' +
  'PROPERTIES SOFTWARE SYSTEMS TRADING TRANSPORT VENTURES'
).split(' ');
const TOWNS = [
  ['Dublin 2', 'Dublin, Ireland', 'D02'],
  ['Cork', 'Cork, Ireland', 'T12'],
  ['Athlone Road', 'Longford, Ireland', 'N39'],
  ['Salthill', 'Galway, Ireland', 'H91'],
  ['Dublin 6W', 'Dublin, Ireland', 'D6W'],
];
const STREETS = [
  'Main Street',
  'O’Connell Street',
  'Mill Lane',
  'Harbour Road',
  'Church View',
  'St. Brendan’s Terrace',
];
const NACE = ['3101.0', '6201.0', '4711.0', '111.0', '4120.0', '8690.0', '6810.0'];
const NO_ADDRESS = '********NO ADDRESS DETAILS*******';

/** A few companies have a second row, for a name they had before. */
function* generateRows(rows: number, seed: number): Generator<readonly string[]> {
  const chance = createChance(seed);
  const takeSerial = createSerials(chance, 6);
  for (let row = 0; row < rows; row++) {
    // Serials have six digits and repeat after a million rows; from there a seventh digit keeps numbers unique.
    const number = String(Number(takeSerial()) + 1_000_000 * Math.floor(row / 1_000_000));
    const company = generateRow(chance, number);
    yield company;
    if (row + 1 < rows && chance.is(0.002)) {
      row++;
      yield company
        .with(1, `${chance.pick(WORDS)} ${company[1]}`)
        .with(18, '1999-01-01')
        .with(19, '1999-01-01');
    }
  }
}

function generateRow(chance: Chance, number: string): string[] {
  const [statusCode, status] = pickByShare(chance, STATUSES);
  const [typeCode, type, ending] = pickByShare(chance, TYPES);
  const [line = '', county = '', routing = ''] = chance.pick(TOWNS);
  const isEnded = /^(Dissolved|Struck)/.test(status);
  const registered = chance.date(isEnded && chance.is(0.001) ? 1880 : 1950, 2020);
  const ended = isEnded ? chance.date(2021, 2025) : '';
  const hasAddress = !chance.is(0.03);
  const unique = `${chance.pick(['D', 'X', 'K'])}${chance.between(100, 999)}`;
  const firm = `${chance.pick(WORDS)} ${chance.pick(WORDS)} ${chance.pick(TRADES)}`;
  return [
    number,
    `${firm} ${chance.is(0.05) ? ' ' : ''}${ending}`,
    statusCode,
    status,
    typeCode,
    type,
    chance.is(0.02) ? '' : registered,
    chance.is(0.7) ? chance.date(2021, 2025) : '',
    hasAddress ? `${chance.between(1, 200)} ${chance.pick(STREETS)}` : NO_ADDRESS,
    hasAddress ? line : '',
    hasAddress && chance.is(0.5) ? `Unit ${chance.between(1, 30)}, Block B` : '',
    hasAddress ? county : '',
    ended,
    isEnded ? '' : chance.date(2026, 2027),
    chance.is(0.4) ? chance.date(2021, 2025) : '',
    ended,
    chance.is(0.31) ? chance.pick(NACE) : '',
    hasAddress && chance.is(0.8) ? `${routing}${chance.is(0.7) ? ' ' : ''}${unique}` : '',
    registered,
    registered,
    chance.is(0.1) ? String(chance.between(1000, 9999)) : '',
  ];
}
