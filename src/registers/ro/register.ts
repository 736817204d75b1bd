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
import { type Common, type Field, type State, tableFields } from '../fields.ts';
import { readRecordParty } from '../mapped-party.ts';
import { compact, takeDistinct } from '../parsing.ts';
import { describeRecord, otherNumber, ownNumber, ownStatus, spread } from '../record.ts';
import type { PartyOf } from '../vocabulary.ts';

const KEY = 'COD_INMATRICULARE';
const [STATUSES, ACTIVITIES] = ['OD_STARE_FIRMA', 'OD_CAEN_AUTORIZAT'];
const [REPRESENTATIVES, BRANCHES] = ['OD_REPREZENTANTI_LEGALI', 'OD_SUCURSALE_ALTE_STATE_MEMBRE'];

const lists = readCodeLists('ro');

interface Codes {
  readonly statuses: ReadonlyMap<string, string>;
  /** Labels by edition and code. Null without N_CAEN: then an activity without a label is not reported as unknown. */
  readonly activities: ReadonlyMap<string, string> | null;
}

/** The labels for an import without the list N_STARE_FIRMA. */
const KNOWN_LABELS = lists.labels('label');

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

const findRole = lists.patterns<PartyOf['role']>('role');

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

/** A company has several status codes, without dates, so that the complete set decides. */
/** The most serious meaning of all codes counts. `stopped`: no longer trading, for an unknown reason. */
const RANKS = ['dissolved', 'insolvent', 'in_liquidation', 'inactive', 'stopped', 'active'] as const;
/** `neutral`: the code does not affect the status. */
type Meaning = (typeof RANKS)[number] | 'neutral';

const NEUTRAL = lists.meanings<Meaning>('neutral');
const MEANINGS = lists.meanings<Meaning>('meaning');

const findWords = lists.patterns<Meaning>('words');

/** Undefined for a code whose meaning is known neither from its label nor from users of the data. */
function findMeaning(code: string, label = ''): Meaning | undefined {
  return NEUTRAL.get(code) ?? findWords(fold(label)) ?? MEANINGS.get(code);
}

type StatusCode = { readonly code: string; readonly label?: string };

/** `unknown` has the codes without a known meaning. A code with a label is left out if another code decides the status. */
function decideStatus(codes: readonly string[], labels: ReadonlyMap<string, string>) {
  const meanings = codes.map((code) => findMeaning(code, labels.get(code)));
  const worst = RANKS.find((rank) => meanings.includes(rank));
  const statuses = codes.map((code): StatusCode => {
    const label = labels.get(code);
    return label === undefined ? { code } : { code, label };
  });
  return {
    status: worst === undefined || worst === 'stopped' ? ('unknown' as const) : worst,
    deciding: (worst === undefined ? undefined : statuses[meanings.indexOf(worst)]) ?? null,
    statuses,
    unknown: codes.filter((code, at) => meanings[at] === undefined && (worst === undefined || !labels.has(code))),
  };
}

/** The one status of the old layouts. Whether the status is a code or a label is not documented. Null if it is neither. */
function readOldStatus(status: string, labels: ReadonlyMap<string, string>): State['status'] | null {
  const known = decideStatus([status], labels);
  if (known.unknown.length === 0) return known.status;
  const byText = decideStatus(['text'], new Map([['text', status]]));
  return byText.unknown.length === 0 ? byText.status : null;
}

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

/** Some firms of one person have the number of their owner instead of a fiscal code. */
const isOrganisation = (row: Cell) => !isPersonalNumber(row('CUI').trim());

export const ro = defineRegister<Codes>({
  id: 'ro',
  tables: {
    OD_FIRME: { isOrganisation, map: mapCompany },
    'firme 2018': { isOrganisation, map: mapOldCompany },
    'firme 2015': { isOrganisation, map: mapOldCompany },
  },
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
