/** Norway: the Central Coordinating Register for Legal Entities, published nightly as CSV and as JSON. */
import { compileStyle, composeAddress } from '../address.ts';
import { checkLastDigit } from '../check-digits.ts';
import { type Activity, type Cell, defineRegister, type Json, type MapContext, NO_DETAILS } from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { type Common, type Field, fieldsOf, type State } from '../fields.ts';
import { compact, readDate, readText, type Tree } from '../parsing.ts';
import { describeRecord, ownNumber, ownStatus, reportAs } from '../record.ts';
import type { AddressOf } from '../vocabulary.ts';
import { ROLES } from './roles.ts';
import { findColumn, isRecord, NO_LIST, readRecord, SPELLED_IN_JSON, type Unit, writeText } from './unit.ts';

type Context = MapContext<unknown>;
type NoField<Value> = Field<Unit, unknown, Value>;

/** The CSV joins the lines of an address with a slash and the letter n, not with a line feed. */
const LINE_BREAK = '/n';
/** Lines are joined with commas, and some lines already end with a comma. */
const COMMA_AT_END = /[\s,]+$/;

const { text, texts, replaced, day, whole, parsed, flag, group, coded, legalForm, further } = fieldsOf<Unit, unknown>(
  findColumn,
);

// The exponent is optional: Java programs write large amounts as `1.0E10`.
const AMOUNT = /^-?\d{1,18}(\.\d{1,18})?(E\d{1,2})?$/;
const amount = parsed((written) => (AMOUNT.test(written) ? Number(written) : null), 'not a number');
const yesNo = (column: string) => flag(column, { true: true, false: false }, 'neither true nor false');
const code = (column: string, pattern: RegExp) =>
  parsed((written) => (pattern.test(written) ? written : null), 'not a valid code')(column);
const codeIn = (column: string) => coded(`${column}.kode`, `${column}.beskrivelse`);

/** Both editions break prose into lines at arbitrary positions, so line breaks become spaces. */
const prose = (column: string) => replaced(column, /\s*[\r\n]+\s*/g, ' ');

/** The values of one or more columns, each once. */
function distinct(...columns: readonly string[]): NoField<string[]> {
  const readAll = texts(...columns);
  return (...row) => [...new Set(readAll(...row))];
}

function lines(column: string): NoField<string[]> {
  return ({ cell, list }) => {
    const written = list(column);
    const found: string[] = [];
    for (const line of written.length > 0 ? written.map(writeText) : cell(column).split(LINE_BREAK)) {
      const trimmed = line.replace(COMMA_AT_END, '').trim();
      if (trimmed !== '') found.push(trimmed);
    }
    return found;
  };
}

const lists = readCodeLists('no');
const [FOREIGN_POST_CODES, SIGNS] = [lists.meanings('post code'), lists.meanings('sign')];

/** Norwegians do not write their own country in an address. */
const STYLE = compileStyle('{lines}, {postCode} {city}, {abroad}');

function readAddress(name: 'forretningsadresse' | 'postadresse'): NoField<AddressOf> {
  const readParts = group({
    lines: lines(`${name}.adresse`),
    postCode: text(`${name}.postnummer`),
    city: text(`${name}.poststed`),
    countryCode: code(`${name}.landkode`, /^[A-Z]{2}$/),
    country: text(`${name}.land`),
    municipality: text(`${name}.kommune`),
    municipalityCode: text(`${name}.kommunenummer`),
  });
  return (...row) => {
    const parts = readParts(...row) ?? {};
    const { postCode, city, countryCode, country } = parts;
    const isAbroad = countryCode !== 'NO';
    const address = composeAddress(parts, (found) => STYLE(found, isAbroad ? { abroad: country } : null));
    if (address === null || !isAbroad || postCode !== undefined || city === undefined || countryCode === undefined)
      return address;
    const { city: _city, municipality, municipalityCode, ...rest } = address;
    return { ...rest, ...splitForeignCity(city, countryCode), ...compact({ municipality, municipalityCode }) };
  };
}

/** Addresses in other countries have post code and city in one text, in the order of that country. */
interface City {
  readonly postCode?: string;
  readonly city?: string;
  readonly region?: string;
}

/** Post codes of these countries include the code of the country, as their own registers write them. */
const PREFIX_STAYS: ReadonlySet<string> = new Set(['LT', 'LV']);

