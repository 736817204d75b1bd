/** Australia: the company dataset of ASIC. The file has one line per name; the lines of a company are grouped by ACN. */
import { fold } from '../../base/fold.ts';
import { checkLastDigit, checkSum } from '../check-digits.ts';
import { type Cell, chooseFirst, defineRegister, type EntityStatus, type MapContext, NO_DETAILS } from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { type Common, type State, tableFields } from '../fields.ts';
import { stateNames } from '../jurisdictions.ts';
import { describeRecord, otherNumber, ownEnd, ownNumberLast, ownStatus } from '../record.ts';
import type { LegalFormOf } from '../vocabulary.ts';

const AUTHORITY = 'Australian Securities and Investments Commission';
const TABLE = 'companies';

const lists = readCodeLists('au');
export const TYPES = lists.labels('type');
const STATUSES = lists.meanings<EntityStatus>('status');
const STATUS_LABELS = lists.labels('status');
const CODES_BY_LABEL = new Map(Array.from(STATUS_LABELS, ([code, label]) => [fold(label), code]));

export const isValidAcn = checkLastDigit([8, 7, 6, 5, 4, 3, 2, 1], (sum) => (10 - (sum % 10)) % 10);
/** The rule subtracts 1 from the first digit before weighing. The weight of that digit is 10, so the remainder is 10. */
export const isValidAbn = checkSum([10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19], 89, 10);

const { text, day, number, is, first } = tableFields();

const readNameStart = day('Current Name Start Date');
const readFormerNameLine = first(text('Current Name'), text('Company Name'));
const readState = text('Previous State of Registration');

const mapCompany = describeRecord<Cell, unknown>({
  // Every line of a former name repeats the current name, so a company whose current line is missing still has a name.
  name: (...row) => (isCurrent(row[0]) ? row[0]('Company Name').trim() || null : readFormerNameLine(...row)),
  // A spreadsheet that saves the file drops leading zeros, so shorter numbers are padded.
  number: number('ACN', /^\d{9}$/, 'not nine digits', padNumber),
  registeredAt: day('Date of Registration'),
  endedAt: day('Date of Deregistration'),
  status: readStatus,
  legalForm: readLegalForm,
  registrations: [
    ownNumberLast(AUTHORITY, isValidAcn),
    otherNumber('Australian Business Register', 'tax', readAbn, isValidAbn),
    // Before 1991 companies were registered by the states.
    (cell, ...rest) => {
      const [stateNumber, state] = [cell('State Registration number').trim(), readState(cell, ...rest)];
      return stateNumber === ''
        ? null
        : { authority: state ?? 'unknown', type: 'state', number: stateNumber, ...NO_DETAILS };
    },
  ],
  registry: {
    status: ownStatus,
    strikeOffInProgress: (_cell, _context, { state }) => (state.code === 'SOFF' ? true : null),
    endedAt: ownEnd,
    class: readCode('Class', lists.labels('class')),
    subClass: readCode('Sub Class', lists.labels('sub class')),
    previousState: readState,
    jurisdiction: findJurisdiction,
    modified: is('Modified since last report', /^Y$/i),
    // Only the lines of former names have the day on which the current name took effect.
    currentNameSince(cell, context, common) {
      for (const line of listLines(cell, common)) {
        const since = readNameStart(line, context, common);
        if (since !== null) return since;
      }
      return null;
    },
    // Each former name once: the file repeats some lines.
    previousNames(cell, _context, common) {
      const names = new Set(listLines(cell, common).map((line) => line('Company Name').trim()));
      names.delete('');
      names.delete(common.name);
      return Array.from(names, (name) => ({ name }));
    },
  },
});

function listLines(cell: Cell, { rows }: Common): readonly Cell[] {
  return [cell, ...rows(TABLE)];
}

function isCurrent(line: Cell): boolean {
  return line('Current Name Indicator').trim().toUpperCase() === 'Y';
}

/** Before 1991 companies were under the law of a state. For foreign companies and other bodies the file does not name the jurisdiction. */
function findJurisdiction(cell: Cell): string | null {
  const code = `AU-${cell('Previous State of Registration').trim().toUpperCase()}`;
  if (stateNames.has(code)) return code;
  return /^AP(?:TY|UB)$/i.test(cell('Type').trim()) ? 'AU' : null;
}

