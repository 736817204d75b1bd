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
import { compact, readCode, readDay, readText, readTexts } from '../parsing.ts';

export const AUTHORITY = 'Companies Registration Office';
export const SOURCE = 'companies';

const CHANGES = ['company_status_date', 'comp_dissolved_date', 'company_name_eff_date', 'company_type_eff_date'];

/** Some companies have one row per status or name they had. The record is made of the row that took effect last. */
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

/** A summary of another row with the same number. The complete row is in `sourceData`. */
function readEntry(cell: Cell) {
  return compact({
    name: cell('company_name').trim(),
    status: cell('company_status').trim(),
    statusSince: cell('company_status_date').trim(),
    nameSince: cell('company_name_eff_date').trim(),
  });
}

const STRIKE_OFF = /^\s*strike off listed\s*$/i;

/**
 * The first match counts: `Dissolved (liquidation)` is dissolved. The file has 23 texts, of which about ten are known,
 * so an unknown text is not reported as an error.
 */
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

/** The file writes NACE codes as numbers: `3101.0`, and `111.0` for class 0111. Classes have four digits. */
function readActivities(cell: Cell, context: MapContext<null>): Activity[] {
  const written = cell('nace_v2_code').trim();
  const code = readCode(written);
  if (code === null) return [];
  if (!/^\d{1,5}$/.test(code)) context.report('nace_v2_code', written, 'not a NACE code');
  const isNumber = code !== written;
  return [{ type: 'unlicensed', code: isNumber && code.length === 3 ? `0${code}` : code, label: null }];
}
