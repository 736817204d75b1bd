/** One line per name: the current one describes the company, the others with the same ACN are its former names. */
import type { Cell, JoinedRows, MapContext, MappedRecord, Registration, Rejection } from '../contract.ts';
import { NO_DETAILS, noRows } from '../contract.ts';
import { compact, readDay, readText } from '../parsing.ts';
import type { LegalFormOf, RegistryOf } from '../vocabulary.ts';
import { CLASSES, NONE, readStatusCode, STATUSES, STRIKE_OFF, SUB_CLASSES, TYPES } from './codes.ts';
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
  const statusCode = readStatusCode(cell('Status'));
  const status = STATUSES.get(statusCode);
  if (status === undefined) context.reportUnknown('status', 'Status', statusCode);
  const label = status?.label ?? null;
  const previousState = readText(cell('Previous State of Registration'));
  const registration = {
    authority: AUTHORITY,
    type: 'national' as const,
    status: label,
    ...(statusCode !== '' && { statusCode }),
    registeredAt,
    endedAt,
  };
  return {
    number,
    canonicalName,
    status: status?.status ?? 'unknown',
    legalForm: readLegalForm(cell, context),
    registeredAt,
    registrations: [
      ...(number === null ? [] : [{ ...registration, number, numberValid: isValidAcn(number) }]),
      ...listAbn(cell),
      ...listStateNumber(cell, previousState),
    ],
    activities: [],
    registry: compact({
      status: compact({ code: statusCode, label }),
      strikeOffInProgress: statusCode === STRIKE_OFF ? true : null,
      endedAt,
      class: readCode(cell('Class'), CLASSES),
      subClass: readCode(cell('Sub Class'), SUB_CLASSES),
      previousState,
      modified: cell('Modified since last report').trim().toUpperCase() === 'Y' ? true : null,
      currentNameSince: findNameStart(lines, context),
      previousNames: listPreviousNames(lines, canonicalName),
    }) satisfies RegistryOf,
  };
}

function readLegalForm(cell: Cell, context: Context): LegalFormOf | null {
  const code = cell('Type').trim().toUpperCase();
  if (code === '') return null;
  const label = TYPES.get(code);
  if (label === undefined) context.reportUnknown('legalForm', 'Type', code);
  return { code, ...(label !== undefined && { label }), scheme: 'ASIC' };
}

function readCode(text: string, labels: ReadonlyMap<string, string>) {
  const code = text.trim().toUpperCase();
  return code === '' || (code === NONE && !labels.has(NONE)) ? null : compact({ code, label: labels.get(code) });
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
function listAbn(cell: Cell): Registration[] {
  const number = cell('ABN').replaceAll(' ', '');
  if (/^0*$/.test(number)) return [];
  return [{ authority: TAX_AUTHORITY, type: 'tax', number, numberValid: isValidAbn(number), ...NO_DETAILS }];
}

/** Before 1991 companies were registered by the states. */
function listStateNumber(cell: Cell, state: string | null): Registration[] {
  const number = readText(cell('State Registration number'));
  return number === null ? [] : [{ authority: state ?? 'unknown', type: 'state', number, ...NO_DETAILS }];
}

/** The day the current name took effect. Only the lines of former names carry it. */
function findNameStart(lines: readonly Cell[], context: Context): string | null {
  for (const line of lines) {
    const day = readDay('Current Name Start Date', line, context);
    if (day !== null) return day;
  }
  return null;
}

/** Each former name once: the file repeats some lines. */
function listPreviousNames(lines: readonly Cell[], current: string): { name: string }[] {
  const names = new Set(lines.map((line) => line('Company Name').trim()));
  names.delete('');
  names.delete(current);
  return Array.from(names, (name) => ({ name }));
}
