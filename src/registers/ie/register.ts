/** Ireland: the company records of the Companies Registration Office, current and dissolved, published daily. */
import { fold } from '../../base/fold.ts';
import { findCountryCode, splitAddress } from '../address.ts';
import { type Activity, type Cell, CSV, defineRegister, type EntityStatus, type MapContext } from '../contract.ts';
import { type Common, type State, tableFields } from '../fields.ts';
import { compact, readCode, readDate } from '../parsing.ts';
import { describeRecord, ownEnd, ownStatus } from '../record.ts';
import type { AddressOf } from '../vocabulary.ts';

const AUTHORITY = 'Companies Registration Office';
const SOURCE = 'companies';

const { text, day, number, is, texts, legalForm, group, all, rowsOf } = tableFields();

const readForm = legalForm('company_type_code', 'company_type');
const readSince = day('company_status_date');

/** A summary of another row with the same number. The complete row is in `sourceData`. */
const readEntry = group({
  name: text('company_name'),
  status: group({
    code: text('company_status_code'),
    label: text('company_status'),
    since: (row) => readDate(row('company_status_date').trim()),
  }),
  nameSince: (row) => readDate(row('company_name_eff_date').trim()),
});

const mapCompany = describeRecord<Cell, unknown>({
  name: text('company_name'),
  number: number('company_num', /^\d+$/, 'not a company number'),
  registeredAt: day('company_reg_date'),
  endedAt: day('comp_dissolved_date'),
  status: readStatus,
  // The CRO writes `unknown` for companies whose type it does not know.
  legalForm: (row, ...rest) => (/^\s*unknown\s*$/i.test(row('company_type')) ? null : readForm(row, ...rest)),
  registrations: [
    (_row, _context, { number, registeredAt, endedAt, state: { label = null, code } }) =>
      number === null
        ? null
        : {
            ...{ authority: AUTHORITY, type: 'national', status: label, ...compact({ statusCode: code }) },
            ...{ number, registeredAt, endedAt },
          },
  ],
  activities: readActivities,
  registry: {
    status: ownStatus,
    strikeOffListed: is('company_status', /^strike off listed$/i),
    endedAt: ownEnd,
    previousNames: listPreviousNames,
    address: readAddress,
    nameSince: day('company_name_eff_date'),
    legalFormSince: day('company_type_eff_date'),
    lastAnnualReturn: day('last_ar_date'),
    nextAnnualReturn: day('nard'),
    lastAccounts: day('last_accounts_date'),
    principalObjectCode: (row) => readCode(row('princ_object_code')),
    otherEntries: all(rowsOf(SOURCE), readEntry),
  },
});

const CHANGES = ['company_status_date', 'comp_dissolved_date', 'company_name_eff_date', 'company_type_eff_date'];

/** Some companies have one row per status or name they had. The record is made of the row that took effect last. */
function chooseRow(rows: readonly Cell[]): number {
  const effective = rows.map(
    (cell) =>
      CHANGES.map((column) => cell(column).trim())
        .sort()
        .at(-1) ?? '',
  );
  return effective.reduce((best, date, index) => (date > (effective[best] ?? '') ? index : best), 0);
}

/** The names in other rows with the same number, the latest first. */
function listPreviousNames(_cell: Cell, _context: unknown, common: Common) {
  const since = new Map<string, string>();
  for (const cell of common.rows(SOURCE)) {
    const name = cell('company_name').trim();
    if (name !== '' && name !== common.name) since.set(name, readDate(cell('company_name_eff_date').trim()) ?? '');
  }
  return [...since]
    .sort(([, one], [, other]) => (one < other ? 1 : one > other ? -1 : 0))
    .map(([name, from]) => ({ name, ...compact({ from }) }));
}

/**
 * The first match counts: `Dissolved (liquidation)` is dissolved. Some texts are cut off (`Deleted as per SE Tr`), so statuses
 * are known by how they begin. A company is deleted when it moves or merges across a border (CB), also as a European
 * company (SE).
 */
