/** Romania: the trade register (ONRC), dated snapshots of several files that are joined by the register number. */
import { fold } from '../../base/fold.ts';
import { compileStyle, EUROPEAN_STYLE, findCountryCode } from '../address.ts';
import { checkLastDigit } from '../check-digits.ts';
import {
  type Activity,
  type Cell,
  type CodeRow,
  defineRegister,
  type MapContext,
  NO_DETAILS,
  type Registration,
} from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { type Common, type Field, tableFields } from '../fields.ts';
import { readRecordParty } from '../mapped-party.ts';
import { compact, takeDistinct } from '../parsing.ts';
import { describeRecord, otherNumber, ownNumber, ownStatus, spread } from '../record.ts';
import type { PartyOf } from '../vocabulary.ts';
import { decideStatus, KNOWN_LABELS, readOldStatus } from './status.ts';

const KEY = 'COD_INMATRICULARE';
const [STATUSES, ACTIVITIES] = ['OD_STARE_FIRMA', 'OD_CAEN_AUTORIZAT'];
const [REPRESENTATIVES, BRANCHES] = ['OD_REPREZENTANTI_LEGALI', 'OD_SUCURSALE_ALTE_STATE_MEMBRE'];

interface Codes {
  readonly statuses: ReadonlyMap<string, string>;
  /** Labels by edition and code. Null without N_CAEN: then an activity without a label is not reported as unknown. */
  readonly activities: ReadonlyMap<string, string> | null;
}

function readCodes(tables: ReadonlyMap<string, readonly CodeRow[]>): Codes {
  const labels = (rows: readonly CodeRow[] = [], key: (row: CodeRow) => string) =>
    rows.flatMap((row): [string, string][] => (row.DENUMIRE?.trim() ? [[key(row), row.DENUMIRE.trim()]] : []));
  const activities = tables.get('N_CAEN');
  return {
    statuses: new Map([...KNOWN_LABELS, ...labels(tables.get('N_STARE_FIRMA'), ({ COD = '' }) => COD.trim())]),
    activities:
      activities === undefined
        ? null
        : new Map(labels(activities, ({ CLASA = '', VERSIUNE_CAEN = '' }) => activityKey(CLASA, VERSIUNE_CAEN))),
  };
}

function activityKey(code: string, version: string): string {
  return `${version.trim()}/${code.trim()}`;
}

type Context = MapContext<Codes>;
type RoField<Value> = Field<Cell, Codes, Value>;

const { text, day, texts, concat, first, group, groupWith, each, all, rowsOf, listOf, address, countryCode } =
  tableFields<Codes>();

/** The digits are aligned with the weights from the right. */
const isValidFullNumber = checkLastDigit([7, 5, 3, 2, 1, 7, 5, 3, 2], (sum) => ((sum * 10) % 11) % 10);

/** The fiscal code (CUI): two to ten digits, the last one of which is a check digit. */
export function isValidTaxNumber(number: string): boolean {
  return number.length >= 2 && isValidFullNumber(number.padStart(10, '0'));
}

const LANGUAGES = ['ro'];

/** Bucharest is one city, of which some rows name the sector: `Bucureşti Sectorul 6`. */
const SECTOR = /^(bucure[sşș]ti)[\s,]+sector(?:ul)?\s*([1-6])$/iu;
const findSector = (place: string | null) => (/^b/i.test(place ?? '') ? SECTOR.exec(place ?? '') : null);

function describePlace(column: string) {
  const readPlace = text(column);
  const readDistrict: RoField<string> = (...row) => {
    const sector = findSector(readPlace(...row))?.[2];
    return sector === undefined ? null : `Sectorul ${sector}`;
  };
  return {
    place: readPlace,
    city: first((...row) => findSector(readPlace(...row))?.[1] ?? null, readPlace),
    district: readDistrict,
  };
}

const [PLACE, OLD_PLACE] = [describePlace('ADR_LOCALITATE'), describePlace('LOCALITATE')];
const isRomania = (cell: Cell) => {
  const country = cell('ADR_TARA').trim();
  return country === 'România' || fold(country) === 'romania';
};
const [readCountry, readRegion] = [text('ADR_TARA'), text('ADR_JUDET')];
const numbered = (word: string, column: string) => (cell: Cell) => {
  const written = cell(column).trim();
  return written === '' ? null : `${word} ${written}`;
};
const readSector = numbered('Sectorul', 'ADR_SECTOR');
const readUnit = listOf(numbered('sc.', 'ADR_SCARA'), numbered('et.', 'ADR_ETAJ'), numbered('ap.', 'ADR_APARTAMENT'));

