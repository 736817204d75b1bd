/**
 * Moldova: the workbook of the State Register (RSUD) in the layouts of 2017, 2023 and 2026. Columns were moved and
 * renamed over the years, so a field may have several column names, one of which is in the file.
 */
import { fold } from '../../base/fold.ts';
import { type PlaceMarks, readPlaces } from '../address.ts';
import { checkLastDigit } from '../check-digits.ts';
import { type Activity, type Cell, type CodeRow, defineRegister, type MapContext } from '../contract.ts';
import { type State, tableFields } from '../fields.ts';
import { compact, readDate, readSerialDate, readText, splitList, takeDistinct } from '../parsing.ts';
import { describeRecord, ownEnd, ownInference, ownNumber } from '../record.ts';
import type { AddressOf } from '../vocabulary.ts';
import { inferStatus, namesOnlyPublicBody, readDirectors, readFounders, readListed, readOwners } from './people.ts';

const [STATUS, LIQUIDATED] = ['Statutul', 'Data lichidării'];
const ACTIVITIES = { unlicensed: 'Genuri de activitate nelicentiate', licensed: 'Genuri de activitate licentiate' };
const DIRECTORS = ['Lista conducătorilor (cu indicarea rolurilor)', 'Lista conducătorilor'] as const;
const FOUNDERS = ['Lista fondatorilor (cu indicarea cotei părţi în capitalul social %)', 'Lista fondatorilor'] as const;
const OWNERS = [
  'Lista beneficiarilor efectivi (Nume, Prenume, Ţara de reşedinţă)',
  'Lista beneficiarilor efectivi',
] as const;

/** The code sheets, by id. A sheet that the workbook lacks is null: then ids that it would have are not reported. */
interface Codes {
  readonly unlicensed: ReadonlyMap<string, Activity> | null;
  readonly licensed: ReadonlyMap<string, Activity> | null;
  readonly countries: ReadonlyMap<string, string> | null;
}

/** Activities have ids (`1110` is CAEM `0111`). The scheme of ids without a CAEM code: licensed activities, and ids that the sheets lack. */
const OWN_IDS = 'RSUD';

const VERSION_COLUMNS = ['Versiunea CAEM (1 - CAEM; 2 - CAEM rev.2)', 'Versiunea CAEM'] as const;

function readCodes(tables: ReadonlyMap<string, readonly CodeRow[]>): Codes {
  const index = <Value>(table: string, key: string, read: (id: string, row: CodeRow) => Value | null) => {
    const rows = tables.get(table)?.map((row) => [row[key]?.trim() ?? '', row] as const);
    const found = rows?.map(([id, row]) => [id, read(id, row)] as const);
    return found === undefined ? null : new Map(found.filter((pair): pair is [string, Value] => pair[1] !== null));
  };
  return {
    unlicensed: index('unlicensed', 'ID', readUnlicensed) ?? new Map(),
    licensed: index('licensed', 'ID', (id, row): Activity => {
      return { type: 'licensed', code: id, label: readText(row.Denumire ?? ''), scheme: OWN_IDS };
    }),
    // Only the first column, `COD`, is certain. The name is taken from whichever other column is filled.
    countries: index('countries', 'COD', (code, { COD: _code, ...names }) => {
      return (
        Object.values(names)
          .map(readText)
          .find((name) => name !== null) ?? code
      );
    }),
  };
}

function readUnlicensed(id: string, row: CodeRow): Activity | null {
  const code = readText(row['Cod CAEM'] ?? '');
  if (id === '' || code === null) return null;
  const edition = VERSION_COLUMNS.map((column) => row[column]?.trim()).find(Boolean);
  const label = readText(row.Denumire ?? '');
  const written = id === code ? {} : { written: id };
  return { type: 'unlicensed', code, label, scheme: 'CAEM', ...compact({ edition }), ...written };
}

type Context = MapContext<Codes>;

const isValid = checkLastDigit([7, 3, 1, 7, 3, 1, 7, 3, 1, 7, 3, 1], (sum) => sum % 10);

/** Null for the short fiscal codes from before 2002, which have no check digit. */
export function hasValidCheckDigit(number: string): boolean | null {
  return number.length < 13 && /^\d+$/.test(number) ? null : isValid(number);
}

const { text, parsed, group } = tableFields<Codes>();

/** Dates before the spreadsheet epoch are typing errors. The register contains 20.08.1111. */
function day(column: string) {
  const read = parsed((written) => readSerialDate(written) ?? readDate(written), 'not a date')(column);
  return (...row: Parameters<typeof read>) => {
    const found = read(...row);
    if (found === null || found >= '1900-01-01') return found;
    row[1].report(column, row[0](column).trim(), 'a date before 1900');
    return null;
  };
}

const mapCompany = describeRecord<Cell, Codes>({
  name: text('Denumirea completă'),
  number: (cell) => readNumber(cell('IDNO/ Cod fiscal')),
  registeredAt: day('Data înregistrării'),
  endedAt: day(LIQUIDATED),
  status: readStatus,
  legalForm: group({ label: text('Forma org./jurid.') }),
  registrations: [ownNumber('ASP', hasValidCheckDigit)],
  activities: listActivities,
  registry: {
    status: group({ label: text(STATUS) }),
    statusInferredFrom: ownInference,
    endedAt: ownEnd,
    address: (cell) => readAddress(cell('Adresa')),
    cuatm: text('Codul unităţii administrativ-teritoriale (CUATM)'),
    parties: (cell, context) => [
      ...readDirectors(readFirst(cell, DIRECTORS)),
      ...readFounders(readFirst(cell, FOUNDERS)),
      ...readOwners(readFirst(cell, OWNERS), (code) => nameCountry(code, context)),
    ],
  },
});

