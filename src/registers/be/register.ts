/** Belgium: the Crossroads Bank for Enterprises. Nine tables in one zip are joined by enterprise number. */
import { type Cell, defineRegister, type JoinedRows, type MapContext, noRows } from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { companyFields, type Field, NO_COMMON, type State, tableFields } from '../fields.ts';
import { compact } from '../parsing.ts';
import { describeRecord, ownNumber, ownStatus, spread } from '../record.ts';
import type { LegalFormOf } from '../vocabulary.ts';
import { type Codes, readCodes } from './codes.ts';
import {
  describeActivities,
  describeAddresses,
  describeCodes,
  describeContacts,
  describeNames,
  listActivities,
} from './entity.ts';

const lists = readCodeLists('be');
/** The regions whose law defines a legal form, by the code of the form. */
const JURISDICTIONS = lists.meanings<string>('jurisdiction');

const OFFICIAL_NAME = '001';

type Context = MapContext<Codes>;
type BeField<Value> = Field<Enterprise, Codes, Value>;

/** A row of `enterprise` with its rows in the other tables: the join mixes these with the rows of its establishments and branches. */
interface Enterprise {
  readonly cell: Cell;
  readonly names: ReturnType<typeof describeNames>;
  readonly rows: JoinedRows;
  rowsOf(table: DetailTable, entity?: string): readonly Cell[];
}

const DETAILS = ['denomination', 'address', 'contact', 'activity'] as const;
type DetailTable = (typeof DETAILS)[number];
const NO_ROWS: readonly Cell[] = [];

function readEnterprise(cell: Cell, rows: JoinedRows): Enterprise {
  const details = new Map<string, Cell[]>();
  for (const table of DETAILS) {
    for (const row of rows(table))
      details.getOrInsertComputed(`${table} ${row('EntityNumber').trim()}`, () => []).push(row);
  }
  const number = cell('EnterpriseNumber').trim();
  const rowsOf = (table: DetailTable, entity = number) => details.get(`${table} ${entity}`) ?? NO_ROWS;
  return { cell, names: describeNames(rowsOf('denomination')), rows, rowsOf };
}

/** `NNNN.NNN.NNN`: the last two digits are 97 minus the first eight modulo 97, so they range from 01 to 97. */
export function isValidNumber(number: string): boolean {
  const digits = number.replaceAll('.', '');
  return /^[01]\d{9}$/.test(digits) && 97 - (Number(digits.slice(0, 8)) % 97) === Number(digits.slice(8));
}

const { text, day } = companyFields<Enterprise, Codes>();
const readStart = tableFields<Codes>().day('StartDate');

/** A code with its text from a category of the code table. */
function codeOf(column: string, category: string): BeField<{ readonly code?: string; readonly label?: string }> {
  return ({ cell }, { codes }) => {
    const code = cell(column).trim();
    return code === '' ? null : compact({ code, label: codes.texts(category).get(code)?.label });
  };
}

const mapEnterprise = describeRecord<Enterprise, Codes>({
  name: ({ cell, names }) => (cell('EnterpriseNumber').trim() === '' ? null : names.name),
  // A few enterprises have no name in the files.
  substitute: text('EnterpriseNumber'),
  nameless: 'no number',
  number: text('EnterpriseNumber'),
  registeredAt: day('StartDate'),
  status: readStatus,
  legalForm: readLegalForm,
  registrations: [ownNumber('FOD Economie / SPF Économie (KBO/BCE)', isValidNumber)],
  activities: ({ rowsOf }, context) => listActivities(rowsOf('activity'), context),
  registry: {
    nameLanguage: ({ names }) => names.language,
    nameTypeCode: ({ names }) => (names.typeCode === OFFICIAL_NAME ? null : names.typeCode),
    otherNames: ({ names }) => names.otherNames,
    status: ownStatus,
    registrationStatus: codeOf('Status', 'Status'),
    typeCode: text('TypeOfEnterprise'),
    // Most forms are forms of federal law, but the files do not state which.
    jurisdiction: ({ cell }) => JURISDICTIONS.get(cell('JuridicalForm').trim()) ?? null,
    legalFormCac: codeOf('JuridicalFormCAC', 'JuridicalForm'),
    addresses: spread(({ rowsOf }, context) => compact(describeAddresses(rowsOf('address'), context))),
    contacts: ({ rowsOf }) => describeContacts(rowsOf('contact')),
    establishments: (enterprise, context) => [
      ...listParts('establishment', 'EstablishmentNumber', enterprise, context),
      ...listParts('branch', 'Id', enterprise, context),
    ],
    activityGroups: ({ rows }, { codes }) => describeCodes('ActivityGroup', rows('activity'), codes),
    classifications: ({ rows }, { codes }) => describeCodes('Classification', rows('activity'), codes),
  },
});

