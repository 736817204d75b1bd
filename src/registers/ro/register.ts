/** Romania: the trade register (ONRC), dated snapshots of several files that are joined by the register number. */
import { fold } from '../../base/fold.ts';
import { compileStyle, EUROPEAN_STYLE, findCountryCode } from '../address.ts';
import { checkLastDigit } from '../check-digits.ts';
import { type Activity, type Cell, type CodeRow, defineRegister, type MapContext } from '../contract.ts';
import { type CodeTexts, indexTexts, readCodeLists } from '../data-files.ts';
import { type Common, codeFields, type Field } from '../fields.ts';
import { readRecordParty } from '../mapped.ts';
import { compact, takeDistinct } from '../parsing.ts';
import { describeRecord, otherNumber, ownNumber, ownStatus, spread } from '../record.ts';
import type { PartyOf } from '../vocabulary.ts';

const KEY = 'COD_INMATRICULARE';
const [STATUSES, ACTIVITIES] = ['OD_STARE_FIRMA', 'OD_CAEN_AUTORIZAT'];
const [REPRESENTATIVES, BRANCHES] = ['OD_REPREZENTANTI_LEGALI', 'OD_SUCURSALE_ALTE_STATE_MEMBRE'];
const [STATUS_LIST, ACTIVITY_LIST] = ['N_STARE_FIRMA', 'N_CAEN'];

const lists = readCodeLists('ro');

/** The program has labels of statuses for an import without their list. */
function readCodes(tables: ReadonlyMap<string, readonly CodeRow[]>): CodeTexts {
  const rows = (table: string) => tables.get(table) ?? [];
  return indexTexts([
    ...Array.from(lists.labels('label'), ([code, text]) => [STATUS_LIST, code, text] as const),
    ...rows(STATUS_LIST).map(({ COD = '', DENUMIRE }) => [STATUS_LIST, COD, DENUMIRE] as const),
    ...rows(ACTIVITY_LIST).map(({ CLASA = '', VERSIUNE_CAEN = '', DENUMIRE }) => {
      return [ACTIVITY_LIST, activityKey(CLASA, VERSIUNE_CAEN), DENUMIRE] as const;
    }),
  ]);
}

function activityKey(code: string, version: string): string {
  return `${version.trim()}/${code.trim()}`;
}

type Context = MapContext<CodeTexts>;
type RoField<Value> = Field<Cell, CodeTexts, Value>;

const { text, day, texts, concat, first, replaced, group, groupWith, each, all, rowsOf, listOf, address, countryCode } =
  codeFields();

/** The digits are aligned with the weights from the right. */
const isValidFullNumber = checkLastDigit([7, 5, 3, 2, 1, 7, 5, 3, 2], (sum) => ((sum * 10) % 11) % 10);

/** The fiscal code (CUI): two to ten digits, the last one of which is a check digit. */
function isValidTaxNumber(number: string): boolean {
  return number.length >= 2 && isValidFullNumber(number.padStart(10, '0'));
}

/** Bucharest is one city, of which some rows name the sector: `Bucureşti Sectorul 6`. */
const SECTOR = /^(bucure[sşș]ti)[\s,]+sector(?:ul)?\s*([1-6])$/iu;

function describePlace(column: string) {
  const readDistrict: RoField<string> = (cell) => {
    const sector = SECTOR.exec(cell(column).trim())?.[2];
    return sector === undefined ? null : `Sectorul ${sector}`;
  };
  return { place: text(column), city: replaced(column, SECTOR, '$1'), district: readDistrict };
}

const [PLACE, OLD_PLACE] = [describePlace('ADR_LOCALITATE'), describePlace('LOCALITATE')];
const isRomania = (cell: Cell) => {
  const country = cell('ADR_TARA').trim();
  return country === 'România' || fold(country) === 'romania';
};
const [readCountry, readRegion] = [text('ADR_TARA'), text('ADR_JUDET')];
const numbered = (word: string, column: string) => replaced(column, /^(?=.)/s, `${word} `);
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
    countryCode: (cell) => (isRomania(cell) ? 'RO' : findCountryCode(cell('ADR_TARA').trim(), 'ro')),
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
    quarter: (...row) => (PLACE.district(...row) === null ? readSector(...row) : null),
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

/** Dates and places of birth are left out: they are in `sourceData` only. */
const readRepresentative = groupWith(['role', 'name'], {
  role: (row) => lists.patterns<PartyOf['role']>('role')(fold(row('CALITATE').trim())) ?? 'representative',
  roleLabel: text('CALITATE'),
  kind: findKind,
  name: text('PERSOANA_IMPUTERNICITA'),
  country: text('TARA'),
  countryCode: countryCode('TARA', 'ro'),
  city: text('LOCALITATE'),
  region: text('JUDET'),
});

