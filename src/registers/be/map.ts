/** Joins an enterprise with its rows in the other tables and with its establishments and branches. */
import type { Activity, Cell, JoinedRows, Json, MapContext, MappedRecord, Rejection } from '../contract.ts';
import { noRows } from '../contract.ts';
import { compact, readDay, readText } from '../parsing.ts';
import { type Codes, decideStatus } from './codes.ts';
import { describeActivities, describeAddresses, describeCodes, describeContacts, describeNames } from './entity.ts';
import { AUTHORITY } from './tables.ts';

export function mapEnterprise(
  cell: Cell,
  context: MapContext<Codes>,
  rows: JoinedRows = noRows,
): MappedRecord | Rejection {
  const { codes } = context;
  const number = readText(cell('EnterpriseNumber'));
  if (number === null) return { rejected: 'no number' };
  const details = groupDetails(rows);
  const describe = (entity: string) => describeEntity(entity, details, context);
  const own = describe(number);
  const startDate = readDay('StartDate', cell, context);
  const [status, situation] = [cell('Status').trim(), cell('JuridicalSituation').trim()];
  const decided = decideStatus(status, situation, codes);
  if (decided === null) context.report('Status', status, 'unknown status');
  const [form, formCac] = [readText(cell('JuridicalForm')), readText(cell('JuridicalFormCAC'))];
  const type = readText(cell('TypeOfEnterprise'));
  const name = own.names?.[0]?.name;
  const registration = { authority: AUTHORITY, type: 'national', registeredAt: startDate, endedAt: null };
  return {
    number,
    // A few enterprises have no name in the files, but a record needs one.
    canonicalName: name ?? number,
    status: decided ?? 'unknown',
    legalForm: form === null ? labelOf('TypeOfEnterprise', type, codes) : labelOf('JuridicalForm', form, codes),
    registeredAt: startDate,
    registrations: [{ ...registration, number, status: readText(`${status} ${situation}`) }],
    activities: listActivities(own.activities ?? []),
    registry: compact({
      numberValid: isValidNumber(number),
      nameMissing: name === undefined ? true : null,
      typeCode: type,
      legalFormCode: form,
      legalFormCacCode: formCac,
      legalFormCac: formCac === null ? null : codes.label('JuridicalForm', formCac),
      situationCode: readText(situation),
      situation: codes.label('JuridicalSituation', situation),
      ...own,
      activityGroups: describeCodes('ActivityGroup', rows('activity'), codes),
      classifications: describeCodes('Classification', rows('activity'), codes),
      establishments: listParts('establishment', 'EstablishmentNumber', rows, context, describe),
      branches: listParts('branch', 'Id', rows, context, describe),
    }) as Readonly<Record<string, Json>>,
  };
}

const DETAILS = ['denomination', 'address', 'contact', 'activity'] as const;
type Details = ReadonlyMap<string, readonly Cell[]>;

/** Rows by table and entity: the join mixes the rows of an enterprise with those of its establishments and branches. */
function groupDetails(rows: JoinedRows): Details {
  const details = new Map<string, Cell[]>();
  for (const table of DETAILS) {
    for (const row of rows(table)) {
      const key = `${table} ${row('EntityNumber').trim()}`;
      const known = details.get(key);
      if (known === undefined) details.set(key, [row]);
      else known.push(row);
    }
  }
  return details;
}

function describeEntity(entity: string, details: Details, context: MapContext<Codes>) {
  const rowsOf = (table: (typeof DETAILS)[number]) => details.get(`${table} ${entity}`) ?? [];
  return compact({
    names: describeNames(rowsOf('denomination'), context),
    ...describeAddresses(rowsOf('address'), context),
    ...describeContacts(rowsOf('contact'), context),
    activities: describeActivities(rowsOf('activity'), context),
  });
}

function listParts(
  table: string,
  column: string,
  rows: JoinedRows,
  context: MapContext<Codes>,
  describe: (number: string) => object,
) {
  return rows(table).map((row) => {
    const number = row(column).trim();
    return { number, ...compact({ startDate: readDay('StartDate', row, context) }), ...describe(number) };
  });
}

function labelOf(category: string, code: string | null, codes: Codes): string | null {
  return code === null ? null : (codes.label(category, code) ?? code);
}

/** The activities in the newest edition of NACE, main ones first. The files repeat an activity in several editions. */
function listActivities(
  described: readonly { code: string; version?: string; classification?: string; label?: string }[],
) {
  const newest = described.reduce((latest, { version = '' }) => (version > latest ? version : latest), '');
  const current = described.filter(({ version = '' }) => version === newest);
  const main = current.filter(({ classification }) => classification === 'MAIN');
  const found = new Map<string, Activity>();
  for (const { code, label } of [...main, ...current]) {
    if (!found.has(code)) found.set(code, { type: 'unlicensed', code, label: label ?? null });
  }
  return [...found.values()];
}

/** `NNNN.NNN.NNN`: the last two digits are 97 minus the first eight modulo 97, so they range from 01 to 97. */
export function isValidNumber(number: string): boolean {
  const digits = number.replaceAll('.', '');
  return /^[01]\d{9}$/.test(digits) && 97 - (Number(digits.slice(0, 8)) % 97) === Number(digits.slice(8));
}