function listParts(table: 'establishment' | 'branch', column: string, { rows, rowsOf }: Enterprise, context: Context) {
  return rows(table).map((row) => {
    const number = row(column).trim();
    const { name, language, otherNames } = describeNames(rowsOf('denomination', number));
    return compact({
      number,
      type: table === 'branch' ? table : null,
      name,
      nameLanguage: language,
      otherNames,
      from: readStart(row, context, NO_COMMON),
      ...describeAddresses(rowsOf('address', number), context),
      contacts: describeContacts(rowsOf('contact', number)),
      activities: describeActivities(rowsOf('activity', number), context),
    });
  });
}

/** The public file has only `AC` (active); users of the file also list `ST` (stopped). */
function readStatus({ cell }: Enterprise, { codes, reportUnknown }: Context): State {
  const [status, code] = [cell('Status').trim(), cell('JuridicalSituation').trim()];
  const label = codes.texts('JuridicalSituation').get(code)?.label ?? null;
  if (status === 'ST') return { status: 'inactive', code, label };
  const decided = codes.situations.get(code);
  if (status !== 'AC') reportUnknown('status', 'Status', status);
  else if (decided === undefined) reportUnknown(label === null ? 'status' : 'listedStatus', 'JuridicalSituation', code);
  return { status: (status === 'AC' ? decided : null) ?? 'unknown', code, label };
}

/** A natural person has no legal form, so the type of the enterprise is used instead. */
function readLegalForm({ cell }: Enterprise, { codes, reportUnknown }: Context): LegalFormOf | null {
  const form = cell('JuridicalForm').trim();
  const category = form === '' ? 'TypeOfEnterprise' : 'JuridicalForm';
  const code = form || cell('TypeOfEnterprise').trim();
  if (code === '') return null;
  const texts = codes.texts(category);
  const known = texts.get(code);
  if (known === undefined && texts.size > 0) reportUnknown('legalForm', category, code);
  return { code, ...(known && { label: known.label, labels: known.labels }), scheme: `KBO ${category}` };
}

function writeNumber(number: string): string {
  return number.replace(/^(\d{4})\.?(\d{3})\.?(\d{3})$/, '$1.$2.$3');
}

export const be = defineRegister<Codes>({
  id: 'be',
  tables: {
    enterprise: { map: (cell, context, rows = noRows) => mapEnterprise(readEnterprise(cell, rows), context, rows) },
  },
  writeNumber,
  numbers: [
    {
      kind: 'enterprise number',
      // Numbers from before 2005 have nine digits; a zero was later put in front of such numbers.
      form: /^[01]?\d{9}$/,
      write: (written) => writeNumber(written.padStart(10, '0')),
      check: isValidNumber,
    },
  ],
  readCodes,
  asOf: ({ snapshotDay }) => snapshotDay,
  refuse: ({ extractType }) =>
    extractType === 'update'
      ? 'This is an update extract, which holds changes only. Import the newest full extract (KboOpenData_…_Full.zip) instead.'
      : null,
});