/**
 * `SE-113 43 STOCKHOLM`, `1976 BV IJMUIDEN`, `GLASGOW G3 6EF SCOTLAND`, `US-PHILADELPHIA PA 19106`. A text in another form is
 * unchanged the city, without the code of the country.
 */
function splitForeignCity(written: string, countryCode: string): City {
  const text = written.replace(new RegExp(`^${countryCode}-(?=\\p{L})`, 'u'), '');
  const pattern = FOREIGN_POST_CODES.get(countryCode);
  if (pattern === undefined) return { city: text };
  const prefix = `(?:${[countryCode, SIGNS.get(countryCode)].filter(Boolean).join('|')})`;
  const first = new RegExp(`^(${prefix}[- ]?)??(${pattern})(?:[ ,]+(\\p{L}.*))?$`, 'u').exec(text);
  if (first !== null) {
    const [, sign = '', postCode = '', city] = first;
    const isPart = sign !== '' && PREFIX_STAYS.has(countryCode);
    return { postCode: isPart ? sign + postCode : postCode, ...splitProvince(city, countryCode) };
  }
  const state = countryCode === 'US' || countryCode === 'CA' ? '(?:[ ,]+((?-i:[A-Z]{2})))?' : '()';
  const nation = '(?:[ ,]+(SCOTLAND|ENGLAND|WALES|NORTHERN IRELAND))?';
  const last = new RegExp(`^(\\p{L}.*?)${state}[ ,]+(?:CAP )?(${pattern})${nation}$`, 'iu').exec(text);
  if (last === null) return { city: text };
  const [, city = text, part, postCode = '', country] = last;
  const region = part || country;
  return { postCode, ...splitProvince(city, countryCode), ...(region && { region }) };
}

/** `MONTERONI D'ARBIA (SI)`: a city of Italy with its province. */
function splitProvince(text: string | undefined, countryCode: string): City {
  const [, city, region] = (countryCode === 'IT' && /^(.*\S) *\(([A-Z]{2})\)$/.exec(text ?? '')) || [];
  if (city !== undefined && region !== undefined) return { city, region };
  return text === undefined ? {} : { city: text };
}

function readPreviousNames({ list }: Unit, context: Context) {
  const names = list('historiskeNavn')
    .filter(isRecord)
    .flatMap((entry) => {
      const from = readDayOf('historiskeNavn', entry, 'fraDato', context);
      const until = readDayOf('historiskeNavn', entry, 'tilDato', context);
      const name = readText(writeText(entry.navn));
      // An entry without an end date is the current name.
      return name === null || writeText(entry.tilDato) === '' ? [] : [{ name, ...compact({ from, until }) }];
    });
  return names.length === 0 ? null : names.sort((one, other) => compareTexts(other.until, one.until));
}

function compareTexts(one = '', other = ''): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The format of a list of annotations in the CSV is not known, so it is kept as one text. */
function readAnnotations({ cell, list }: Unit, context: Context): readonly Json[] | null {
  const entries = list('paategninger')
    .filter(isRecord)
    .map((entry): Json => {
      const [type, text] = [writeText(entry.infotype), writeText(entry.tekst)];
      return compact({ type, text, date: readDayOf('paategninger', entry, 'innfoertDato', context) }) as Json;
    });
  const written = entries.length === 0 ? readText(cell('paategninger')) : null;
  return written !== null ? [{ text: written }] : entries.length > 0 ? entries : null;
}

function readDayOf(column: string, entry: Tree, key: string, context: Context): string | null {
  const written = writeText(entry[key]);
  const day = readDate(written);
  if (day === null && written.trim() !== '') context.report(column, written, 'not a date');
  return day;
}

export const isValidNumber = checkLastDigit([3, 2, 7, 6, 5, 4, 3, 2], (sum) => (11 - (sum % 11)) % 11);