const STATUSES: readonly (readonly [RegExp, EntityStatus])[] = [
  [/^normal$|^strike off listed$/, 'active'],
  [/^(dissolved|struck off|deleted|removed|converted)\b/, 'dissolved'],
  [/^(in )?liquidation\b/, 'in_liquidation'],
  [/^(receivership|examinership)\b/, 'insolvent'],
  [/^ceased\b/, 'inactive'],
];

function readStatus(cell: Cell, context: MapContext<unknown>, common: Common): State {
  const label = cell('company_status').trim();
  const folded = fold(label);
  const known = STATUSES.find(([pattern]) => pattern.test(folded))?.[1];
  if (known === undefined) context.reportUnknown('status', 'company_status', label);
  const isDissolved = cell('comp_dissolved_date').trim() !== '';
  return {
    status: known ?? (isDissolved ? 'dissolved' : 'unknown'),
    code: cell('company_status_code').trim(),
    label: label || null,
    since: readSince(cell, context, common),
  };
}

/** The file writes NACE codes as numbers: `3101.0`, and `111.0` for class 0111. Classes have four digits. */
function readActivities(cell: Cell, context: MapContext<unknown>): Activity[] {
  const written = cell('nace_v2_code').trim();
  const read = readCode(written);
  if (read === null) return [];
  if (!/^\d{1,5}$/.test(read)) context.reportUnknown('activity', 'nace_v2_code', written);
  const code = read !== written && read.length === 3 ? `0${read}` : read;
  const activity = { type: 'unlicensed', code, label: null, scheme: 'NACE', edition: 'Rev. 2' } as const;
  return [code === written ? activity : { ...activity, written }];
}

const readLines = texts('company_address_1', 'company_address_2', 'company_address_3', 'company_address_4');
/** The file has this text instead of an address, in any line and possibly more than once in a line. */
const NO_ADDRESS = /\**\s*NO ADDRESS DETAILS\s*\**/gi;
const EIRCODE = /^([A-Z]\d[\dW])\s*([A-Z\d]{4})$/;

/** Up to four lines and an Eircode. Lines may end with the county, and with the country. */
function readAddress(cell: Cell, context: MapContext<unknown>, common: Common): AddressOf | null {
  const eircode = cell('eircode').trim().toUpperCase();
  const [, routing, unique] = EIRCODE.exec(eircode) ?? [];
  const postCode = routing === undefined ? eircode : `${routing} ${unique}`;
  const lines = (readLines(cell, context, common) ?? [])
    .map((line) => line.replace(NO_ADDRESS, '').trim())
    .filter((line) => line !== '');
  const address = [...lines, postCode].filter((line, index, all) => line !== '' && line !== all[index - 1]).join(', ');
  // Foreign companies have addresses abroad. Only an Irish address has an Eircode.
  const countryCode = routing === undefined ? findCountry(lines.at(-1) ?? '') : 'IE';
  return address === '' ? null : { text: address, ...compact({ lines, postCode, ...findCity(lines), countryCode }) };
}

/** The last line may be the name of a country. Georgia is left out: it is more often the state of the United States. */
function findCountry(line: string): string | null {
  const code = line.length > 40 ? null : findCountryCode(line, ['en']);
  return code === 'GE' ? null : code;
}

/**
 * The part before the county, if it looks like the name of a settlement: `Cobh, Co. Cork`. A county has a mark, or the country follows
 * the county (`Longford, Ireland`). A postal district of Dublin needs no county.
 */