const COMPANY = {
  name: text('DENUMIRE'),
  number: text(KEY),
  registrations: [
    ownNumber('ONRC'),
    otherNumber('ANAF', 'tax', readTaxNumber, isValidTaxNumber),
    otherNumber('BRIS', 'euid', text('EUID')),
  ],
};

const mapCompany = describeRecord<Cell, CodeTexts>({
  ...COMPANY,
  registeredAt: day('DATA_INMATRICULARE'),
  status(_cell, { codes, reportUnknown }, { rows }) {
    const labels = codes.get(STATUS_LIST);
    const listed = rows(STATUSES).map((row) => row('COD').trim());
    const { status, deciding, statuses, unknown } = decideStatus(listed, labels);
    for (const code of unknown) reportUnknown(labels?.has(code) ? 'listedStatus' : 'status', `${STATUSES}.COD`, code);
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
const mapOldCompany = describeRecord<Cell, CodeTexts>({
  ...COMPANY,
  status(cell, { codes, reportUnknown }) {
    const written = cell('STARE_FIRMA').trim();
    if (written === '') return null;
    const labels = codes.get(STATUS_LIST);
    // Whether the status is a code or a label is not documented.
    const known = [decideStatus([written], labels), decideStatus(['text'], new Map([['text', written]]))].find(
      ({ unknown }) => unknown.length === 0,
    );
    if (known === undefined) reportUnknown('status', 'STARE_FIRMA', written);
    const status = known?.status ?? 'unknown';
    const isCode = /^\d+$/.test(written);
    return isCode ? { status, code: written, label: labels?.get(written) } : { status, label: written };
  },
  registry: { status: ownStatus, address: readOldAddress },
});

/** A company has several status codes, without dates. The most serious meaning counts. `stopped`: no longer trading, for an unknown reason. */
const RANKS = ['dissolved', 'insolvent', 'in_liquidation', 'inactive', 'stopped', 'active'] as const;
/** `neutral`: the code does not affect the status. */
type Meaning = (typeof RANKS)[number] | 'neutral';

const [NEUTRAL, MEANINGS] = [lists.meanings<Meaning>('neutral'), lists.meanings<Meaning>('meaning')];

/** `unknown` has the codes without a known meaning. A code with a label is left out if another code decides the status. */
function decideStatus(codes: readonly string[], labels: ReadonlyMap<string, string> = new Map()) {
  const statuses = codes.map((code) => compact({ code, label: labels.get(code) }));
  // Undefined for a code whose meaning is known neither from its label nor from users of the data.
  const meanings = statuses.map(({ code = '', label = '' }) => {
    return NEUTRAL.get(code) ?? lists.patterns<Meaning>('words')(fold(label)) ?? MEANINGS.get(code);
  });
  const worst = RANKS.find((rank) => meanings.includes(rank));
  return {
    status: worst === undefined || worst === 'stopped' ? ('unknown' as const) : worst,
    deciding: (worst === undefined ? undefined : statuses[meanings.indexOf(worst)]) ?? null,
    statuses,
    unknown: codes.filter((code, at) => meanings[at] === undefined && (worst === undefined || !labels.has(code))),
  };
}

/** Old entries of sole traders have the owner's personal number (CNP) instead. */
function isPersonalNumber(number: string): boolean {
  return /^\d{13}$/.test(number);
}

/** `0` means that the company has no fiscal code. A personal number identifies the owner, not the company. */
function readTaxNumber(cell: Cell, context: Context): string | null {
  const number = cell('CUI').trim();
  if (number === '' || number === '0' || isPersonalNumber(number)) return null;
  if (!/^\d+$/.test(number)) context.report('CUI', number, 'not a fiscal code');
  return number;
}

/** Lists each code and edition once. A code without its label in N_CAEN is reported. */
function listActivities(_cell: Cell, { codes, reportUnknown }: Context, { rows }: Common): Activity[] {
  const listed = rows(ACTIVITIES).map((row) => [row('COD_CAEN_AUTORIZAT').trim(), row('VER_CAEN_AUTORIZAT').trim()]);
  const distinct = takeDistinct(listed, ([code = '', edition = '']) => activityKey(code, edition));
  return distinct.flatMap(([code = '', edition = '']): Activity[] => {
    if (code === '') return [];
    const label = codes.get(ACTIVITY_LIST)?.get(activityKey(code, edition)) ?? null;
    // Without the list, no label is missing.
    if (label === null && codes.has(ACTIVITY_LIST))
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

export const ro = defineRegister<CodeTexts>({
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