const mapEntity = describeRecord<Unit, unknown>({
  name: text('navn'),
  number: text('organisasjonsnummer'),
  registeredAt: day('registreringsdatoenhetsregisteret'),
  endedAt: ({ cell }) => findDay(cell, 'slettedato'),
  status: decideStatus,
  legalForm: legalForm('organisasjonsform.kode', 'organisasjonsform.beskrivelse'),
  registrations: [
    ownNumber('Brønnøysundregistrene', isValidNumber),
    ({ cell }, _context, { number }) => {
      if (number === null || !isSet(cell, 'registrertIMvaRegisteret')) return null;
      const registeredAt = findDay(cell, 'registreringsdatoMerverdiavgiftsregisteret');
      return { authority: 'Skatteetaten', type: 'vat', number: `NO${number}MVA`, ...NO_DETAILS, registeredAt };
    },
    ({ cell }) => {
      const number = cell('registreringsnummerIHjemlandet').trim();
      const authority = cell('utenlandskRegisterNavn').trim() || cell('underlagtLovgivningLand').trim() || 'unknown';
      return number === '' ? null : { authority, type: 'foreign', number, ...NO_DETAILS };
    },
  ],
  activities: listActivities,
  registry: {
    status: ownStatus,
    foundedAt: day('stiftelsesdato'),
    endedAt: day('slettedato'),
    previousNames: readPreviousNames,
    address: readAddress('forretningsadresse'),
    addresses: further('postal', readAddress('postadresse')),
    contacts: group({
      websites: distinct('hjemmeside'),
      emails: distinct('epostadresse'),
      phones: distinct('telefon', 'mobil'),
    }),
    language: text('maalform'),
    sector: codeIn('institusjonellSektorkode'),
    supportUnit: codeIn('hjelpeenhetskode'),
    activityDescription: prose('aktivitet'),
    purpose: prose('vedtektsfestetFormaal'),
    articlesDate: day('vedtektsdato'),
    parentNumber: text('overordnetEnhet'),
    inGroup: yesNo('erIKonsern'),
    employees: group({
      count: whole('antallAnsatte'),
      registered: yesNo('harRegistrertAntallAnsatte'),
      enteredAt: day('registreringsdatoAntallAnsatteEnhetsregisteret'),
      reportedAt: day('registreringsdatoantallansatteNAVAaregisteret'),
    }),
    lastAnnualAccountsYear: whole('sisteInnsendteAarsregnskap'),
    auditWaivedAt: day('fravalgRevisjonDato'),
    auditWaiverDecidedAt: day('fravalgRevisjonBeslutningsDato'),
    capital: group({
      amount: amount('kapital.belop'),
      currency: code('kapital.valuta', /^[A-Z]{3}$/),
      type: text('kapital.type'),
      shares: amount('kapital.antallAksjer'),
      paidIn: amount('kapital.innbetalt'),
      fullyPaid: yesNo('kapital.fulltInnbetalt'),
      bound: amount('kapital.bundet'),
      enteredAt: day('kapital.innfortDato'),
    }),
    vatRegistered: yesNo('registrertIMvaRegisteret'),
    vatRegisteredAt: day('registreringsdatoMerverdiavgiftsregisteret'),
    vatEnteredAt: day('registreringsdatoMerverdiavgiftsregisteretEnhetsregisteret'),
    voluntaryVatReasons: lines('frivilligMvaRegistrertBeskrivelser'),
    voluntaryVatRegisteredAt: day('registreringsdatoFrivilligMerverdiavgiftsregisteret'),
    inBusinessRegister: yesNo('registrertIForetaksregisteret'),
    businessRegisteredAt: day('registreringsdatoForetaksregisteret'),
    inVoluntaryRegister: yesNo('registrertIFrivillighetsregisteret'),
    voluntaryRegisteredAt: day('registreringsdatoFrivillighetsregisteret'),
    inFoundationRegister: yesNo('registrertIStiftelsesregisteret'),
    inPartyRegister: yesNo('registrertIPartiregisteret'),
    partyRegisteredAt: day('registreringsdatoPartiregisteret'),
    bankrupt: yesNo('konkurs'),
    bankruptAt: day('konkursdato'),
    windingUp: yesNo('underAvvikling'),
    windingUpAt: day('underAvviklingDato'),
    compulsoryWindingUp: yesNo('underTvangsavviklingEllerTvangsopplosning'),
    compulsoryDissolution: group({
      noManagerAt: day('tvangsopplostPgaManglendeDagligLederDato'),
      noAuditorAt: day('tvangsopplostPgaManglendeRevisorDato'),
      noAccountsAt: day('tvangsopplostPgaManglendeRegnskapDato'),
      incompleteBoardAt: day('tvangsopplostPgaMangelfulltStyreDato'),
      notDeletedAt: day('tvangsavvikletPgaManglendeSlettingDato'),
    }),
    reconstructionAt: day('underRekonstruksjonsforhandlingDato'),
    foreignInsolvencyAt: day('underUtenlandskInsolvensbehandlingDato'),
    annotations: readAnnotations,
    foreign: group({
      registerName: text('utenlandskRegisterNavn'),
      registerAddress: group({
        lines: lines('utenlandskRegisterAdresse.adresse'),
        city: text('utenlandskRegisterAdresse.poststed'),
        country: text('utenlandskRegisterAdresse.land'),
      }),
      lawCountry: text('underlagtLovgivningLand'),
      lawCountryCode: text('underlagtLovgivningLandKode'),
      legalForm: group({
        code: text('foretaksformIHjemlandet.kode'),
        label: text('foretaksformIHjemlandet.beskrivelse'),
        labels: group({ nb: text('foretaksformIHjemlandet.beskrivelseBokmaal') }),
      }),
    }),
  },
});

