/** Generates invented entities of one letter file. Missing values are `na`. */

import { listColumns } from '../../src/registers/contract.ts';
import { findCheckLetter } from '../../src/registers/sg/register.ts';
import { type Chance, createChance, createSerials, makeCsv, pickByShare, type Shares } from '../chance.ts';
import type { SyntheticFile } from '../file.ts';

const WORDS =
  'Angsana Banyan Bukit Changi Chinatown Durian Fairprice Frangipani Gardens Harbour Heng Huat Island Jade Jurong Kallang Kopi Lion Lotus Marina Merlion Nanyang Nova Orchid Pandan Pasir Peranakan Raffles Raintree Rambutan Sentosa Serangoon Siong Straits Sunbird Tembusu Temasek Tiong Tropic Wah Yishun'.split(
    ' ',
  );
const TRADES =
  'Trading|Engineering|Construction|Logistics|Holdings|Investments|Capital|Technologies|Consultancy|Marine|Foods|Renovation|Education|Travel|Media|Healthcare|Beauty|Electronics|Ventures|Shipping'.split(
    '|',
  );
const STREETS = ['ORCHARD ROAD', 'ANSON ROAD', 'CECIL STREET', 'UBI AVENUE 1', 'PAYA LEBAR ROAD', 'NORTH BRIDGE ROAD'];
const ACTIVITIES = [
  ['46900', 'WHOLESALE TRADE OF A VARIETY OF GOODS WITHOUT A DOMINANT PRODUCT'],
  ['62011', 'DEVELOPMENT OF SOFTWARE AND APPLICATIONS (EXCEPT GAMES AND CYBERSECURITY)'],
  ['64202', 'OTHER HOLDING COMPANIES'],
  ['70201', 'MANAGEMENT CONSULTANCY SERVICES'],
  ['56111', 'RESTAURANTS'],
  ['43301', 'RENOVATION CONTRACTORS'],
] as const;
const STATUSES: Shares<string> = [
  [0.3, 'Live'],
  [0.5, 'Live Company'],
  [0.502, 'Live (Receiver or Receiver and Manager appointed)'],
  [0.51, 'Gazetted To Be Struck Off'],
  [0.512, 'Suspended'],
  [0.62, 'Terminated'],
  [0.7, 'Cancelled'],
  [0.75, 'Cancelled (Non-Renewal)'],
  [0.85, 'Ceased Registration'],
  [0.86, 'Registration expired and has not been renewed'],
  [0.98, 'Struck Off'],
  [0.985, 'Amalgamated'],
  [0.99, 'Dissolved - Members Voluntary Winding Up'],
  [1, 'In Liquidation - Compulsory Winding Up (Insolvency)'],
];

/** Without the charges and the capital that the older edition had. */
const HEADER = listColumns('sg', 'corporate entities').filter((column) => !/^paid_up|_charges$/.test(column));

function* generateRows(rows: number, seed: number): Generator<readonly string[]> {
  const chance = createChance(seed);
  const takeSerial = createSerials(chance, 8);
  for (let row = 0; row < rows; row++) {
    const made = makeRow(chance, takeSerial());
    yield HEADER.map((column) => made[column] ?? 'na');
  }
}

function makeRow(chance: Chance, serial: string): Record<string, string> {
  const isCompany = chance.is(0.6);
  // The number of a company has nine digits: the fourth digit of the serial is used twice.
  const digits = isCompany ? `${serial.slice(0, 4)}${serial.slice(3)}` : serial;
  const isWrong = chance.is(0.002);
  const born = chance.date(1965, 2026);
  const [code, label] = chance.pick(ACTIVITIES);
  const row: Record<string, string> = {
    // `I` is not a check letter of any format.
    uen: `${digits}${isWrong ? 'I' : findCheckLetter(digits)}`,
    issuance_agency_id: 'ACRA',
    entity_name: makeName(chance, isCompany ? 'PTE. LTD.' : chance.pick(['ENTERPRISE', 'SERVICES', '& CO.'])),
    entity_type_description: isCompany ? 'Local Company' : 'Sole Proprietorship/ Partnership',
    entity_status_description: pickByShare(chance, STATUSES),
    registration_incorporation_date: born,
    uen_issue_date: born < '2008-09-09' ? '2008-09-09' : born,
    address_type: 'LOCAL',
    block: String(chance.between(1, 400)),
    street_name: chance.pick(STREETS),
    // The real files lose a leading zero.
    postal_code: String(chance.between(10_000, 829_999)),
    primary_ssic_code: code,
    primary_ssic_description: label,
    no_of_officers: String(chance.between(0, 6)),
  };
  if (isCompany) row.company_type_description = 'PRIVATE COMPANY LIMITED BY SHARES';
  else row.business_constitution_description = 'Sole-Proprietor';
  if (chance.is(0.5)) Object.assign(row, { level_no: String(chance.between(1, 40)).padStart(2, '0'), unit_no: '05' });
  if (chance.is(0.2))
    row.primary_user_described_activity = `${chance.pick(TRADES)}, ${chance.pick(TRADES)} AND "OTHERS"`;
  if (chance.is(0.3)) [row.secondary_ssic_code, row.secondary_ssic_description] = chance.pick(ACTIVITIES);
  if (chance.is(0.08)) row.former_entity_name1 = makeName(chance, 'PTE. LTD.');
  if (isCompany && chance.is(0.2))
    Object.assign(row, { annual_return_date: chance.date(2024, 2026), account_due_date: chance.date(2024, 2026) });
  if (isCompany && chance.is(0.05))
    Object.assign(row, { uen_of_audit_firm1: 'T08PF0001A', name_of_audit_firm1: 'LOTUS AUDIT PAC' });
  return row;
}

function makeName(chance: Chance, ending: string): string {
  const name = `${chance.pick(WORDS)} ${chance.pick(WORDS)} ${chance.pick(TRADES)}`;
  return `${chance.is(0.1) ? `${name} (${chance.pick(['S', 'ASIA', 'SINGAPORE'])})` : name} ${ending}`.toUpperCase();
}

const CSV = { delimiter: ',', quote: '"', encoding: 'utf-8' } as const;

/** A file in the layout of the publisher. */
export function generateFile(rows: number, seed: number): SyntheticFile {
  return {
    name: 'ACRAInformationonCorporateEntitiesA.csv',
    packing: 'none',
    content: makeCsv({ dialect: CSV }, HEADER, () => generateRows(rows, seed)),
  };
}