function findCity(lines: readonly string[]): { readonly city?: string; readonly district?: string } {
  const parts = lines.flatMap(splitAddress);
  const takeLast = (pattern: RegExp) => (pattern.test(parts.at(-1) ?? '') ? parts.pop() : undefined);
  takeLast(EIRCODE_PART);
  const namesCountry = takeLast(IRELAND) !== undefined;
  takeLast(EIRCODE_PART);
  let hasCounty = namesCountry && takeLast(COUNTY_NAME) !== undefined;
  while (takeLast(MARKED_COUNTY) !== undefined) hasCounty = true;
  const last = parts.at(-1) ?? '';
  const dublin = DUBLIN_DISTRICT.exec(last)?.[1];
  if (dublin !== undefined) return { city: dublin, district: last };
  return hasCounty && SETTLEMENT.test(last) && !OTHER_PART.test(last) ? { city: last } : {};
}

const COUNTIES =
  'Carlow|Cavan|Clare|Cork|Donegal|Dublin|Galway|Kerry|Kildare|Kilkenny|Laois|Leitrim|Limerick|Longford|Louth|Mayo|Meath|' +
  'Monaghan|Offaly|Roscommon|Sligo|Tipperary|Waterford|Westmeath|Wexford|Wicklow';
const COUNTY_NAME = new RegExp(`^(?:${COUNTIES})$`, 'i');
const MARKED_COUNTY = new RegExp(`^(?:County\\s+|Co\\.\\s*|Co\\s+)(?:${COUNTIES})\\.?$`, 'i');
const IRELAND = /^(?:(?:Republic of )?Ireland|Éire)\.?$/iu;
const EIRCODE_PART = new RegExp(EIRCODE.source, 'i');
const DUBLIN_DISTRICT = /^(Dublin) (?:\d{1,2}|6W)$/i;

const SETTLEMENT = /^\p{Lu}[\p{L}'’. -]+$/u;
/** Roads, estates, buildings, companies and counties, which are not settlements. `St.` is a street only at the end. */
const OTHER_PART = new RegExp(
  `\\b(?:Road|Rd|Street|Avenue|Ave|Lane|Drive|Park|Estate|Centre|Center|House|Quay|Quays|Square|Terrace|Court|Place|Way|Row|Close|` +
    'Crescent|Grove|View|Lawns?|Heights|Mall|Floor|Unit|Suite|Building|Block|Industrial|Business|Enterprise|Technology|Office|Retail|' +
    'Shopping|Campus|Hotel|Farm|Lodge|Cottage|Gardens?|Walk|Mews|Wharf|Docks?|Manor|Villas?|Parade|Limited|Ltd|Solicitors|' +
    'Accountants|County|Co)\\b|\\bSt\\.?$',
  'i',
);

export const ie = defineRegister({
  id: 'ie',
  name: 'Companies Registration Office company records',
  nativeName: 'An Oifig um Chlárú Cuideachtaí / Companies Registration Office',
  publisher: AUTHORITY,
  licence: 'CC BY 4.0',
  attribution: 'Contains Irish Public Sector Data (Companies Registration Office), CC BY 4.0',
  sourceUrl: 'https://opendata.cro.ie/',
  updates: 'daily',
  fetch: {
    kind: 'ckan',
    api: 'https://opendata.cro.ie/api/3/action',
    packages: [{ package: 'companies', resources: [{ match: /companies\.csv\.zip$/i }] }],
    size: { min: 20_000_000, max: 300_000_000 },
    readIn: 'StephenAbbott/opencheck, backend/opencheck/sources/cro.py',
  },
  files: ['companies.csv (in a zip)'],
  minimumRows: 650_000,
  numberColumns: ['company_num'],
  sources: [
    {
      name: SOURCE,
      csv: CSV,
      required: ['company_num', 'company_name', 'company_status', 'company_type'],
      gather: { column: 'company_num', choose: chooseRow },
      map: mapCompany,
    },
  ],
  writeNumber: dropZeros,
  // There is no check digit.
  numbers: [{ kind: 'company number', form: /^0*[1-9]\d{0,6}$/, write: dropZeros }],
});

function dropZeros(number: string): string {
  return number.replace(/^0+/, '');
}
