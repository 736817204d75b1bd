/** Invented companies with the quirks of the published file, such as quotes in names and default addresses. */

import { listColumns } from '../../src/registers/contract.ts';
import { type Chance, createChance, makeCsv, pickByShare, type Shares } from '../chance.ts';
import type { SyntheticFile } from '../file.ts';
import { COUNTRIES, HOUSES, SIC_TEXTS, STREETS, SURNAMES, TOWNS, TRADES, WORDS } from './gb-words.ts';

/** The year and month of the file. Only due dates are later. */
const [FILE_YEAR, FILE_MONTH] = [2026, 9];

const CSV = { delimiter: ',', quote: '"', encoding: 'utf-8' } as const;

export function generateCompanies(rows: number, seed: number): SyntheticFile {
  return {
    name: 'BasicCompanyDataAsOneFile-2026-09-01.zip',
    packing: 'zip',
    content: makeCsv({ dialect: CSV, quoting: 'all', lineEnd: '\r\n' }, HEADER, () => generateRows(rows, seed)),
  };
}

/** With the leading spaces that some of the published names have. */
const SPACED =
  /^(?:CompanyNumber|RegAddress.AddressLine2|PreviousName_2.CONDATE|PreviousName_\d+.CompanyName|ConfStmtLastMadeUpDate)$/;
const HEADER = listColumns('gb', 'companies').map((column) => (SPACED.test(column) ? ` ${column}` : column));

/** The numbers of the companies in the generated file. */
export function* listNumbers(rows: number, seed: number): Generator<string> {
  for (const [, number = ''] of generateRows(rows, seed)) yield number;
}

function* generateRows(rows: number, seed: number): Generator<readonly string[]> {
  const chance = createChance(seed);
  const takeNumber = createNumbers(chance);
  for (let row = 0; row < rows; row++) yield generateRow(chance, takeNumber);
}

interface Kind {
  readonly prefix: string;
  readonly suffix?: string;
  readonly category: string;
  readonly endings: readonly string[];
}

const LIMITED = ['LIMITED', 'LIMITED', 'LTD', 'LTD', 'LTD.'];
const GUARANTEE = 'PRI/LTD BY GUAR/NSC (Private, limited by guarantee, no share capital)';
const EXEMPT = "PRI/LBG/NSC (Private, Limited by guarantee, no share capital, use of 'Limited' exemption)";
const KINDS: Shares<Kind> = [
  [0.0005, { prefix: 'IP', suffix: 'R', category: 'Industrial and Provident Society', endings: ['SOCIETY LIMITED'] }],
  [0.002, { prefix: 'LP', category: 'Limited Partnership', endings: ['LP', 'LIMITED PARTNERSHIP'] }],
  [0.003, { prefix: 'SO', category: 'Limited Liability Partnership', endings: ['LLP'] }],
  [0.013, { prefix: 'OC', category: 'Limited Liability Partnership', endings: ['LLP'] }],
  [0.033, { prefix: 'NI', category: 'Private Limited Company', endings: LIMITED }],
  [0.078, { prefix: 'SC', category: 'Private Limited Company', endings: LIMITED }],
  [0.1, { prefix: '', category: GUARANTEE, endings: ['MANAGEMENT COMPANY LIMITED', 'ASSOCIATION LIMITED'] }],
  [0.11, { prefix: '', category: EXEMPT, endings: ['TRUST', 'FOUNDATION'] }],
  [0.116, { prefix: '', category: 'Community Interest Company', endings: ['C.I.C.', 'COMMUNITY INTEREST COMPANY'] }],
  [0.117, { prefix: '', category: 'Public Limited Company', endings: ['PLC', 'P.L.C.'] }],
  [1, { prefix: '', category: 'Private Limited Company', endings: LIMITED }],
];

/** Coprime to every range below, so that a number repeats only after all others have been used. */
const STRIDE = 10_506_577;

function createNumbers(chance: Chance): (kind: Kind) => string {
  const last = new Map<string, number>();
  return ({ prefix, suffix = '' }) => {
    const digits = 8 - prefix.length - suffix.length;
    const range = prefix === '' ? 17_000_000 : 10 ** digits;
    const serial = ((last.get(prefix) ?? chance.between(0, range - 1)) + STRIDE) % range;
    last.set(prefix, serial);
    return `${prefix}${String(serial).padStart(digits, '0')}${suffix}`;
  };
}

