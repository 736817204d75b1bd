/** Norway: the Central Coordinating Register for Legal Entities, published nightly as CSV and as JSON. */
import { compileStyle, composeAddress } from '../address.ts';
import { checkLastDigit } from '../check-digits.ts';
import { type Activity, type Cell, defineRegister, type Json, type MapContext, NO_DETAILS } from '../contract.ts';
import { listColumns, readCodeLists } from '../data-files.ts';
import { type Common, type Field, fieldsOf, type State } from '../fields.ts';
import { compact, isTree, parseDay, readDate, readText, type Tree, textOf } from '../parsing.ts';
import { describeRecord, ownNumber, ownStatus, reportAs } from '../record.ts';
import type { AddressOf } from '../vocabulary.ts';
import { ROLES } from './roles.ts';

type Context = MapContext<unknown>;
type NoField<Value> = Field<Unit, unknown, Value>;

/** An entity of either edition, by the columns of the CSV. A column with dots is a path of nested objects in the JSON. */
interface Unit {
  readonly cell: Cell;
  /** Of the JSON edition: the values, each in the slot of its column. */
  readonly values?: readonly Json[];
  /** The values of a JSON array. */
  readonly list: (column: string) => readonly Json[];
}

/** Three names have different capitals in the JSON edition. */
const SPELLED_IN_JSON: Readonly<Record<string, string>> = {
  registreringsdatoenhetsregisteret: 'registreringsdatoEnhetsregisteret',
  registrertIMvaRegisteret: 'registrertIMvaregisteret',
  registreringsdatoantallansatteNAVAaregisteret: 'registreringsdatoAntallAnsatteNAVAaregisteret',
};

/** The slot of each column in the array of a JSON record. The last two are only in the JSON edition. */
const SLOTS: ReadonlyMap<string, number> = new Map(
  [...listColumns('no', 'enheter (CSV)'), 'slettedato', 'historiskeNavn'].map((column, slot) => [column, slot]),
);
/** For each key of a JSON record, the slot of its value, or the slots of the values in its object. */
const KEYS = new Map<string, number | Map<string, number>>();
for (const [column, slot] of SLOTS) {
  const [key = '', inner] = (SPELLED_IN_JSON[column] ?? column).split('.');
  const known = KEYS.get(key);
  if (inner === undefined) KEYS.set(key, slot);
  else if (known instanceof Map) known.set(inner, slot);
  else KEYS.set(key, new Map([[inner, slot]]));
}

/** Two thirds of the keys are missing from a typical record, and looking up a missing key of an object is slow. */
function readRecord(record: Tree): Unit {
  const values: Json[] = new Array(SLOTS.size).fill(null);
  for (const key in record) {
    const slot = KEYS.get(key);
    const value = record[key] ?? null;
    if (typeof slot === 'number') values[slot] = value;
    else if (slot !== undefined && isTree(value)) {
      for (const inner in value) {
        const place = slot.get(inner);
        if (place !== undefined) values[place] = value[inner] ?? null;
      }
    }
  }
  const find = (column: string) => values[SLOTS.get(column) ?? -1];
  const list = (column: string) => {
    const value = find(column);
    return Array.isArray(value) ? value : NO_VALUES;
  };
  return { values, cell: (column) => writeText(find(column)), list };
}

const NO_VALUES: readonly Json[] = [];

/** The lines of a JSON array are joined with spaces, as in the CSV. */
function writeText(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return Array.isArray(value) ? value.map(writeText).join(' ') : '';
}

/** The CSV joins the lines of an address with a slash and the letter n, not with a line feed. */
const LINE_BREAK = '/n';
/** Lines are joined with commas, and some lines already end with a comma. */
const COMMA_AT_END = /[\s,]+$/;

const fields = fieldsOf<Unit, unknown>((column) => {
  const slot = SLOTS.get(column) ?? -1;
  return ({ cell, values }) => (values === undefined ? cell(column) : writeText(values[slot]));
});
const { text, texts, replaced, day, whole, parsed, matching, flag, group, distinct, coded, legalForm, further } =
  fields;

// The exponent is optional: Java programs write large amounts as `1.0E10`.
const AMOUNT = /^-?\d{1,18}(\.\d{1,18})?(E\d{1,2})?$/;
const amount = parsed((written) => (AMOUNT.test(written) ? Number(written) : null), 'not a number');
const yesNo = (column: string) => flag(column, { true: true, false: false }, 'neither true nor false');
const codeIn = (column: string) => coded(`${column}.kode`, `${column}.beskrivelse`);