/** A status is written as a code in any case, or as its text. */
function readStatus(cell: Cell, context: MapContext<unknown>): State {
  const written = cell('Status').trim();
  const upper = written.toUpperCase();
  const code = STATUSES.has(upper) ? upper : (CODES_BY_LABEL.get(fold(written)) ?? written);
  const status = STATUSES.get(code);
  if (status === undefined) context.reportUnknown('status', 'Status', code);
  return { status: status ?? 'unknown', code, label: STATUS_LABELS.get(code) ?? null };
}

function readLegalForm(cell: Cell, context: MapContext<unknown>): LegalFormOf | null {
  const code = cell('Type').trim().toUpperCase();
  if (code === '') return null;
  const label = TYPES.get(code);
  if (label === undefined) context.reportUnknown('legalForm', 'Type', code);
  return { code, ...(label !== undefined && { label }), scheme: 'ASIC' };
}

function readCode(column: string, labels: ReadonlyMap<string, string>) {
  return (cell: Cell) => {
    const code = cell(column).trim().toUpperCase();
    const label = labels.get(code);
    // NONE is a class. The list of sub classes has no text for NONE: in that column, NONE means that no sub class is known.
    if (code === '' || (code === 'NONE' && label === undefined)) return null;
    return { code, ...(label !== undefined && { label }) };
  };
}

/** The file writes `00000000000` for a company without an ABN. */
function readAbn(cell: Cell): string | null {
  const abn = cell('ABN').replaceAll(' ', '');
  return /^0*$/.test(abn) ? null : abn;
}

function padNumber(number: string): string {
  return number.padStart(9, '0');
}

export const au = defineRegister({
  id: 'au',
  name: 'ASIC Company Dataset',
  nativeName: 'ASIC Company Dataset',
  publisher: AUTHORITY,
  licence: 'CC BY 3.0 AU',
  attribution: 'Australian Securities and Investments Commission, Company Dataset, CC BY 3.0 AU',
  sourceUrl: 'https://data.gov.au/data/dataset/7b8656f9-606d-4337-af29-66b89b2eeefb',
  updates: 'weekly',
  fetch: {
    kind: 'ckan',
    api: 'https://data.gov.au/data/api/3/action',
    packages: [
      {
        package: '7b8656f9-606d-4337-af29-66b89b2eeefb',
        resources: [{ match: /\/company_(?<year>\d{4})(?<month>\d{2})\.csv$/i }],
      },
    ],
    size: { min: 200_000_000, max: 3_000_000_000 },
    readIn: 'public importers of the data set',
  },
  files: ['COMPANY_YYYYMM.csv'],
  minimumRows: 2_000_000,
  numberColumns: ['ACN'],
  sources: [
    {
      name: TABLE,
      // Tab-separated and never quoted: a name may start with a quote character, which is part of it.
      csv: { delimiter: '\t', quote: null, encoding: 'utf-8' },
      required: ['Company Name', 'ACN', 'Status', 'Current Name Indicator'],
      match: 'folded',
      // The line with the current name, or the first line if no line is marked as current.
      gather: { column: 'ACN', choose: chooseFirst(isCurrent) },
      map: mapCompany,
    },
    {
      name: 'ABN Bulk Extract',
      format: { type: 'xml', element: 'ABR' },
      required: ['ABN'],
      refusal:
        'this is the ABN Bulk Extract of the Australian Business Register, which is not supported. Import COMPANY_YYYYMM.csv of the ASIC company dataset',
    },
  ],
  // Other registers may write the ABN: two check digits, then the ACN.
  writeNumber: (number) => padNumber(number.slice(-9)),
  checkNumber(written) {
    if (/^\d{9}$/.test(written)) return { kind: 'ACN', number: written, valid: isValidAcn(written) };
    if (!/^\d{11}$/.test(written)) return null;
    const [acn, valid] = [written.slice(2), isValidAbn(written)];
    // The ABN of a company is two digits and its ACN. Other ABNs belong to people and trusts, which the register does not have.
    return valid && !isValidAcn(acn) ? null : { kind: 'ABN', number: acn, valid };
  },
});