/** Even a liquidation date that cannot be parsed means that the company was liquidated. */
function readStatus(cell: Cell, context: Context): State {
  const label = cell(STATUS).trim() === '' ? null : cell(STATUS);
  if (cell(LIQUIDATED).trim() !== '' || fold(label ?? '') === 'lichidata') return { status: 'dissolved', label };
  if (label === null) return inferStatus(readFirst(cell, DIRECTORS));
  context.reportUnknown('status', STATUS, label.trim());
  return { status: 'unknown', label };
}

function nameCountry(code: string, context: Context): string | undefined {
  const { countries } = context.codes;
  const country = countries?.get(code);
  if (countries !== null && country === undefined)
    context.report(OWNERS[0], code, 'country code is not in any code sheet');
  return country;
}

function readFirst(cell: Cell, columns: readonly string[]): string {
  return columns.map(cell).find((text) => text.trim() !== '') ?? '';
}

/** A number cell may contain `1.003600012345E12`. A text without digits is not a registration number. */
export function readNumber(text: string): string | null {
  const trimmed = text.trim();
  if (/^\d+(?:\.\d+)?(?:E\+?\d+)?$/i.test(trimmed) && !/^\d+$/.test(trimmed)) {
    const number = Number(trimmed);
    if (Number.isSafeInteger(number)) return String(number);
  }
  return /\d/.test(trimmed) ? trimmed : null;
}

/** An id that is not in a code sheet is kept as the code, without a label. */
function listActivities(cell: Cell, { codes, reportUnknown }: Context): Activity[] {
  const found: Activity[] = [];
  for (const type of ['unlicensed', 'licensed'] as const) {
    const [column, listed] = [ACTIVITIES[type], codes[type]];
    if (cell(column) === '') continue;
    for (const id of new Set(splitList(cell(column), ','))) {
      const known = listed?.get(id);
      if (known === undefined && listed !== null) reportUnknown('activity', column, id);
      found.push(known ?? { type, code: id, label: null, scheme: OWN_IDS });
    }
  }
  // Most lists are short, and comparing a few activities takes less time than writing a key of each. A long list takes quadratic time.
  if (found.length > MAX_COMPARED)
    return takeDistinct(found, (one) => `${one.type} ${one.scheme} ${one.edition} ${one.code} ${one.label}`);
  return found.filter((one, at) => found.findIndex((other) => isSame(one, other)) === at);
}

const MAX_COMPARED = 16;

function isSame(one: Activity, other: Activity): boolean {
  if (one === other) return true;
  const isSameCode = one.code === other.code && one.edition === other.edition && one.label === other.label;
  return isSameCode && one.type === other.type && one.scheme === other.scheme;
}

const POST_CODE = /\bMD-?\s?(\d{4})\b/;

/** A settlement is a municipality, town, commune or village, or a name without a mark that is not a street. */
const MARKS: PlaceMarks = {
  region: /^UTA /i,
  municipality: /^(?:r-nul|raionul|r\.)\s*(\p{L}.*)$/iu,
  district: /^(?:sec\.|sectorul)\s*(\p{L}.*)$/iu,
  settlement: new RegExp(
    `^(?:${anyCase('mun|or|oraş|com|s|sat|satul')})(?:\\.\\s*|\\s+)(\\p{L}[^\\d<>]*)$|` +
      `^(?!(?:${anyCase('str|strada|bd|bulevardul|aleea|calea|şos')}) )\\p{Lu}[\\p{L} -]+$`,
    'u',
  ),
};

/** Matches words in any case. `(?i:…)` is not used, because V8 sometimes ignores it, as `--no-regexp-optimization` shows. */
function anyCase(words: string): string {
  return words.replace(/\p{L}/gu, (letter) => `[${letter}${letter.toUpperCase()}]`);
}

/** An address is one text without a fixed pattern: `MD-2001, mun. Chişinău, sec. Centru, str. Columna, 5`. */
function readAddress(raw: string): AddressOf | null {
  const text = readText(raw);
  if (text === null) return null;
  const digits = POST_CODE.exec(text)?.[1];
  const { rest: _street, ...places } = readPlaces(splitList(text.replace(POST_CODE, ''), ','), MARKS);
  return { text, ...compact({ postCode: digits && `MD-${digits}`, ...places }), countryCode: 'MD' };
}

export const md = defineRegister<Codes>({
  id: 'md',
  tables: { companies: { map: mapCompany, isOrganisation: (cell) => namesOnlyPublicBody(readFirst(cell, FOUNDERS)) } },
  numbers: [
    { kind: 'IDNO', form: /^\d{13}$/, check: hasValidCheckDigit },
    { kind: 'old fiscal code', form: /^\d{5,8}$/ },
  ],
  recordParties: readListed,
  readCodes,
});
