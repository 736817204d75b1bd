/** A subject is a row of `res_data`; `res_pf_nace` adds its activities, and the code lists add the texts of codes. */
import type { Cell, EntityStatus, JoinedRows, MapContext, MappedRecord, Rejection } from '../contract.ts';
import { noRows } from '../contract.ts';
import { compact, readDay, readText, splitWords } from '../parsing.ts';
import type { RegistryOf } from '../vocabulary.ts';
import { readActivities } from './activities.ts';
import { readAddress } from './address.ts';
import { type Codes, EMPLOYEES, EMPLOYEES_NOT_STATED, LISTS } from './codes.ts';
import { isValidNumber } from './number.ts';

export const AUTHORITY = 'Český statistický úřad (ČSÚ)';

/** The 25 columns of 2026. Earlier files lack `NACE2025`. */
export const COLUMNS = splitWords(
  'ICO OKRESLAU DDATVZN DDATZAN ZPZAN DDATPAKT FORMA ROSFORMA KATPO NACE NACE2025 ICZUJ FIRMA CISS2010 KODADM TEXTADR PSC ' +
    'OBEC_TEXT COBCE_TEXT ULICE_TEXT TYPCDOM CDOM COR DATPLAT PRIZNAK',
);
export const ACTIVITY_COLUMNS = splitWords('ICO ZDRUD KODCIS HODN DATPLAT DDATPAKT PRIZNAK');

export function mapSubject(
  cell: Cell,
  context: MapContext<Codes>,
  rows: JoinedRows = noRows,
): MappedRecord | Rejection {
  const { codes } = context;
  const number = readNumber(cell, context);
  const name = readText(cell('FIRMA'));
  const endedAt = readDay('DDATZAN', cell, context);
  // The office may publish only the number and the end date of a former sole trader.
  const canonicalName = name ?? (endedAt === null ? null : number);
  if (canonicalName === null) return { rejected: 'no name' };
  const text = (column: string) => readText(cell(column));
  const label = (list: number, column: string) => codes.label(list, cell(column).trim());
  const registeredAt = readDay('DDATVZN', cell, context);
  const status = readStatus(cell);
  const [reasonCode, reason] = [text('ZPZAN'), label(LISTS.endReason, 'ZPZAN')];
  const registration = {
    authority: AUTHORITY,
    type: 'national' as const,
    status: reason,
    ...(reasonCode !== null && { statusCode: reasonCode }),
    registeredAt,
    endedAt,
  };
  const { activities, ...listed } = readActivities(cell, rows, context);
  return {
    number,
    canonicalName,
    status,
    legalForm: readLegalForm(cell, context),
    registeredAt,
    registrations: number === null ? [] : [{ ...registration, number, numberValid: isValidNumber(number) }],
    activities,
    registry: compact({
      nameMissing: name === null ? (true as const) : null,
      status: compact({ reasonCode, reason }),
      statusInferredFrom: status === 'in_liquidation' ? 'FIRMA' : null,
      endedAt,
      address: readAddress(cell, codes),
      employees: readEmployees(cell, context),
      sector: compact({ code: text('CISS2010'), label: label(LISTS.sector, 'CISS2010') }),
      rosLegalForm: compact({ code: text('ROSFORMA'), label: label(LISTS.rosLegalForm, 'ROSFORMA') }),
      ...listed,
      recordUpdatedAt: readDay('DDATPAKT', cell, context),
      validAt: readDay('DATPLAT', cell, context),
      changeFlag: text('PRIZNAK'),
    }) satisfies RegistryOf,
  };
}

/** Names end with `v likvidaci`, with white space of any length, also in quotes or parentheses. */
const IN_LIQUIDATION = /(?<![\p{L}\p{N}])v\s+likvidaci[^\p{L}\p{N}]*$/iu;

/** The file says only whether a subject has ended. Liquidation shows only in the name, as its ending `v likvidaci`. */
function readStatus(cell: Cell): EntityStatus {
  if (cell('DDATZAN').trim() !== '') return 'dissolved';
  return IN_LIQUIDATION.test(cell('FIRMA')) ? 'in_liquidation' : 'active';
}

function readLegalForm(cell: Cell, context: MapContext<Codes>) {
  const code = readText(cell('FORMA'));
  if (code === null) return null;
  const label = context.codes.label(LISTS.legalForm, code);
  if (label === null) context.reportUnknown('legalForm', 'FORMA', code);
  return { code, ...(label !== null && { label }), scheme: `ČSÚ ${LISTS.legalForm}` };
}

/** Eight digits. Programs that treat it as a number drop the leading zeros, so shorter numbers are padded. */
function readNumber(cell: Cell, context: MapContext<Codes>): string | null {
  const number = readText(cell('ICO'));
  if (number === null) return null;
  if (/^\d{1,8}$/.test(number)) return number.padStart(8, '0');
  context.report('ICO', number, 'not a registration number');
  return number;
}

function readEmployees(cell: Cell, context: MapContext<Codes>) {
  const code = cell('KATPO').trim();
  if (code === '' || code === EMPLOYEES_NOT_STATED) return null;
  const range = EMPLOYEES.get(code);
  if (range === undefined) context.report('KATPO', code, 'unknown class of employees');
  return compact({ code, from: range?.from, to: range?.to, label: context.codes.label(LISTS.employees, code) });
}