/** Addresses are written as `Şos. VIRTUŢII nr. 148, bl. B2, sc. A, et. 3, ap. 12, 060787 Bucureşti Sectorul 6`. */
const readAddress = address(
  group({
    building: text('ADR_BLOC'),
    street: text('ADR_DEN_STRADA'),
    number: text('ADR_NR_STRADA'),
    unit: (...row) => readUnit(...row)?.join(', ') ?? null,
    district: first(PLACE.district, readSector),
    // Codes of Bucharest begin with a zero, which some rows have lost.
    postCode(cell) {
      const written = cell('ADR_COD_POSTAL').trim();
      return isRomania(cell) ? written.replace(/^\d{5}$/, '0$&') : written;
    },
    city: PLACE.city,
    region: readRegion,
    country: readCountry,
    countryCode: (cell) => (isRomania(cell) ? 'RO' : findCountryCode(cell('ADR_TARA').trim(), LANGUAGES)),
    staircase: text('ADR_SCARA'),
    floor: text('ADR_ETAJ'),
    apartment: text('ADR_APARTAMENT'),
    details: text('ADR_COMPLETARE'),
  }),
  compileStyle(
    '{street} nr. {number}, bl. {building}, {unit}, {details}, {postCode} {place}, {quarter}, {county}, {abroad}',
    'kept',
  ),
  group({
    place: PLACE.place,
    // The place may include its sector, and Bucharest is its own region.
    quarter: (...row) => (PLACE.district(...row) === null ? readSector(row[0]) : null),
    county(...row) {
      const region = readRegion(...row);
      return fold(PLACE.place(...row) ?? '').startsWith(fold(region ?? '')) ? null : region;
    },
    abroad: (...row) => (isRomania(row[0]) ? null : readCountry(...row)),
  }),
);

/** An old address is a complete text, or only city and region. */
const readOldAddress = address(
  groupWith(['text'], {
    text: first(text('ADRESA'), concat(', ', 'LOCALITATE', 'JUDET')),
    city: OLD_PLACE.city,
    district: OLD_PLACE.district,
    region: text('JUDET'),
  }),
  EUROPEAN_STYLE,
);

const findRole = readCodeLists('ro').patterns<PartyOf['role']>('role');

/** Dates and places of birth are left out: they are in `sourceData` only. */
const readRepresentative = groupWith(['role', 'name'], {
  role: (row) => findRole(fold(row('CALITATE').trim())) ?? 'representative',
  roleLabel: text('CALITATE'),
  kind: findKind,
  name: text('PERSOANA_IMPUTERNICITA'),
  country: text('TARA'),
  countryCode: countryCode('TARA', ...LANGUAGES),
  city: text('LOCALITATE'),
  region: text('JUDET'),
});

const COMPANY = {
  name: text('DENUMIRE'),
  number: text(KEY),
  registrations: [ownNumber('ONRC'), readTaxNumber, otherNumber('BRIS', 'euid', text('EUID'))],
};

const mapCompany = describeRecord<Cell, Codes>({
  ...COMPANY,
  registeredAt: day('DATA_INMATRICULARE'),
  status(_cell, { codes, reportUnknown }, { rows }) {
    const listed = rows(STATUSES).map((row) => row('COD').trim());
    const { status, deciding, statuses, unknown } = decideStatus(listed, codes.statuses);
    for (const code of unknown)
      reportUnknown(codes.statuses.has(code) ? 'listedStatus' : 'status', `${STATUSES}.COD`, code);
    const label = statuses.flatMap(({ label }) => label ?? []).join(', ') || null;
    return { status, code: listed.join(', '), label, details: { ...(deciding && { status: deciding }), statuses } };
  },
  legalForm: group({ code: text('FORMA_JURIDICA') }),
  activities: listActivities,
  registry: {
    status: spread((_cell, _context, { state }) => state.details ?? null),
    address: readAddress,
    contacts: group({ websites: texts('WEB') }),
    parentCountry: text('TARA_FIRMA_MAMA'),
    parties: each(rowsOf(REPRESENTATIVES), readRepresentative),
    // The branches are in other member states.
    establishments: all(
      rowsOf(BRANCHES),
      group({
        number: text('EUID'),
        name: text('DENUMIRE_SUCURSALA'),
        type: text('TIP_UNITATE'),
        taxNumber: text('COD_FISCAL'),
        country: text('TARA'),
      }),
    ),
  },
});

