/** Joins an enterprise with its rows in the other tables and with its establishments and branches. */
import type { Cell, EntityStatus, JoinedRows, MapContext, MappedRecord, Rejection } from '../contract.ts';
import { noRows } from '../contract.ts';
import { compact, readDay, readText } from '../parsing.ts';
import type { LegalFormOf, RegistryOf } from '../vocabulary.ts';
import { describeAddresses } from './address.ts';
import { type Codes, type FormCategory, schemeOf } from './codes.ts';
import { describeActivities, describeCodes, describeContacts, describeNames, listActivities } from './entity.ts';
import { isValidNumber } from './number.ts';
import { AUTHORITY } from './tables.ts';

type Context = MapContext<Codes>;

export function mapEnterprise(cell: Cell, context: Context, rows: JoinedRows = noRows): MappedRecord | Rejection {
  const { codes } = context;
  const number = readText(cell('EnterpriseNumber'));
  if (number === null) return { rejected: 'no number' };
  const details = groupDetails(rows);
  const rowsOf = (table: DetailTable) => details.get(`${table} ${number}`) ?? NO_ROWS;
  const { name, language, typeCode, otherNames } = describeNames(rowsOf('denomination'));
  const registeredAt = readDay('StartDate', cell, context);
  const [status, situation] = [cell('Status').trim(), cell('JuridicalSituation').trim()];
  const situationLabel = codes.labels('JuridicalSituation').get(situation) ?? null;
  const formCac = readText(cell('JuridicalFormCAC'));
  return {
    number,
    // A few enterprises have no name in the files, but a record needs one.
    canonicalName: name ?? number,
    status: decideStatus(status, situation, context),
    legalForm: readLegalForm(cell, context),
    registeredAt,
    registrations: [
      {
        authority: AUTHORITY,
        type: 'national',
        number,
        numberValid: isValidNumber(number),
        status: situationLabel,
        ...(situation !== '' && { statusCode: situation }),
        registeredAt,
        endedAt: null,
      },
    ],
    activities: listActivities(rowsOf('activity'), context),
    registry: compact({
      nameMissing: name === null ? (true as const) : null,
      nameLanguage: language,
      nameTypeCode: typeCode === OFFICIAL_NAME ? null : typeCode,
      otherNames,
      status: compact({ code: situation, label: situationLabel }),
      registrationStatus: compact({ code: status, label: codes.labels('Status').get(status) }),
      typeCode: readText(cell('TypeOfEnterprise')),
      legalFormCac:
        formCac === null ? null : compact({ code: formCac, label: codes.labels('JuridicalForm').get(formCac) }),
      ...describeAddresses(rowsOf('address'), context),
      contacts: describeContacts(rowsOf('contact')),
      establishments: [
        ...listParts('establishment', 'EstablishmentNumber', rows, details, context),
        ...listParts('branch', 'Id', rows, details, context),
      ],
      activityGroups: describeCodes('ActivityGroup', rows('activity'), codes),
      classifications: describeCodes('Classification', rows('activity'), codes),
    }) satisfies RegistryOf,
  };
}

const OFFICIAL_NAME = '001';

/** The public file has only `AC` (active); users of it also list `ST` (stopped). */
function decideStatus(status: string, situation: string, { codes, reportUnknown }: Context): EntityStatus {
  if (status === 'ST') return 'inactive';
  if (status !== 'AC') {
    reportUnknown('status', 'Status', status);
    return 'unknown';
  }
  const decided = codes.situations.get(situation);
  if (decided === undefined) {
    const isListed = codes.labels('JuridicalSituation').has(situation);
    reportUnknown(isListed ? 'listedStatus' : 'status', 'JuridicalSituation', situation);
  }
  return decided ?? 'unknown';
}

/** A natural person has no legal form; its type takes the place. */
function readLegalForm(cell: Cell, { codes, reportUnknown }: Context): LegalFormOf | null {
  const form = cell('JuridicalForm').trim();
  const category: FormCategory = form === '' ? 'TypeOfEnterprise' : 'JuridicalForm';
  const code = form || cell('TypeOfEnterprise').trim();
  if (code === '') return null;
  const known = codes.form(category, code);
  if (known === undefined && codes.labels(category).size > 0) reportUnknown('legalForm', category, code);
  return known ?? { code, scheme: schemeOf(category) };
}

const DETAILS = ['denomination', 'address', 'contact', 'activity'] as const;
type DetailTable = (typeof DETAILS)[number];
type Details = ReadonlyMap<string, readonly Cell[]>;
const NO_ROWS: readonly Cell[] = [];

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

function listParts(
  table: 'establishment' | 'branch',
  column: string,
  rows: JoinedRows,
  details: Details,
  context: Context,
) {
  return rows(table).map((row) => {
    const number = row(column).trim();
    const rowsOf = (detail: DetailTable) => details.get(`${detail} ${number}`) ?? NO_ROWS;
    const { name, language, otherNames } = describeNames(rowsOf('denomination'));
    return compact({
      number,
      type: table === 'branch' ? table : null,
      name,
      nameLanguage: language,
      otherNames,
      from: readDay('StartDate', row, context),
      ...describeAddresses(rowsOf('address'), context),
      contacts: describeContacts(rowsOf('contact')),
      activities: describeActivities(rowsOf('activity'), context),
    });
  });
}