/** Both editions break prose into lines at arbitrary positions, so line breaks become spaces. */
const prose = (column: string) => replaced(column, /\s*[\r\n]+\s*/g, ' ');

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
    countryCode: matching(`${name}.landkode`, /^[A-Z]{2}$/, 'not a valid code'),
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

/** Post codes of these countries include the code of the country, as their own registers write them. */
const PREFIX_STAYS: ReadonlySet<string> = new Set(['LT', 'LV']);

/**
 * Addresses in other countries have post code and city in one text, in the order of that country: `SE-113 43 STOCKHOLM`, `1976 BV IJMUIDEN`,
 * `GLASGOW G3 6EF SCOTLAND`, `US-PHILADELPHIA PA 19106`. A text in another form is unchanged the city, without the code of the country.
 */
function splitForeignCity(written: string, countryCode: string) {
  const text = written.replace(new RegExp(`^${countryCode}-(?=\\p{L})`, 'u'), '');
  const pattern = FOREIGN_POST_CODES.get(countryCode);
  if (pattern === undefined) return { city: text };
  const prefix = `(?:${[countryCode, SIGNS.get(countryCode)].filter(Boolean).join('|')})`;
  const first = new RegExp(`^(${prefix}[- ]?)??(${pattern})(?:[ ,]+(\\p{L}.*))?$`, 'u').exec(text);
  if (first !== null) {
    const [, sign = '', postCode = '', city = ''] = first;
    return {
      postCode: PREFIX_STAYS.has(countryCode) ? sign + postCode : postCode,
      ...splitProvince(city, countryCode),
    };
  }
  const state = countryCode === 'US' || countryCode === 'CA' ? '(?:[ ,]+((?-i:[A-Z]{2})))?' : '()';
  const nation = '(?:[ ,]+(SCOTLAND|ENGLAND|WALES|NORTHERN IRELAND))?';
  const last = new RegExp(`^(\\p{L}.*?)${state}[ ,]+(?:CAP )?(${pattern})${nation}$`, 'iu').exec(text);
  if (last === null) return { city: text };
  const [, city = '', part, postCode = '', country] = last;
  return { postCode, ...splitProvince(city, countryCode), ...compact({ region: part || country }) };
}

/** `MONTERONI D'ARBIA (SI)`: a city of Italy with its province. */
function splitProvince(text: string, countryCode: string) {
  const [, city = text, region] = (countryCode === 'IT' && /^(.*\S) *\(([A-Z]{2})\)$/.exec(text)) || [];
  return compact({ city, region });
}

function readPreviousNames({ list }: Unit, context: Context) {
  const column = 'historiskeNavn';
  const names = list(column)
    .filter(isTree)
    .flatMap((entry) => {
      const from = parseDay(column, textOf(entry, 'fraDato'), context);
      const until = parseDay(column, textOf(entry, 'tilDato'), context);
      const name = textOf(entry, 'navn');
      // An entry without an end date is the current name.
      return name === '' || textOf(entry, 'tilDato') === '' ? [] : [{ name, ...compact({ from, until }) }];
    });
  return names.sort((one, other) => compareTexts(other.until, one.until));
}

function compareTexts(one = '', other = ''): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The format of a list of annotations in the CSV is not known, so it is kept as one text. */
function readAnnotations({ cell, list }: Unit, context: Context): readonly Json[] {
  const column = 'paategninger';
  const entries = list(column).filter(isTree);
  const written = entries.length === 0 ? readText(cell(column)) : null;
  if (written !== null) return [{ text: written }];
  return entries.map((entry): Json => {
    const [type, text] = [textOf(entry, 'infotype'), textOf(entry, 'tekst')];
    return compact({ type, text, date: parseDay(column, textOf(entry, 'innfoertDato'), context) }) as Json;
  });
}

const isValidNumber = checkLastDigit([3, 2, 7, 6, 5, 4, 3, 2], (sum) => (11 - (sum % 11)) % 11);

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
      websites: texts('hjemmeside'),
      emails: texts('epostadresse'),
      phones: distinct(texts('telefon', 'mobil')),
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
      currency: matching('kapital.valuta', /^[A-Z]{3}$/, 'not a valid code'),
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
  tables: { 'enheter (CSV)': { map: (cell, context) => mapEntity({ cell, list: () => NO_VALUES }, context) } },
  trees: {
    'enheter (JSON)': { map: mapRecord },
    // The API answers with few fields for an entity that was deleted.
    'deleted enheter (JSON)': { map: mapRecord },
    'roller (JSON)': { parties: ROLES },
  },
  numbers: [{ kind: 'organisation number', form: /^\d{9}$/, check: isValidNumber }],
});
