import type {
  Activity,
  Cell,
  EntityStatus,
  JoinedRows,
  Json,
  MapContext,
  MappedRecord,
  Rejection,
} from '../contract.ts';
import { noRows } from '../contract.ts';
import { compact, readCode, readDay, readText, readTexts } from '../vocabulary.ts';

export const AUTHORITY = 'Companies Registration Office';
export const SOURCE = 'companies';

const CHANGES = ['company_status_date', 'comp_dissolved_date', 'company_name_eff_date', 'company_type_eff_date'];

/** Some companies have a row for each status or name they had: the one that took effect last stands for the company. */
export function chooseRow(rows: readonly Cell[]): number {
  const effective = rows.map(
    (cell) =>
      CHANGES.map((column) => cell(column).trim())
        .sort()
        .at(-1) ?? '',
  );
  return effective.reduce((best, date, index) => (date > (effective[best] ?? '') ? index : best), 0);
}

export function mapCompany(cell: Cell, context: MapContext<null>, rows: JoinedRows = noRows): MappedRecord | Rejection {
  const canonicalName = cell('company_name').trim();
  if (canonicalName === '') return { rejected: 'no name' };
  const number = readText(cell('company_num'));
  if (number !== null && !/^\d+$/.test(number)) context.report('company_num', number, 'not a company number');
  const rawStatus = readText(cell('company_status')) ?? readText(cell('company_status_code'));
  const day = (column: string) => readDay(column, cell, context);
  const [registeredAt, endedAt] = [day('company_reg_date'), day('comp_dissolved_date')];
  const registration = { authority: AUTHORITY, type: 'national', status: rawStatus, registeredAt, endedAt };
  const activities = readActivities(cell, context);
  return {
    number,
    canonicalName,
    status: readStatus(cell),
    legalForm: readText(cell('company_type')) ?? readText(cell('company_type_code')),
    registeredAt,
    registrations: number === null ? [] : [{ ...registration, number }],
    activities,
    registry: compact({
      statusCode: readText(cell('company_status_code')),
      statusSince: day('company_status_date'),
      strikeOffListed: STRIKE_OFF.test(cell('company_status')) ? true : null,
      legalFormCode: readText(cell('company_type_code')),
      legalFormSince: day('company_type_eff_date'),
      nameSince: day('company_name_eff_date'),
      dissolvedAt: endedAt,
      address: readAddress(cell),
      lastAnnualReturn: day('last_ar_date'),
      nextAnnualReturn: day('nard'),
      lastAccounts: day('last_accounts_date'),
      naceCode: activities[0]?.code ?? null,
      principalObjectCode: readCode(cell('princ_object_code')),
      otherEntries: rows(SOURCE).map(readEntry),
    }) as Readonly<Record<string, Json>>,
  };
}

/** What a further row of the same number says; the whole of it is in `sourceData`. */
function readEntry(cell: Cell) {
  return compact({
    name: cell('company_name').trim(),
    status: cell('company_status').trim(),
    statusSince: cell('company_status_date').trim(),
    nameSince: cell('company_name_eff_date').trim(),
  });
}

const STRIKE_OFF = /^\s*strike off listed\s*$/i;

/** In order: `Dissolved (liquidation)` is dissolved. Of 23 texts some ten are known, so another is no error of the file. */
const STATUSES: readonly (readonly [RegExp, EntityStatus])[] = [
  [/^normal$|^strike off listed$/, 'active'],
  [/^dissolved|^struck off/, 'dissolved'],
  [/^(in )?liquidation/, 'in_liquidation'],
  [/^receivership|^examinership/, 'insolvent'],
  [/^ceased/, 'inactive'],
];

function readStatus(cell: Cell): EntityStatus {
  const text = cell('company_status').trim().toLowerCase();
  const known = STATUSES.find(([pattern]) => pattern.test(text))?.[1];
  return known ?? (cell('comp_dissolved_date').trim() === '' ? 'unknown' : 'dissolved');
}

const ADDRESS = ['company_address_1', 'company_address_2', 'company_address_3', 'company_address_4'];
const NO_ADDRESS = /^\*+\s*NO ADDRESS DETAILS\s*\*+$/i;
const EIRCODE = /^([A-Z]\d[\dW])\s*([A-Z\d]{4})$/;

function readAddress(cell: Cell) {
  const eircode = cell('eircode').trim().toUpperCase();
  const [, routing, unique] = EIRCODE.exec(eircode) ?? [];
  return compact({
    lines: readTexts(ADDRESS, cell).filter((line) => !NO_ADDRESS.test(line)),
    postCode: routing === undefined ? eircode : `${routing} ${unique}`,
  });
}

/** NACE as a number: `3101.0`, and `111.0` for 0111, which has four digits like every class. */
function readActivities(cell: Cell, context: MapContext<null>): Activity[] {
  const written = cell('nace_v2_code').trim();
  const code = readCode(written);
  if (code === null) return [];
  if (!/^\d{1,5}$/.test(code)) context.report('nace_v2_code', written, 'not a NACE code');
  const isNumber = code !== written;
  return [{ type: 'unlicensed', code: isNumber && code.length === 3 ? `0${code}` : code, label: null }];
}
