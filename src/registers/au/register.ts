/** Australia: the company dataset of ASIC. The file has one line per name; the lines of a company are grouped by ACN. */
import { fold } from '../../base/fold.ts';
import { checkLastDigit, checkSum } from '../check-digits.ts';
import { type Cell, chooseFirst, defineRegister, type EntityStatus, NO_DETAILS } from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { type Common, fieldsOf, tableFields } from '../fields.ts';
import { stateNames } from '../jurisdictions.ts';
import { describeRecord, otherNumber, ownEnd, ownNumber, ownStatus } from '../record.ts';

const TABLE = 'companies';

const lists = readCodeLists('au');
export const TYPES = lists.labels('type');
const STATUSES = lists.meanings<EntityStatus>('status');
const STATUS_LABELS = lists.labels('status');
const CODES_BY_LABEL = new Map(Array.from(STATUS_LABELS, ([code, label]) => [fold(label), code]));

const isValidAcn = checkLastDigit([8, 7, 6, 5, 4, 3, 2, 1], (sum) => (10 - (sum % 10)) % 10);
/** The rule subtracts 1 from the first digit before weighing. The weight of that digit is 10, so the remainder is 10. */
const isValidAbn = checkSum([10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19], 89, 10);

const { text, day, parsed, number, is, first, groupWith, extend, knownStatus } = tableFields();
const inCapitals = fieldsOf<Cell, unknown>((column) => (cell) => cell(column).toUpperCase());
/** NONE is a class. In the column of sub classes, NONE means that no sub class is known. */
const withoutNone = fieldsOf<Cell, unknown>(
  (column) => (cell) =>
    cell(column)
      .toUpperCase()
      .replace(/^\s*NONE\s*$/, ''),
);

/** A status is written as a code in any case, or as its text. */
function findCode(written: string): string {
  const upper = written.toUpperCase();
  return STATUSES.has(upper) ? upper : (CODES_BY_LABEL.get(fold(written)) ?? written);
}

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
  status: groupWith(['status'], {
    status: knownStatus('Status', STATUSES, findCode),
    code: parsed(findCode, '')('Status'),
    label: (cell) => STATUS_LABELS.get(findCode(cell('Status').trim())) ?? null,
  }),
  legalForm: extend(inCapitals.code('Type', TYPES, 'legalForm'), { scheme: 'ASIC' }),
  registrations: [
    ownNumber('Australian Securities and Investments Commission', isValidAcn, 'last'),
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
    class: inCapitals.code('Class', lists.labels('class')),
    subClass: withoutNone.code('Sub Class', lists.labels('sub class')),
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
  // The line with the current name, or the first line if no line is marked as current.
  tables: { [TABLE]: { gather: { choose: chooseFirst(isCurrent) }, map: mapCompany } },
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
