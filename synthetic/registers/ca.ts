/** Invented corporations, active and inactive ones mixed in one file. */

import { listColumns } from '../../src/registers/contract.ts';
import { type Chance, createChance, createSerials, makeCsv, pickByShare, type Shares } from '../chance.ts';
import type { SyntheticFile } from '../file.ts';

const WORDS =
  'Aurora Beaver Birch Bluenose Boreal Caribou Cedar Chinook Cypress Fundy Glacier Granite Harvest Huron Inukshuk Juniper Kodiak Laurentian Loon Maple Moose Northern Okanagan Otter Pacific Prairie Québec Raven Rideau Rocky Saguenay Salmon Spruce Sugarbush Tamarack Timber Trillium Tundra Voyageur Yukon'.split(
    ' ',
  );
const TRADES =
  'Consulting|Holdings|Transport|Foods|Technologies|Construction|Properties|Investments|Energy|Media|Logistics|Health|Farms|Fisheries|Design|Software|Mining|Imports|Landscaping|Education'.split(
    '|',
  );
const ENDINGS = ['Inc.', 'Ltd.', 'Corp.', 'Limited', 'Inc. / Ltée'];
const PLACES = [
  ['Toronto', 'ON', 'M5V 3L9'],
  ['Montréal', 'QC', 'H2Y 1C6'],
  ['Vancouver', 'BC', 'V6B 1A1'],
  ['Calgary', 'AB', 'T2P 1J9'],
  ['Ottawa', 'ON', 'K1A 0A6'],
  ['Halifax', 'NS', 'B3H 4R2'],
  ["St. John's", 'NL', 'A1C 5M2'],
] as const;
const STREETS = [
  'King Street West',
  'rue Sainte-Catherine',
  'Granville Street',
  'Main Street',
  'Rideau Street',
  '8th Avenue SW',
];
const STATUSES: Shares<readonly [status: string, detail: string]> = [
  [0.6, ['Active', 'Active']],
  [0.64, ['Active', 'Active - Dissolution Pending (non-compliance)']],
  [0.9, ['Dissolved', 'Dissolved']],
  [0.95, ['Inactive', 'Inactive - Amalgamated']],
  [0.99, ['Inactive', 'Inactive - Discontinued']],
  [1, ['Inactive', 'Inactive']],
];
const ACTS: Shares<string> = [
  [0.93, 'Canada Business Corporations Act'],
  [0.99, 'Canada Not-for-profit Corporations Act'],
  [1, 'Canada Cooperatives Act'],
];

const COLUMNS = listColumns('ca', 'corporations');

function* generateRows(rows: number, seed: number): Generator<readonly string[]> {
  const chance = createChance(seed);
  const takeSerial = createSerials(chance, 7);
  for (let row = 0; row < rows; row++) {
    const made = makeRow(chance, takeSerial());
    yield COLUMNS.map((column) => made[column] ?? '');
  }
}

function makeRow(chance: Chance, serial: string): Readonly<Record<string, string>> {
  const [status, detail] = pickByShare(chance, STATUSES);
  const [city, province, post] = chance.pick(PLACES);
  const number = String(Number(serial));
  return {
    'Corporation number': number,
    'Business number (BN)': chance.is(0.003) ? '' : String(700_000_000 + chance.between(0, 199_999_999)),
    ...makeNames(chance, number),
    'Governing legislation': pickByShare(chance, ACTS),
    Status: status,
    'Status Detail': detail,
    'Anniversary date': chance.date(1976, 2026),
    'Year of last annual filing': chance.is(0.1) ? '' : String(chance.between(2018, 2026)),
    'Date of last annual meeting': chance.is(0.3) ? '' : chance.date(2018, 2026),
    Street: `${chance.between(1, 9999)} ${chance.pick(STREETS)}`,
    'Street 2': chance.is(0.3) ? `Suite ${chance.between(100, 2999)}` : '',
    'City/town': city,
    'Province/territory': province,
    Country: 'CA',
    'Postal code': post,
    'Minimum number of directors': '1',
    'Maximum number of directors': String(chance.pick([1, 3, 5, 10, 15])),
  };
}

function makeNames(chance: Chance, number: string) {
  if (chance.is(0.15)) return { 'Corporate name - form 1': `${number.padStart(8, '1')} Canada Inc.` };
  const name = `${chance.pick(WORDS)} ${chance.pick(WORDS)} ${chance.pick(TRADES)}`;
  const french = chance.is(0.1) ? `${chance.pick(TRADES)} ${chance.pick(WORDS)} Québec Ltée` : '';
  return {
    'Corporate name - form 1': `${name}${chance.is(0.05) ? ', "The Original"' : ''} ${chance.pick(ENDINGS)}`,
    'Corporate name - form 2': french,
  };
}

const CSV = { delimiter: ',', quote: '"', encoding: 'utf-8' } as const;

/** A file in the layout of the publisher. */
export function generateFile(rows: number, seed: number): SyntheticFile {
  return {
    name: 'corporations-active-cbca-en.csv',
    packing: 'none',
    content: makeCsv({ dialect: CSV, bom: true, lineEnd: '\r\n' }, COLUMNS, () => generateRows(rows, seed)),
  };
}