/** The layouts of 2015 and 2018: one file, one status, and the address as one text or only city and region. */
const mapOldCompany = describeRecord<Cell, Codes>({
  ...COMPANY,
  status(cell, context) {
    const written = cell('STARE_FIRMA').trim();
    if (written === '') return null;
    const { statuses } = context.codes;
    const status = readOldStatus(written, statuses);
    if (status === null) context.reportUnknown('status', 'STARE_FIRMA', written);
    const state = { status: status ?? ('unknown' as const) };
    return /^\d+$/.test(written)
      ? { ...state, code: written, label: statuses.get(written) ?? null }
      : { ...state, label: written };
  },
  registry: {
    status: ownStatus,
    address: readOldAddress,
  },
});

/** Old entries of sole traders have the owner's personal number (CNP) instead. */
function isPersonalNumber(number: string): boolean {
  return /^\d{13}$/.test(number);
}

/** `0` means that the company has no fiscal code. A personal number identifies the owner, not the company. */
function readTaxNumber(cell: Cell, context: Context): Registration | null {
  const number = cell('CUI').trim();
  if (number === '' || number === '0' || isPersonalNumber(number)) return null;
  if (!/^\d+$/.test(number)) context.report('CUI', number, 'not a fiscal code');
  return { authority: 'ANAF', type: 'tax', number, numberValid: isValidTaxNumber(number), ...NO_DETAILS };
}

/** Lists each code and edition once. A code without its label in N_CAEN is reported. */
function listActivities(_cell: Cell, { codes, reportUnknown }: Context, { rows }: Common): Activity[] {
  const listed = rows(ACTIVITIES).map((row) => [row('COD_CAEN_AUTORIZAT').trim(), row('VER_CAEN_AUTORIZAT').trim()]);
  const distinct = takeDistinct(listed, ([code = '', edition = '']) => activityKey(code, edition));
  return distinct.flatMap(([code = '', edition = '']): Activity[] => {
    if (code === '') return [];
    const label = codes.activities?.get(activityKey(code, edition)) ?? null;
    if (label === null && codes.activities !== null)
      reportUnknown('activity', `${ACTIVITIES}.COD_CAEN_AUTORIZAT`, `${code} (version ${edition})`);
    return [{ type: 'unlicensed', code, label, scheme: 'CAEN', ...compact({ edition }) }];
  });
}

/** Only persons have a day of birth. A name with a legal form belongs to a company, such as a firm of liquidators. */
function findKind(row: Cell): 'person' | 'organisation' | null {
  if (row('DATA_NASTERE').trim() !== '') return 'person';
  return FIRM.test(fold(row('PERSOANA_IMPUTERNICITA').trim())) ? 'organisation' : null;
}

const FIRM = /\b(?:s\.? ?r\.? ?l|s\.? ?p\.? ?r\.? ?l|i\.? ?p\.? ?u\.? ?r\.? ?l)\.?$|^(?:s\.? ?c\.|societatea )/;

/** A row of the snapshot of 2018, in a file without a header. */
function isRowOf2018(cells: readonly string[]): boolean {
  const [, taxNumber = '', number = '', euid = ''] = cells;
  const isNumber = /^[JFC]\d{1,2}\/\d+\/\d{4}$/.test(number);
  return cells.length === 6 && /^\d*$/.test(taxNumber) && isNumber && /^(ROONRC\..*)?$/.test(euid);
}

/** The files do not use quoting: a quote is part of the text, and some names begin with one. */
const FILE = { csv: { delimiter: '^', quote: null, encoding: 'utf-8' }, match: 'folded' } as const;
const JOINED = { ...FILE, joins: { column: KEY } };
/** Some firms of one person have the number of their owner instead of a fiscal code. */
const FIRMS = { ...FILE, isOrganisation: (row: Cell) => !isPersonalNumber(row('CUI').trim()) };

