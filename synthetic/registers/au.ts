/** Invented companies: one line for each, and one for every former name. */

import { isValidAbn, isValidAcn } from '../../src/registers/au/register.ts';
import { listColumns } from '../../src/registers/contract.ts';
import {
  type Chance,
  completeNumber,
  createChance,
  createSerials,
  makeCsv,
  pickByShare,
  type Shares,
  writeDayFirst,
} from '../chance.ts';
import type { SyntheticFile } from '../file.ts';

const WORDS =
  'Acacia Banksia Barramundi Bilby Billabong Bottlebrush Brolga Bunya Cockatoo Coolabah Coral Currawong Dingo Echidna Emu Eucalypt Galah Gumtree Ironbark Jabiru Jarrah Kestrel Kookaburra Kurrajong Lorikeet Magpie Mallee Marri Mulga Outback Pelican Possum Quandong Quokka Redgum Saltbush Spinifex Sturt Sundowner Tanami Torrens Wallaby Waratah Wattle Wombat Yabby'.split(
    ' ',
  );
const TRADES =
  'Plumbing|Electrical|Building|Constructions|Transport|Holdings|Investments|Properties|Pastoral|Mining Services|Consulting|Dental|Medical|Café|Catering|Nominees|Superannuation|Trading|Imports|Motors|Engineering|Landscapes|Design|Media|Technologies|Solar|Roofing|Logistics|Farms|Wines'.split(
    '|',
  );
const SURNAMES =
  "Smith Jones Nguyen Williams Brown O'Brien Wilson Taylor Singh Campbell Kelly Chen Murphy Papadopoulos".split(' ');
const STATES = ['NSW', 'VIC', 'QLD', 'SA', 'WA', 'TAS'];
const FORMS: Shares<readonly [type: string, className: string, subClass: string, ending: string]> = [
  [0.94, ['APTY', 'LMSH', 'PROP', 'PTY LTD']],
  [0.96, ['APTY', 'LMSH', 'PSTC', 'PTY. LIMITED']],
  [0.98, ['APUB', 'LMGT', 'NLTD', 'LIMITED']],
  [0.99, ['APUB', 'LMSH', 'LIST', 'LIMITED']],
  [0.995, ['RACN', 'NONE', 'NONE', 'INCORPORATED']],
  [1, ['FNOS', 'NONE', 'NONE', 'INC.']],
];
const STATUSES: Shares<string> = [
  [0.68, 'REGD'],
  [0.985, 'DRGD'],
  [0.993, 'SOFF'],
  [0.999, 'EXAD'],
  [1, 'NOAC'],
];

/** Writes all but one line of each company later, in batches: in the real file they are not next to each other. */
function* generateLines(rows: number, seed: number): Generator<readonly string[]> {
  const chance = createChance(seed);
  const takeSerial = createSerials(chance, 8);
  let delayed: (readonly string[])[] = [];
  for (let row = 0; row < rows; row++) {
    const lines = makeLines(chance, takeSerial());
    yield* lines.slice(0, 1);
    delayed.push(...lines.slice(1));
    if (delayed.length < 40) continue;
    yield* delayed;
    delayed = [];
  }
  yield* delayed;
}

const COLUMNS = listColumns('au', 'companies');

type Line = Readonly<Record<string, string>>;

function makeLines(chance: Chance, serial: string): (readonly string[])[] {
  const form = pickByShare(chance, FORMS);
  const status = pickByShare(chance, STATUSES);
  const acn = completeNumber(isValidAcn, serial);
  const registered = chance.date(1960, 2024);
  const isOld = Number(registered.slice(0, 4)) < 1991;
  const line: Line = {
    ACN: completeNumber(isValidAcn, serial, chance.is(0.001)),
    Type: form[0],
    Class: form[1],
    'Sub Class': form[2],
    Status: status,
    'Date of Registration': writeDayFirst(registered, '/'),
    'Date of Deregistration': status === 'DRGD' ? writeDayFirst(chance.date(2025, 2026), '/') : '',
    'Previous State of Registration': isOld ? chance.pick(STATES) : '',
    'State Registration number': isOld ? `${chance.pick(['C', ''])}${chance.between(100_000, 9_999_999)}` : '',
    'Modified since last report': chance.is(0.01) ? 'Y' : '',
    ABN: chance.is(0.8) ? makeAbn(acn) : '00000000000',
  };
  const current = makeName(chance, form[3]);
  const lines = [write({ ...line, 'Company Name': current, 'Current Name Indicator': 'Y' })];
  for (let more = chance.is(0.3) ? chance.between(1, 2) : 0; more > 0; more--) {
    const start = { 'Current Name': current, 'Current Name Start Date': writeDayFirst(chance.date(2024, 2026), '/') };
    lines.push(write({ ...line, 'Company Name': makeName(chance, form[3]), ...start }));
  }
  return chance.is(0.5) ? lines : lines.reverse();
}

function makeName(chance: Chance, ending: string): string {
  const [first, second, trade] = [chance.pick(WORDS), chance.pick(WORDS), chance.pick(TRADES)];
  const name = chance.is(0.2)
    ? `${chance.pick(SURNAMES)} & ${chance.pick(SURNAMES)} ${trade}`
    : `${first} ${second} ${trade}`;
  return `${chance.is(0.005) ? `"${first}" ${name}` : name} ${ending}`.toUpperCase();
}

function write(line: Line): readonly string[] {
  return COLUMNS.map((column) => line[column] ?? '');
}

const CSV = { delimiter: '\t', quote: null, encoding: 'utf-8' } as const;

/** A file in the layout of the publisher. */
export function generateFile(rows: number, seed: number): SyntheticFile {
  return {
    name: 'COMPANY_202611.csv',
    packing: 'none',
    content: makeCsv({ dialect: CSV, bom: true, lineEnd: '\r\n' }, COLUMNS, () => generateLines(rows, seed)),
  };
}

/** Finds the two leading digits that turn an ACN into a valid ABN. */
function makeAbn(acn: string): string {
  for (let prefix = 10; prefix < 100; prefix++) {
    const number = `${prefix}${acn}`;
    if (isValidAbn(number)) return number;
  }
  return '';
}
