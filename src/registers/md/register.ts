/**
 * Moldova: the workbook of the State Register (RSUD) in the layouts of 2017, 2023 and 2026. Columns were moved and
 * renamed over the years, so a field may have several column names, one of which is in the file.
 */
import { fold } from '../../core/fold.ts';
import type { Cell, EntityStatus, MapContext, MappedRecord, Rejection } from '../contract.ts';
import { defineRegister } from '../contract.ts';
import { compact, readDate, readSerialDate, readText, weighDigits } from '../parsing.ts';
import type { Codes } from './activities.ts';
import { joinActivities, readCodes, VERSION_COLUMNS } from './activities.ts';
import type { Director } from './people.ts';
import { readDirectors, readFounders, readOwners } from './people.ts';
import { generateWorkbook } from './synthetic.ts';

const NUMBER = 'IDNO/ Cod fiscal';
const NAME = 'Denumirea completă';
const REGISTERED = 'Data înregistrării';
const LEGAL_FORM = 'Forma org./jurid.';
const ADDRESS = 'Adresa';
const UNIT = 'Codul unităţii administrativ-teritoriale (CUATM)';
const STATUS = 'Statutul';
const LIQUIDATED = 'Data lichidării';
const UNLICENSED = 'Genuri de activitate nelicentiate';
const LICENSED = 'Genuri de activitate licentiate';
const DIRECTORS = ['Lista conducătorilor (cu indicarea rolurilor)', 'Lista conducătorilor'] as const;
const FOUNDERS = ['Lista fondatorilor (cu indicarea cotei părţi în capitalul social %)', 'Lista fondatorilor'] as const;
const OWNERS = [
  'Lista beneficiarilor efectivi (Nume, Prenume, Ţara de reşedinţă)',
  'Lista beneficiarilor efectivi',
] as const;

const WEIGHTS = [7, 3, 1, 7, 3, 1, 7, 3, 1, 7, 3, 1];
/** Dates before the spreadsheet epoch are typing errors. The register contains 20.08.1111. */
const EARLIEST = '1900-01-01';
const POST_CODE = /\bMD-?\s?(\d{4})\b/;

/** The status that a director's role implies, by a fragment of its folded text. The first match counts. */
const ROLE_STATUSES: readonly (readonly [piece: string, status: EntityStatus])[] = [
  ['lichid', 'in_liquidation'],
  ['insolv', 'insolvent'],
  ['procedurii planului', 'insolvent'],
  ['administrator provizoriu', 'insolvent'],
];

function mapCompany(cell: Cell, context: MapContext<Codes>): MappedRecord | Rejection {
  const name = readText(cell(NAME));
  if (name === null) return { rejected: 'no name' };
  const number = readNumber(cell(NUMBER));
  const registeredAt = readDay(REGISTERED);
  const liquidatedAt = readDay(LIQUIDATED);
  const directors = readDirectors(readFirst(cell, DIRECTORS));
  const { status, role } = readStatus();
  const { activities, classified } = joinActivities(
    { unlicensed: cell(UNLICENSED), licensed: cell(LICENSED) },
    context.codes,
    (type, id) =>
      context.report(type === 'licensed' ? LICENSED : UNLICENSED, id, 'activity id is not in any code sheet'),
  );
  return {
    number,
    canonicalName: name,
    status,
    legalForm: readText(cell(LEGAL_FORM)),
    registeredAt,
    registrations: number === null ? [] : [register(number)],
    activities,
    registry: compact({
      numberValid: number === null ? null : checkNumber(number),
      statusInferredFrom: role,
      liquidatedAt,
      address: readAddress(cell(ADDRESS)),
      cuatm: readText(cell(UNIT)),
      directors,
      founders: readFounders(readFirst(cell, FOUNDERS)),
      beneficialOwners: nameCountries(),
      unlicensedActivities: classified,
    }),
  };

  function register(idno: string) {
    const raw = cell(STATUS);
    const written = raw.trim() === '' ? null : raw;
    return { authority: 'ASP', type: 'national', number: idno, status: written, registeredAt, endedAt: liquidatedAt };
  }

  function readDay(column: string): string | null {
    const text = cell(column).trim();
    if (text === '') return null;
    const day = readSerialDate(text) ?? readDate(text);
    if (day !== null && day >= EARLIEST) return day;
    context.report(column, text, day === null ? 'not a date' : 'a date before 1900');
    return null;
  }

  /** Even a liquidation date that cannot be parsed means that the company was liquidated. */
  function readStatus(): { status: EntityStatus; role: string | null } {
    const raw = cell(STATUS).trim();
    if (cell(LIQUIDATED).trim() !== '' || fold(raw) === 'lichidata') return { status: 'dissolved', role: null };
    if (raw === '') return inferStatus(directors);
    context.report(STATUS, raw, 'unknown status');
    return { status: 'unknown', role: null };
  }

  function nameCountries() {
    const owners = readOwners(readFirst(cell, OWNERS));
    return owners.map((owner) => {
      if (owner.country === undefined || context.codes.countries === null) return owner;
      const countryName = context.codes.countries.get(owner.country);
      if (countryName === undefined) context.report(OWNERS[0], owner.country, 'country code is not in any code sheet');
      return countryName === undefined ? owner : { ...owner, countryName };
    });
  }
}