export const ro = defineRegister<Codes>({
  id: 'ro',
  name: 'Trade Register of Romania',
  nativeName: 'Registrul Comerțului',
  publisher: 'Oficiul Național al Registrului Comerțului (ONRC)',
  licence: 'Unknown',
  attribution: 'Oficiul Național al Registrului Comerțului, data.gov.ro',
  sourceUrl: 'https://data.gov.ro/dataset?q=firme',
  updates: 'monthly',
  fetch: {
    kind: 'ckan',
    api: 'https://data.gov.ro/api/3/action',
    packages: [
      {
        package: { query: 'name:firme-*', name: /^firme-(?<day>\d{2})-(?<month>\d{2})-(?<year>\d{4})$/ },
        resources: [
          { match: /(^|\/)od_firme\.csv$/i },
          { match: /(^|\/)od_stare_firma\.csv$/i },
          { match: /(^|\/)od_caen_autorizat\.csv$/i, optional: true },
          { match: /(^|\/)od_reprezentanti_legali\.csv$/i, optional: true },
          { match: /(^|\/)od_sucursale_alte_state_membre\.csv$/i, optional: true },
        ],
      },
      {
        package: {
          query: 'name:nomenclatoare-*',
          name: /^nomenclatoare-(?<day>\d{2})-(?<month>\d{2})-(?<year>\d{4})$/,
        },
        resources: [{ match: /(^|\/)n_stare_firma\.csv$/i }, { match: /(^|\/)n_caen\.csv$/i, optional: true }],
      },
    ],
    size: { min: 400_000_000, max: 6_000_000_000 },
    readIn: 'pulsarpoint/companycollect, companies/analysis/romania, and public importers',
  },
  files: ['OD_FIRME.CSV with OD_STARE_FIRMA.CSV, OD_CAEN_AUTORIZAT.CSV, N_STARE_FIRMA.CSV and N_CAEN.CSV'],
  minimumRows: 3_300_000,
  vatNumber: /^RO(\d{2,10})$/,
  numberColumns: [KEY],
  letters: /[ăâîșşțţ]/iu,
  sources: [
    { ...FIRMS, name: 'OD_FIRME', required: ['DENUMIRE', 'CUI', KEY, 'FORMA_JURIDICA'], key: KEY, map: mapCompany },
    { ...FILE, name: STATUSES, required: [KEY, 'COD'], joins: { column: KEY, required: true } },
    {
      ...JOINED,
      name: ACTIVITIES,
      required: [KEY, 'COD_CAEN_AUTORIZAT'],
      without: 'companies have no activities',
    },
    {
      ...JOINED,
      name: REPRESENTATIVES,
      required: [KEY, 'PERSOANA_IMPUTERNICITA'],
      without: 'companies have no representatives',
    },
    {
      ...JOINED,
      name: BRANCHES,
      required: [KEY, 'DENUMIRE_SUCURSALA'],
      without: 'companies have no branches in other countries',
    },
    {
      ...FILE,
      name: 'N_STARE_FIRMA',
      required: ['COD', 'DENUMIRE'],
      without: 'most status codes have no label, and companies with a rare code may get the status "unknown"',
    },
    {
      ...FILE,
      name: 'N_CAEN',
      required: ['CLASA', 'DENUMIRE'],
      without: 'activities have codes, but no labels',
    },
    { ...FIRMS, name: 'firme 2018', required: ['DENUMIRE', 'CUI', 'STARE_FIRMA', 'ADRESA'], map: mapOldCompany },
    {
      ...FIRMS,
      name: 'firme 2015',
      csv: { ...FILE.csv, delimiter: '|' },
      required: ['DENUMIRE', 'CUI', 'STARE_FIRMA', 'JUDET'],
      map: mapOldCompany,
    },
    {
      ...FILE,
      name: 'firme 2018, continued',
      required: [],
      headerless: { fileName: /./, isRow: isRowOf2018 },
      refusal:
        'this file continues the first file of the snapshot of 2018 and has no header. Append it to the first file and import that, or import OD_FIRME.CSV and OD_STARE_FIRMA.CSV of a newer snapshot',
    },
  ],
  numbers: [
    // The number in the trade register has no known check digit.
    {
      kind: 'trade register number',
      form: /^[JFC]\d{2}\d{1,6}(?:19|20)\d{2}$/,
      write: (written) => written.replace(/^(...)(\d+)(....)$/, '$1/$2/$3'),
    },
    { kind: 'trade register number', form: /^[JFC]\d{13}$/ },
    { kind: 'CUI', form: /^\d{2,10}$/, check: isValidTaxNumber },
  ],
  // Parties have no numbers, so no party is linked.
  recordParties: (party) => readRecordParty(party),
  readCodes,
});
