import { fold } from '../../core/fold.ts';
import type { Activity, Cell, EntityStatus, JoinedRows, MapContext, MappedRecord, Rejection } from '../contract.ts';
import { noRows } from '../contract.ts';
import { compact, readCode, readDate, readDay, readLegalForm, readText, splitWords } from '../parsing.ts';
import { readAddress } from './address.ts';

export const AUTHORITY = 'Companies Registration Office';
export const SOURCE = 'companies';

export const COLUMNS = splitWords(
  'company_num company_name company_status_code company_status company_type_code company_type company_reg_date ' +
    'last_ar_date company_address_1 company_address_2 company_address_3 company_address_4 comp_dissolved_date nard ' +
    'last_accounts_date company_status_date nace_v2_code eircode company_name_eff_date company_type_eff_date ' +
    'princ_object_code',
);

type Context = MapContext<null>;

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

export function mapCompany(cell: Cell, context: Context, rows: JoinedRows = noRows): MappedRecord | Rejection {
  const canonicalName = cell('company_name').trim();
  if (canonicalName === '') return { rejected: 'no name' };
  const number = readText(cell('company_num'));
  if (number !== null && !/^\d+$/.test(number)) context.report('company_num', number, 'not a company number');
  const day = (column: string) => readDay(column, cell, context);
  const [registeredAt, endedAt] = [day('company_reg_date'), day('comp_dissolved_date')];
  const [statusCode, status] = [cell('company_status_code').trim(), readText(cell('company_status'))];
  const registration = { authority: AUTHORITY, type: 'national' as const, status, ...compact({ statusCode }) };
  const others = rows(SOURCE);
  return {
    number,
    canonicalName,
    status: readStatus(cell, context),
    legalForm: NO_FORM.test(cell('company_type'))
      ? null
      : readLegalForm('company_type_code', 'company_type', cell, context),
    registeredAt,
    registrations: number === null ? [] : [{ ...registration, number, registeredAt, endedAt }],
    activities: readActivities(cell, context),
    registry: compact({
      status: compact({ code: statusCode, label: status, since: day('company_status_date') }),
      strikeOffListed: status?.toLowerCase() === STRIKE_OFF ? true : null,
      endedAt,
      previousNames: listPreviousNames(canonicalName, others),
      address: readAddress(cell),
      nameSince: day('company_name_eff_date'),
      legalFormSince: day('company_type_eff_date'),
      lastAnnualReturn: day('last_ar_date'),
      nextAnnualReturn: day('nard'),
      lastAccounts: day('last_accounts_date'),
      principalObjectCode: readCode(cell('princ_object_code')),
      otherEntries: others.map(readEntry),
    }),
  };
}

/** The CRO writes this for companies whose type it does not know. */
const NO_FORM = /^\s*unknown\s*$/i;

/** The names in other rows with the same number, the latest first. */
function listPreviousNames(canonicalName: string, rows: readonly Cell[]) {
  const since = new Map<string, string>();
  for (const cell of rows) {
    const name = cell('company_name').trim();
    if (name !== '' && name !== canonicalName) since.set(name, readDate(cell('company_name_eff_date').trim()) ?? '');
  }
  return [...since]
    .sort(([, one], [, other]) => (one < other ? 1 : one > other ? -1 : 0))
    .map(([name, from]) => ({ name, ...compact({ from }) }));
}

/** A summary of another row with the same number. The complete row is in `sourceData`. */
function readEntry(cell: Cell) {
  const readSince = (column: string) => readDate(cell(column).trim());
  return compact({
    name: cell('company_name').trim(),
    status: compact({
      code: cell('company_status_code').trim(),
      label: cell('company_status').trim(),
      since: readSince('company_status_date'),
    }),
    nameSince: readSince('company_name_eff_date'),
  });
}

const STRIKE_OFF = 'strike off listed';

/**
 * The first match counts: `Dissolved (liquidation)` is dissolved. Some texts are cut off (`Deleted as per SE Tr`), so they
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

function readStatus(cell: Cell, context: Context): EntityStatus {
  const written = cell('company_status').trim();
  const text = fold(written);
  const known = STATUSES.find(([pattern]) => pattern.test(text))?.[1];
  if (known !== undefined) return known;
  context.reportUnknown('status', 'company_status', written);
  return cell('comp_dissolved_date').trim() === '' ? 'unknown' : 'dissolved';
}

/** The file writes NACE codes as numbers: `3101.0`, and `111.0` for class 0111. Classes have four digits. */
function readActivities(cell: Cell, context: Context): Activity[] {
  const written = cell('nace_v2_code').trim();
  const read = readCode(written);
  if (read === null) return [];
  if (!/^\d{1,5}$/.test(read)) context.reportUnknown('activity', 'nace_v2_code', written);
  const code = read !== written && read.length === 3 ? `0${read}` : read;
  const activity = { type: 'unlicensed', code, label: null, scheme: 'NACE', edition: 'Rev. 2' } as const;
  return [code === written ? activity : { ...activity, written }];
}