const [LABELS, REASONS] = [lists.labels('status'), lists.labels('reason')];
const STATES = Array.from(lists.meanings<State['status']>('status'), ([column, status]) => ({
  column,
  status,
  isDay: column.endsWith('Dato'),
  code: column.replace(/Dato$/, ''),
  label: LABELS.get(column),
}));

/** The register has flags and days instead of a status. The most serious flag that is set decides. */
function decideStatus({ cell }: Unit, _context: unknown, { endedAt }: Common): State {
  if (endedAt) return { status: 'dissolved', code: 'slettet', label: 'Slettet', since: endedAt };
  for (const { column, status, isDay, code, label } of STATES) {
    if (isDay ? findDay(cell, column) === null : !isSet(cell, column)) continue;
    const since = findDay(cell, `${code}Dato`) ?? findDay(cell, `${code}dato`);
    return { status, code, label, since, ...(code.includes('Tvangs') && findReason(cell)) };
  }
  const isUnreadable = STATES.some(({ column, isDay }) => {
    const written = cell(column).trim();
    return written !== '' && (isDay ? readDate(written) === null : !/^(?:true|false)$/.test(written));
  });
  return { status: isUnreadable ? 'unknown' : 'active' };
}

/** Why an entity is wound up by force, and since when: the earliest of its reasons. */
function findReason(cell: Cell): Partial<State> | undefined {
  const found = Array.from(REASONS, ([reasonCode, reason]) => ({
    since: findDay(cell, `${reasonCode}Dato`) ?? '',
    reason,
    reasonCode,
  }));
  return found.filter(({ since }) => since !== '').sort((one, other) => compareTexts(one.since, other.since))[0];
}

/** The day in a column. A text that is not a date is reported where the record shows the column. */
function findDay(cell: Cell, column: string): string | null {
  return readDate(cell(column).trim());
}

function isSet(cell: Cell, column: string): boolean {
  return cell(column).trim() === 'true';
}

/** "Uoppgitt": the activity is not stated. */
const NO_ACTIVITY = '00.000';

function listActivities({ cell }: Unit, context: Context): Activity[] {
  const found: Activity[] = [];
  for (const column of ['naeringskode1', 'naeringskode2', 'naeringskode3']) {
    const [code, label] = [readText(cell(`${column}.kode`)), readText(cell(`${column}.beskrivelse`))];
    if ((code === null && label === null) || code === NO_ACTIVITY) continue;
    if (found.some((other) => other.code === code && other.label === label)) continue;
    if (code !== null && label === null) context.reportUnknown('activity', `${column}.kode`, code);
    found.push({ type: 'unlicensed', code, label, scheme: 'SN' });
  }
  return found;
}

/** Problems of the JSON edition are reported under the names of the keys in the JSON. */
const inJson = reportAs((column) => SPELLED_IN_JSON[column] ?? column);
const mapRecord = (record: Tree, context: Context) => mapEntity(readRecord(record), inJson(context));

export const no = defineRegister({
  id: 'no',
  tables: { 'enheter (CSV)': { map: (cell, context) => mapEntity({ cell, list: NO_LIST }, context) } },
  trees: {
    'enheter (JSON)': { map: mapRecord },
    // The API answers with few fields for an entity that was deleted.
    'deleted enheter (JSON)': { map: mapRecord },
    'roller (JSON)': { parties: ROLES },
  },
  numbers: [{ kind: 'organisation number', form: /^\d{9}$/, check: isValidNumber }],
});