const STATUSES: Shares<string> = [
  [0.0705, 'Active - Proposal to Strike off'],
  [0.0885, 'Liquidation'],
  [0.0895, 'In Administration'],
  [0.09, 'Voluntary Arrangement'],
  [0.0903, 'Live but Receiver Manager on at least one charge'],
  [0.0905, 'RECEIVERSHIP'],
  [0.0906, 'In Administration/Administrative Receiver'],
  [0.0907, 'ADMINISTRATIVE RECEIVER'],
  [0.0908, 'In Administration/Receiver Manager'],
  [1, 'Active'],
];

function generateRow(chance: Chance, takeNumber: (kind: Kind) => string): string[] {
  const kind = pickByShare(chance, KINDS);
  const number = takeNumber(kind);
  const name = generateName(chance, kind);
  const year = kind.prefix === '' ? guessYear(number, chance) : chance.between(1985, 2025);
  const month = year === FILE_YEAR ? chance.between(1, FILE_MONTH - 1) : chance.between(1, 12);
  const incorporated = writeDate(year, month, chance.between(1, 28));
  return [
    name,
    number,
    ...generateAddress(chance, number),
    kind.category,
    pickByShare(chance, STATUSES),
    'United Kingdom',
    '',
    incorporated,
    ...generateAccounts(chance, year),
    ...generateReturns(chance, year, month),
    ...generateCharges(chance),
    ...generateActivities(chance),
    ...(kind.prefix === 'LP' ? ['1', String(chance.between(1, 9))] : ['0', '0']),
    `http://business.data.gov.uk/id/company/${number}`,
    ...generatePreviousNames(chance, kind, year),
    ...generateStatements(chance, year, month),
  ];
}

function generateName(chance: Chance, { endings }: Kind): string {
  const ending = chance.pick(endings);
  const drawn = chance.next();
  const trade = chance.pick(TRADES);
  if (drawn < 0.002) return `! ${chance.pick(WORDS)} ${ending}`;
  if (drawn < 0.004) return `"${chance.pick(WORDS)} ${trade}",${chance.pick(SURNAMES)} & SONS,${ending}`;
  if (drawn < 0.006) return `"${chance.pick(WORDS)}, ${chance.pick(WORDS)}!" ${ending}`;
  if (drawn < 0.03) return `${chance.between(1, 199)} ${chance.pick(STREETS)} ${trade} ${ending}`;
  if (drawn < 0.2) return `${chance.pick(SURNAMES)} & ${chance.pick(SURNAMES)} ${trade} ${ending}`;
  if (drawn < 0.45) return `${pickInitial(chance)}.${pickInitial(chance)}. ${chance.pick(SURNAMES)} ${trade} ${ending}`;
  if (drawn < 0.55) return `${chance.pick(WORDS)} ${trade} (${chance.pick(TOWNS)[0]}) ${ending}`;
  if (drawn < 0.65) return `${chance.pick(SURNAMES)} ${chance.pick(WORDS)} ${trade} ${ending}`;
  return `${chance.pick(WORDS)} ${chance.pick(WORDS)} ${trade} ${ending}`;
}

function pickInitial(chance: Chance): string {
  return String.fromCharCode(chance.between(65, 90));
}

/** Numbers are issued in sequence, so a small number means an old company. */
function guessYear(number: string, chance: Chance): number {
  const count = Number(number);
  if (count < 2_000_000) return chance.between(1900, 1985);
  if (count < 4_000_000) return chance.between(1986, 2000);
  if (count < 7_000_000) return chance.between(2001, 2009);
  return count < 13_000_000 ? chance.between(2010, 2020) : chance.between(2021, FILE_YEAR);
}

