/**
 * Moldova: the workbook of the State Register (RSUD) in the layouts of 2017, 2023 and 2026. Columns were moved and
 * renamed over the years, so a field may have several column names, one of which is in the file.
 */
import { fold } from '../../core/fold.ts';
import type { Cell, EntityStatus, MapContext, MappedRecord, Registration, Rejection } from '../contract.ts';
import { defineRegister } from '../contract.ts';
import { UNTRIED } from '../fetch-plan.ts';
import { compact, readDate, readSerialDate, readText } from '../parsing.ts';
import type { RegistryOf } from '../vocabulary.ts';
import type { Codes } from './activities.ts';
import { joinActivities, readCodes, VERSION_COLUMNS } from './activities.ts';
import { readAddress } from './address.ts';
import { checkNumber, hasValidCheckDigit } from './number.ts';
import { inferStatus, listDirectors, listFounders, listOwners, readListed } from './parties.ts';
import { namesOnlyPublicBody, readDirectors } from './people.ts';

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

/** Dates before the spreadsheet epoch are typing errors. The register contains 20.08.1111. */
const EARLIEST = '1900-01-01';

function mapCompany(cell: Cell, context: MapContext<Codes>): MappedRecord | Rejection {
  const name = readText(cell(NAME));
  if (name === null) return { rejected: 'no name' };
  const number = readNumber(cell(NUMBER));
  const registeredAt = readDay(REGISTERED);
  const endedAt = readDay(LIQUIDATED);
  const directors = readDirectors(readFirst(cell, DIRECTORS));
  const { status, role } = readStatus();
  const form = readText(cell(LEGAL_FORM));
  const registry: RegistryOf = compact({
    status: compact({ label: readText(cell(STATUS)) }),
    statusInferredFrom: role,
    endedAt,
    address: readAddress(cell(ADDRESS)),
    cuatm: readText(cell(UNIT)),
    parties: [
      ...listDirectors(directors),
      ...listFounders(readFirst(cell, FOUNDERS)),
      ...listOwners(readFirst(cell, OWNERS), nameCountry),
    ],
  });
  return {
    number,
    canonicalName: name,
    status,
    legalForm: form === null ? null : { label: form },
    registeredAt,
    registrations: number === null ? [] : [register(number)],
    activities: joinActivities({ unlicensed: cell(UNLICENSED), licensed: cell(LICENSED) }, context.codes, (type, id) =>
      context.reportUnknown('activity', type === 'licensed' ? LICENSED : UNLICENSED, id),
    ),
    registry,
  };

  function register(idno: string): Registration {
    const raw = cell(STATUS);
    const written = raw.trim() === '' ? null : raw;
    const numberValid = hasValidCheckDigit(idno);
    return {
      authority: 'ASP',
      type: 'national',
      number: idno,
      ...(numberValid !== null && { numberValid }),
      status: written,
      registeredAt,
      endedAt,
    };
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
    context.reportUnknown('status', STATUS, raw);
    return { status: 'unknown', role: null };
  }

  function nameCountry(code: string): string | undefined {
    const { countries } = context.codes;
    const country = countries?.get(code);
    if (countries !== null && country === undefined)
      context.report(OWNERS[0], code, 'country code is not in any code sheet');
    return country;
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

export const md = defineRegister<Codes>({
  id: 'md',
  country: 'MD',
  name: 'State Register of Legal Entities',
  nativeName: 'Registrul de stat al unităților de drept',
  publisher: 'Agenția Servicii Publice (ASP)',
  licence: 'Terms of dataset.gov.md: reuse with attribution, also commercial',
  attribution: 'Agenția Servicii Publice, Registrul de stat al unităților de drept, dataset.gov.md',
  sourceUrl:
    'https://dataset.gov.md/ro/dataset/11736-date-din-registrul-de-stat-al-unitatilor-de-drept-privind-intreprinderile-inregistrate-in-repu',
  updates: 'weekly',
  fetch: {
    kind: 'ckan',
    api: 'https://dataset.gov.md/api/3/action',
    packages: [
      {
        package: '11736-date-din-registrul-de-stat-al-unitatilor-de-drept-privind-intreprinderile-inregistrate-in-repu',
        // The page lists the oldest first, and the ids change every week: "Informații la data de 14.09.2026".
        resources: [{ match: /(?<day>\d{2})\.(?<month>\d{2})\.(?<year>\d{4})/ }],
      },
    ],
    size: { min: 18_000_000, max: 250_000_000 },
    origin: { readIn: 'StephenAbbott/opencheck, adapter of Moldova', ...UNTRIED },
  },
  files: ['company_YYYY.MM.DD.xlsx'],
  minimumRows: 240_000,
  numberColumns: [NUMBER],
  letters: /[ăâîșşțţ]/iu,
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
      isOrganisation: (cell) => namesOnlyPublicBody(readFirst(cell, FOUNDERS)),
    },
    {
      // Must come before `licensed`, whose required columns this sheet also has: the first match counts.
      kind: 'table',
      name: 'unlicensed',
      columns: ['ID', 'Denumire', 'Cod CAEM', ...VERSION_COLUMNS],
      required: ['ID', 'Denumire', 'Cod CAEM'],
      match: 'folded',
    },
    { kind: 'table', name: 'licensed', columns: ['ID', 'Denumire'], required: ['ID', 'Denumire'], match: 'folded' },
    {
      kind: 'table',
      name: 'countries',
      columns: ['COD', 'Denumire', 'Denumirea', 'Ţara', 'Denumirea ţării'],
      required: ['COD'],
      match: 'folded',
    },
    {
      kind: 'table',
      name: 'organizations',
      columns: [],
      required: ['IDNO', 'Data înreg.', 'Forma juridică', 'Denumirea'],
      match: 'folded',
      refusal:
        'this file lists non-commercial organisations (dataset 18516). Import company_YYYY.MM.DD.xlsx of dataset 11736',
    },
  ],
  checkNumber,
  recordParties: readListed,
  readCodes,
});