function readFirst(cell: Cell, columns: readonly string[]): string {
  for (const column of columns) {
    const text = cell(column);
    if (text.trim() !== '') return text;
  }
  return '';
}

/** A number cell may contain `1.003600012345E12`. A text without digits is not a registration number. */
export function readNumber(text: string): string | null {
  const trimmed = text.trim();
  if (DIGITS.test(trimmed)) return trimmed;
  if (FLOAT.test(trimmed) && Number.isSafeInteger(Number(trimmed))) return String(Number(trimmed));
  return HAS_DIGIT.test(trimmed) ? trimmed : null;
}

const DIGITS = /^\d+$/;
const FLOAT = /^\d+(?:\.\d+)?(?:E\+?\d+)?$/i;
const HAS_DIGIT = /\d/;

/** Null for the short fiscal codes from before 2002, which have no check digit. */
export function checkNumber(number: string): boolean | null {
  if (number.length < 13 && DIGITS.test(number)) return null;
  const sum = number.length === 13 ? weighDigits(number.slice(0, 12), WEIGHTS) : null;
  return sum !== null && String(sum % 10) === number[12];
}

function inferStatus(directors: readonly Director[]): { status: EntityStatus; role: string | null } {
  const roles = directors.flatMap(({ role }) => (role === undefined || role === 'Administrator' ? [] : [role]));
  if (roles.length > 0) {
    for (const [piece, status] of ROLE_STATUSES) {
      const role = roles.find((text) => fold(text).includes(piece));
      if (role !== undefined) return { status, role };
    }
  }
  return { status: 'active', role: null };
}

function readAddress(raw: string) {
  const text = readText(raw);
  if (text === null) return null;
  const digits = POST_CODE.exec(text)?.[1];
  return digits === undefined ? { text } : { text, postCode: `MD-${digits}` };
}

export const md = defineRegister<Codes>({
  id: 'md',
  country: 'MD',
  name: 'State Register of Legal Entities',
  nativeName: 'Registrul de stat al unităților de drept',
  publisher: 'Agenția Servicii Publice (ASP)',
  licence: 'Not stated for the dataset; the terms of dataset.gov.md allow reuse, commercial too, with attribution',
  sourceUrl:
    'https://dataset.gov.md/ro/dataset/11736-date-din-registrul-de-stat-al-unitatilor-de-drept-privind-intreprinderile-inregistrate-in-repu',
  updates: 'weekly',
  files: ['company_YYYY.MM.DD.xlsx'],
  minimumRows: 240_000,
  sources: [
    {
      kind: 'table',
      name: 'companies',
      columns: [
        ...[NUMBER, REGISTERED, NAME, LEGAL_FORM, ADDRESS, UNIT, ...DIRECTORS, ...FOUNDERS, ...OWNERS],
        ...[UNLICENSED, LICENSED, STATUS, LIQUIDATED],
      ],
      required: [NUMBER, REGISTERED, NAME, LEGAL_FORM, UNLICENSED, LICENSED],
      match: 'folded',
      map: mapCompany,
    },
    {
      // Must come before `licensed`, whose required columns this sheet also has: the first match counts.
      kind: 'table',
      name: 'unlicensed',
      columns: ['ID', 'Denumire', 'Cod CAEM', ...VERSION_COLUMNS],
      required: ['ID', 'Denumire', 'Cod CAEM'],
      match: 'folded',
    },
    {
      kind: 'table',
      name: 'licensed',
      columns: ['ID', 'Denumire'],
      required: ['ID', 'Denumire'],
      match: 'folded',
    },
    {
      kind: 'table',
      name: 'countries',
      columns: ['COD', 'Denumire', 'Denumirea', 'Ţara', 'Denumirea ţării'],
      required: ['COD'],
      match: 'folded',
    },
  ],
  readCodes,
  generate: generateWorkbook,
});
