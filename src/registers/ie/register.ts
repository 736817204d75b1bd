/** Ireland: the company records of the Companies Registration Office, current and dissolved, published daily. */
import { fold } from '../../base/fold.ts';
import { findCountryCode } from '../address.ts';
import { type Activity, type Cell, defineRegister, type MapContext } from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { type Common, type State, tableFields } from '../fields.ts';
import { compact, readCode, readDate, splitList } from '../parsing.ts';
import { describeRecord, ownEnd, ownNumber, ownStatus } from '../record.ts';
import type { AddressOf } from '../vocabulary.ts';

const SOURCE = 'companies';

const { text, day, number, is, texts, legalForm, group, groupWith, knownStatus, all, rowsOf } = tableFields();

const readForm = legalForm('company_type_code', 'company_type');
const lists = readCodeLists('ie');
const readStatus = groupWith(['status'], {
  status: knownStatus('company_status', { get: lists.patterns('status') }, fold),
  code: text('company_status_code'),
  label: text('company_status'),
  since: day('company_status_date'),
});

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
  status: decideStatus,
  // The CRO writes `unknown` for companies whose type it does not know.
  legalForm: (row, ...rest) => (/^\s*unknown\s*$/i.test(row('company_type')) ? null : readForm(row, ...rest)),
  registrations: [ownNumber('Companies Registration Office', undefined, 'afterStatus')],
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
  if (common.rows(SOURCE).length === 0) return null;
  const since = new Map<string, string>();
  for (const cell of common.rows(SOURCE)) {
    const name = cell('company_name').trim();
    if (name !== '' && name !== common.name) since.set(name, readDate(cell('company_name_eff_date').trim()) ?? '');
  }
  return [...since]
    .sort(([, one], [, other]) => (one < other ? 1 : one > other ? -1 : 0))
    .map(([name, from]) => ({ name, ...compact({ from }) }));
}

/** A text that is not known is the status of a dissolved company if the company has an end date. */
function decideStatus(...row: Parameters<typeof readStatus>): State {
  const state = readStatus(...row) ?? { status: 'unknown' };
  const isDissolved = state.status === 'unknown' && row[0]('comp_dissolved_date').trim() !== '';
  return isDissolved ? { ...state, status: 'dissolved' } : state;
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
    .map((line) => (/no address/i.test(line) ? line.replace(NO_ADDRESS, '').trim() : line))
    .filter((line) => line !== '');
  const address = [...lines, postCode].filter((line, index, all) => line !== '' && line !== all[index - 1]).join(', ');
  // Foreign companies have addresses abroad. Only an Irish address has an Eircode.
  const countryCode = routing === undefined ? findCountry(lines.at(-1) ?? '') : 'IE';
  return address === '' ? null : { text: address, ...compact({ lines, postCode, ...findCity(lines), countryCode }) };
}

/** The last line may be the name of a country. Georgia is left out: it is more often the state of the United States. */
function findCountry(line: string): string | null {
  const code = line.length > 40 ? null : findCountryCode(line, 'en');
  return code === 'GE' ? null : code;
}

/**
 * The part before the county, if it looks like the name of a settlement: `Cobh, Co. Cork`. A county has a mark, or the country follows
 * the county (`Longford, Ireland`). A postal district of Dublin needs no county.
 */
function findCity(lines: readonly string[]): { readonly city?: string; readonly district?: string } {
  const parts = lines.flatMap((line) => splitList(line, ','));
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

const COUNTIES = listWords('county');
const COUNTY_NAME = new RegExp(`^(?:${COUNTIES})$`, 'i');
const MARKED_COUNTY = new RegExp(`^(?:County\\s+|Co\\.\\s*|Co\\s+)(?:${COUNTIES})\\.?$`, 'i');
const IRELAND = /^(?:(?:Republic of )?Ireland|Éire)\.?$/iu;
const EIRCODE_PART = new RegExp(EIRCODE.source, 'i');
const DUBLIN_DISTRICT = /^(Dublin) (?:\d{1,2}|6W)$/i;

const SETTLEMENT = /^\p{Lu}[\p{L}'’. -]+$/u;
/** `St.` is a street only at the end. */
const OTHER_PART = new RegExp(`\\b(?:${listWords('not a settlement')})\\b|\\bSt\\.?$`, 'i');

function listWords(list: string): string {
  return [...lists.meanings(list).keys()].join('|');
}

export const ie = defineRegister({
  id: 'ie',
  tables: { [SOURCE]: { gather: { choose: chooseRow }, map: mapCompany } },
  writeNumber: dropZeros,
  // There is no check digit.
  numbers: [{ kind: 'company number', form: /^0*[1-9]\d{0,6}$/, write: dropZeros }],
});

function dropZeros(number: string): string {
  return number.replace(/^0+/, '');
}