function generateAddress(chance: Chance, number: string): string[] {
  if (chance.is(0.01)) {
    return ['', '4385', `${number}: COMPANIES HOUSE DEFAULT ADDRESS`, '', 'CARDIFF', '', '', 'CF14 8LH'];
  }
  if (chance.is(0.003)) return ['', '', '', '', '', '', '', ''];
  const [town, county, area] = chance.pick(TOWNS);
  const street = `${chance.between(1, 240)} ${chance.pick(STREETS)}`;
  const lines = chance.is(0.4) ? [chance.pick(HOUSES), street] : [street, ''];
  const inward = `${chance.between(1, 9)}${pickInitial(chance)}${pickInitial(chance)}`;
  return [
    chance.is(0.02) ? `C/O ${chance.pick(SURNAMES)} ACCOUNTANTS` : '',
    chance.is(0.004) ? String(chance.between(1, 9999)) : '',
    ...lines,
    town,
    chance.is(0.6) ? county : '',
    chance.pick(COUNTRIES),
    `${area}${chance.between(1, 28)} ${inward}`,
  ];
}

const ACCOUNTS = [
  'DORMANT',
  'MICRO ENTITY',
  'MICRO ENTITY',
  'TOTAL EXEMPTION FULL',
  'UNAUDITED ABRIDGED',
  'SMALL',
  'FULL',
];
const MONTH_ENDS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function generateAccounts(chance: Chance, incorporated: number): string[] {
  const month = chance.is(0.35) ? 3 : chance.between(1, 12);
  const day = MONTH_ENDS[month - 1] ?? 28;
  const next = writeDate(FILE_YEAR + 1, month > 3 ? month - 3 : month, 28);
  if (incorporated >= FILE_YEAR - 1 || chance.is(0.1))
    return [String(day), String(month), next, '', 'NO ACCOUNTS FILED'];
  return [String(day), String(month), next, writeDate(FILE_YEAR - 1, month, day), chance.pick(ACCOUNTS)];
}

/** Confirmation statements replaced annual returns in 2016. */
function generateReturns(chance: Chance, incorporated: number, month: number): string[] {
  if (incorporated >= 2016) return [writeDate(incorporated + 1, month, chance.between(1, 28)), ''];
  return [writeDate(2016, month, chance.between(1, 28)), writeDate(2015, month, chance.between(1, 28))];
}

function generateStatements(chance: Chance, incorporated: number, month: number): string[] {
  const next = writeDate(FILE_YEAR + 1, month, chance.between(1, 28));
  return [next, incorporated >= FILE_YEAR - 1 ? '' : writeDate(FILE_YEAR - 1, month, chance.between(1, 28))];
}

function generateCharges(chance: Chance): string[] {
  if (chance.is(0.88)) return ['0', '0', '0', '0'];
  const [outstanding, partSatisfied, satisfied] = [chance.between(0, 4), chance.is(0.05) ? 1 : 0, chance.between(0, 3)];
  return [outstanding + partSatisfied + satisfied, outstanding, partSatisfied, satisfied].map(String);
}

function generateActivities(chance: Chance): string[] {
  if (chance.is(0.02)) return ['None Supplied', '', '', ''];
  if (chance.is(0.001)) return ['7499 - Non-trading company', '', '', ''];
  const more = chance.next();
  return [1, 0.2, 0.08, 0.03].map((share) => (more < share ? chance.pick(SIC_TEXTS) : ''));
}

const MAX_PREVIOUS_NAMES = 10;
const NO_PREVIOUS_NAMES: readonly string[] = Array(2 * MAX_PREVIOUS_NAMES).fill('');

/** The latest name first, each with the day it ended. */
function generatePreviousNames(chance: Chance, kind: Kind, incorporated: number): readonly string[] {
  if (incorporated >= FILE_YEAR || chance.is(0.88)) return NO_PREVIOUS_NAMES;
  const count = chance.is(0.8) ? 1 : chance.is(0.99) ? 2 : 10;
  return Array.from({ length: MAX_PREVIOUS_NAMES }, (_, index) => {
    if (index >= count) return ['', ''];
    const year = Math.max(incorporated, FILE_YEAR - 1 - index * 2);
    return [writeDate(year, 12 - index, chance.between(1, 28)), generateName(chance, kind)];
  }).flat();
}

const TWO_DIGITS = Array.from({ length: 32 }, (_, value) => String(value).padStart(2, '0'));

function writeDate(year: number, month: number, day: number): string {
  return `${TWO_DIGITS[day]}/${TWO_DIGITS[month]}/${year}`;
}
