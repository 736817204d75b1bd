/**
 * The file has one line per name. The line marked as current describes the company; the other lines with the same ACN
 * are its former names.
 */
import type { Cell, JoinedRows, MapContext, MappedRecord, Registration, Rejection } from '../contract.ts';
import { noRows } from '../contract.ts';
import { compact, lookUpStatus, readDay, readText } from '../parsing.ts';
import { CLASSES, STATUSES, STRIKE_OFF, TYPES } from './codes.ts';
import { findNameStart, listPreviousNames } from './names.ts';
import { isValidAbn, isValidAcn } from './numbers.ts';

type Context = MapContext<null>;

export const TABLE = 'companies';

const AUTHORITY = 'Australian Securities and Investments Commission';
const TAX_AUTHORITY = 'Australian Business Register';

/** The position of the line that becomes the record: the current name, or the first line if none is marked. */
export function chooseLine(lines: readonly Cell[]): number {
  return Math.max(0, lines.findIndex(isCurrent));
}

function isCurrent(line: Cell): boolean {
  return line('Current Name Indicator').trim().toUpperCase() === 'Y';
}

export function mapCompany(cell: Cell, context: Context, rows: JoinedRows = noRows): MappedRecord | Rejection {
  const lines = [cell, ...rows(TABLE)];
  const canonicalName = readCurrentName(cell);
  if (canonicalName === null) return { rejected: 'no name' };
  const number = readNumber(cell, context);
  const registeredAt = readDay('Date of Registration', cell, context);
  const endedAt = readDay('Date of Deregistration', cell, context);
  const status = readText(cell('Status'));
  const abn = readAbn(cell);
  const type = readText(cell('Type'));
  return {
    number,
    canonicalName,
    status: lookUpStatus(STATUSES, 'Status', status ?? '', context),
    legalForm: TYPES.get(type ?? '') ?? type,
    registeredAt,
    registrations: [
      ...(number === null ? [] : [{ authority: AUTHORITY, type: 'national', number, status, registeredAt, endedAt }]),
      ...listOtherNumber(TAX_AUTHORITY, 'tax', abn),
      ...listOtherNumber(
        readText(cell('Previous State of Registration')),
        'state',
        readText(cell('State Registration number')),
      ),
    ],
    activities: [],
    registry: compact({
      numberValid: number === null ? null : isValidAcn(number),
      typeCode: type,
      classCode: readText(cell('Class')),
      className: CLASSES.get(cell('Class').trim()) ?? null,
      subClassCode: readText(cell('Sub Class')),
      statusCode: status,
      strikeOffInProgress: status === STRIKE_OFF ? true : null,
      deregisteredAt: endedAt,
      abn,
      abnValid: abn === null ? null : isValidAbn(abn),
      previousState: readText(cell('Previous State of Registration')),
      stateNumber: readText(cell('State Registration number')),
      modified: cell('Modified since last report').trim().toUpperCase() === 'Y' ? true : null,
      currentNameSince: findNameStart(lines, context),
      previousNames: listPreviousNames(lines, canonicalName),
    }),
  };
}

/** Every line of a former name repeats the current name, so a company whose current line is missing still has it. */
function readCurrentName(cell: Cell): string | null {
  return isCurrent(cell)
    ? readText(cell('Company Name'))
    : (readText(cell('Current Name')) ?? readText(cell('Company Name')));
}

/** ACNs have nine digits. A spreadsheet that saves the file drops leading zeros, so shorter numbers are padded. */
function readNumber(cell: Cell, context: Context): string | null {
  const text = readText(cell('ACN'));
  if (text === null) return null;
  if (/^\d{1,9}$/.test(text)) return text.padStart(9, '0');
  context.report('ACN', text, 'not nine digits');
  return text;
}

/** The file writes `00000000000` for a company without an ABN. */
function readAbn(cell: Cell): string | null {
  const text = cell('ABN').replaceAll(' ', '');
  return /^0*$/.test(text) ? null : text;
}

function listOtherNumber(authority: string | null, type: string, number: string | null): Registration[] {
  if (number === null) return [];
  return [{ authority: authority ?? 'unknown', type, number, status: null, registeredAt: null, endedAt: null }];
}
