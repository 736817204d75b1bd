/** A subject is a row of `res_data`; `res_pf_nace` adds its activities, and the code lists add the texts of codes. */
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
import { compact, readDay, readText, splitWords } from '../parsing.ts';
import { type Codes, LISTS } from './codes.ts';
import { isValidNumber } from './number.ts';

export const AUTHORITY = 'Český statistický úřad (ČSÚ)';
export const ACTIVITIES = 'res_pf_nace';

/** The 25 columns of 2026. Earlier files lack `NACE2025`. */
export const COLUMNS = splitWords(
  'ICO OKRESLAU DDATVZN DDATZAN ZPZAN DDATPAKT FORMA ROSFORMA KATPO NACE NACE2025 ICZUJ FIRMA CISS2010 KODADM TEXTADR PSC ' +
    'OBEC_TEXT COBCE_TEXT ULICE_TEXT TYPCDOM CDOM COR DATPLAT PRIZNAK',
);
export const ACTIVITY_COLUMNS = splitWords('ICO ZDRUD KODCIS HODN DATPLAT PRIZNAK DDATPAKT');

export function mapSubject(
  cell: Cell,
  context: MapContext<Codes>,
  rows: JoinedRows = noRows,
): MappedRecord | Rejection {
  const canonicalName = cell('FIRMA').trim();
  if (canonicalName === '') return { rejected: 'no name' };
  const { codes } = context;
  const number = readNumber(cell, context);
  const text = (column: string) => readText(cell(column));
  const label = (list: number, column: string) =>
    text(column) === null ? null : codes.label(list, cell(column).trim());
  const [registeredAt, endedAt] = [readDay('DDATVZN', cell, context), readDay('DDATZAN', cell, context)];
  const endReason = label(LISTS.endReason, 'ZPZAN');
  const registration = { authority: AUTHORITY, type: 'national', registeredAt, endedAt };
  const { activities, listed } = readActivities(cell, rows, codes);
  return {
    number,
    canonicalName,
    status: readStatus(cell),
    legalForm: label(LISTS.legalForm, 'FORMA') ?? text('FORMA'),
    registeredAt,
    registrations: number === null ? [] : [{ ...registration, number, status: endReason ?? text('ZPZAN') }],
    activities,
    registry: compact({
      numberValid: number === null ? null : isValidNumber(number),
      legalFormCode: text('FORMA'),
      rosLegalFormCode: text('ROSFORMA'),
      rosLegalForm: label(LISTS.rosLegalForm, 'ROSFORMA'),
      endedAt,
      endReasonCode: text('ZPZAN'),
      endReason,
      statusInferredFrom: readStatus(cell) === 'in_liquidation' ? 'FIRMA' : null,
      sizeClassCode: text('KATPO'),
      sizeClass: label(LISTS.sizeClass, 'KATPO'),
      nace: text('NACE'),
      nace2025: text('NACE2025'),
      listedActivities: listed,
      sectorCode: text('CISS2010'),
      sector: label(LISTS.sector, 'CISS2010'),
      districtCode: text('OKRESLAU'),
      district: label(LISTS.district, 'OKRESLAU'),
      municipalityCode: text('ICZUJ'),
      municipality: label(LISTS.municipality, 'ICZUJ'),
      address: compact({
        text: text('TEXTADR'),
        street: text('ULICE_TEXT'),
        houseNumberType: label(LISTS.houseNumberType, 'TYPCDOM') ?? text('TYPCDOM'),
        houseNumber: text('CDOM'),
        orientationNumber: text('COR'),
        cityPart: text('COBCE_TEXT'),
        city: text('OBEC_TEXT'),
        postCode: text('PSC'),
        addressPointCode: text('KODADM'),
      }),
      recordUpdatedAt: readDay('DDATPAKT', cell, context),
      validAt: readDay('DATPLAT', cell, context),
      changeFlag: text('PRIZNAK'),
    }) as Readonly<Record<string, Json>>,
  };
}

const IN_LIQUIDATION = /\bv likvidaci$/i;

/** The file says only whether a subject has ended. Liquidation shows only in the name, as its ending `v likvidaci`. */
function readStatus(cell: Cell): EntityStatus {
  if (cell('DDATZAN').trim() !== '') return 'dissolved';
  return IN_LIQUIDATION.test(cell('FIRMA').trim()) ? 'in_liquidation' : 'active';
}

/** Eight digits. Programs that treat it as a number drop the leading zeros, so shorter numbers are padded. */
function readNumber(cell: Cell, context: MapContext<Codes>): string | null {
  const number = readText(cell('ICO'));
  if (number === null) return null;
  if (/^\d{1,8}$/.test(number)) return number.padStart(8, '0');
  context.report('ICO', number, 'not a registration number');
  return number;
}

/**
 * The main activity first, then those of `res_pf_nace`, then the main one in the 2025 edition of CZ-NACE; each code
 * once. The last one has no label: which code list holds that edition is not known.
 */
function readActivities(cell: Cell, rows: JoinedRows, codes: Codes) {
  const found = new Map<string, Activity>();
  const add = (code: string, label: string | null) => {
    if (code !== '' && !found.has(code)) found.set(code, { type: 'unlicensed', code, label });
  };
  const main = cell('NACE').trim();
  add(main, codes.label(LISTS.nace, main));
  const listed = rows(ACTIVITIES).map((row) => {
    const [code, codeList, source] = [row('HODN').trim(), row('KODCIS').trim(), row('ZDRUD').trim()];
    const label = codes.label(codeList, code);
    add(code, label);
    return compact({ code, codeList, label, sourceCode: source, source: codes.label(LISTS.activitySource, source) });
  });
  add(cell('NACE2025').trim(), null);
  return { activities: [...found.values()], listed };
}
