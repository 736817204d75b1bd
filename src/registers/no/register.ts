/** Norway: the Central Coordinating Register for Legal Entities, published nightly as CSV and as JSON. */
import { composeAddress, EUROPEAN_STYLE } from '../address.ts';
import { checkLastDigit } from '../check-digits.ts';
import {
  type Activity,
  CSV,
  defineRegister,
  type Json,
  type MapContext,
  NO_DETAILS,
  type SourceDefinition,
} from '../contract.ts';
import { UNTRIED } from '../fetch-plan.ts';
import { type Field, fieldsOf, NO_COMMON, type State } from '../fields.ts';
import { compact, readDate, readText, type Tree } from '../parsing.ts';
import { describeRecord, ownNumber, ownStatus, spread } from '../record.ts';
import type { AddressOf } from '../vocabulary.ts';
import { splitForeignCity } from './foreign-city.ts';
import { ROLE_SOURCE } from './roles.ts';
import { isRecord, NO_LIST, readRecord, SPELLED_IN_JSON, type Unit, writeText } from './unit.ts';

type Context = MapContext<unknown>;
type NoField<Value> = Field<Unit, unknown, Value>;

/** The CSV joins the lines of an address with a slash and the letter n, not with a line feed. */
const LINE_BREAK = '/n';
/** Lines are joined with commas, and some have one already. */
const COMMA_AT_END = /[\s,]+$/;

const { text, day, whole, parsed, flag, group, legalForm } = fieldsOf<Unit, unknown>(({ cell }, column) =>
  cell(column),
);

// With an optional exponent, because Java programs write large amounts as `1.0E10`.
const AMOUNT = /^-?\d{1,18}(\.\d{1,18})?(E\d{1,2})?$/;
const amount = parsed((written) => (AMOUNT.test(written) ? Number(written) : null), 'not a number');
const yesNo = (column: string) => flag(column, { true: true, false: false }, 'neither true nor false');
const code = (column: string, pattern: RegExp) =>
  parsed((written) => (pattern.test(written) ? written : null), 'not a valid code')(column);
const coded = (column: string) => group({ code: text(`${column}.kode`), label: text(`${column}.beskrivelse`) });

/** Prose. Both editions break it into lines at arbitrary positions, so line breaks become spaces. */
function prose(column: string): NoField<string> {
  return ({ cell }) => readText(cell(column).replace(/\s*[\r\n]+\s*/g, ' '));
}

/** The values of one or more columns, each once. */
function distinct(...columns: readonly string[]): NoField<string[]> {
  return ({ cell }) => [...new Set(columns.map((column) => cell(column).trim()).filter((value) => value !== ''))];
}

function lines(column: string): NoField<string[]> {
  return ({ cell, list }) => {
    const written = list(column);
    const found = written.length > 0 ? written.map(writeText) : cell(column).split(LINE_BREAK);
    return found.map((line) => line.replace(COMMA_AT_END, '').trim()).filter((line) => line !== '');
  };
}

const readRegistry = group({
  foundedAt: day('stiftelsesdato'),
  endedAt: day('slettedato'),
  previousNames: readPreviousNames,
  address: readAddress('forretningsadresse'),
  addresses: readPostalAddress(readAddress('postadresse')),
  contacts: group({
    websites: distinct('hjemmeside'),
    emails: distinct('epostadresse'),
    phones: distinct('telefon', 'mobil'),
  }),
  language: text('maalform'),
  sector: coded('institusjonellSektorkode'),
  supportUnit: coded('hjelpeenhetskode'),
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
});

function readAddress(name: 'forretningsadresse' | 'postadresse'): NoField<AddressOf> {
  const readParts = group({
    lines: lines(`${name}.adresse`),
    postCode: text(`${name}.postnummer`),
    city: text(`${name}.poststed`),
    country: text(`${name}.land`),
    countryCode: code(`${name}.landkode`, /^[A-Z]{2}$/),
  });
  const readMunicipality = group({
    municipality: text(`${name}.kommune`),
    municipalityCode: text(`${name}.kommunenummer`),
  });
  return (...row) => {
    const { country, ...parts } = readParts(...row) ?? {};
    const { postCode, city, countryCode } = parts;
    const isAbroad = countryCode !== 'NO';
    // Norwegians do not write their own country in an address.
    const written = composeAddress({ ...parts, country: isAbroad ? (country ?? null) : null }, EUROPEAN_STYLE);
    if (written === null) return null;
    const isUnsplit = isAbroad && postCode === undefined && city !== undefined && countryCode !== undefined;
    const { city: _city, ...rest } = written;
    return {
      ...(isUnsplit ? { ...rest, ...splitForeignCity(city, countryCode) } : written),
      ...compact({ country }),
      ...readMunicipality(...row),
    };
  };
}

/** The address of mail as a list. */
function readPostalAddress(field: NoField<AddressOf>) {
  return (...row: Parameters<typeof field>) => {
    const address = field(...row);
    return address === null ? null : [{ type: 'postal' as const, ...address }];
  };
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

/** An entity with its fields of `registry`, which decide its status. */
interface Entity extends Unit {
  readonly registeredAt: string | null;
  readonly fields: Registry;
}
type Registry = NonNullable<ReturnType<typeof readRegistry>>;

const readName = text('navn');
export const isValidNumber = checkLastDigit([3, 2, 7, 6, 5, 4, 3, 2], (sum) => (11 - (sum % 11)) % 11);

const describeEntity = describeRecord<Entity, unknown>({
  name: readName,
  number: text('organisasjonsnummer'),
  registeredAt: ({ registeredAt }) => registeredAt,
  endedAt: ({ fields }) => fields.endedAt ?? null,
  status: decideStatus,
  legalForm: legalForm('organisasjonsform.kode', 'organisasjonsform.beskrivelse'),
  registrations: [
    ownNumber('Brønnøysundregistrene', isValidNumber),
    ({ fields: { vatRegistered, vatRegisteredAt } }, _context, { number }) => {
      if (number === null || !vatRegistered) return null;
      const vat = { authority: 'Skatteetaten', type: 'vat', number: `NO${number}MVA` } as const;
      return { ...vat, ...NO_DETAILS, registeredAt: vatRegisteredAt ?? null };
    },
    ({ cell, fields: { foreign } }) => {
      const number = cell('registreringsnummerIHjemlandet').trim();
      const authority = foreign?.registerName ?? foreign?.lawCountry ?? 'unknown';
      return number === '' ? null : { authority, type: 'foreign', number, ...NO_DETAILS };
    },
  ],
  activities: listActivities,
  registry: { status: ownStatus, fields: spread(({ fields }) => fields) },
});

const readRegisteredAt = day('registreringsdatoenhetsregisteret');

function mapEntity(unit: Unit, context: Context) {
  const registeredAt = readRegisteredAt(unit, context, NO_COMMON);
  const fields = unit.cell('navn').trim() === '' ? {} : (readRegistry(unit, context, NO_COMMON) ?? {});
  return describeEntity({ ...unit, registeredAt, fields }, context);
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

/** The register has flags and dates instead of a status. The most serious one that is set decides. */
function decideStatus({ cell, fields }: Entity): State {
  const { endedAt, bankruptAt, reconstructionAt, foreignInsolvencyAt, windingUpAt } = fields;
  if (endedAt) return { status: 'dissolved', code: 'slettet', label: 'Slettet', since: endedAt };
  if (fields.bankrupt) return { status: 'insolvent', code: 'konkurs', label: 'Konkurs', since: bankruptAt };
  if (reconstructionAt) return { ...RECONSTRUCTION, since: reconstructionAt };
  if (foreignInsolvencyAt) return { ...FOREIGN_INSOLVENCY, since: foreignInsolvencyAt };
  if (fields.compulsoryWindingUp) return { ...COMPULSORY_WINDING_UP, ...findReason(fields) };
  if (fields.windingUp)
    return { status: 'in_liquidation', code: 'underAvvikling', label: 'Under avvikling', since: windingUpAt };
  // A filled column without its field could not be parsed.
  const isUnreadable = FLAGS.some(([column, field]) => fields[field] === undefined && cell(column).trim() !== '');
  return { status: isUnreadable ? 'unknown' : 'active' };
}

const RECONSTRUCTION = {
  status: 'insolvent',
  code: 'underRekonstruksjonsforhandling',
  label: 'Under rekonstruksjonsforhandling',
} as const;
const FOREIGN_INSOLVENCY = {
  status: 'insolvent',
  code: 'underUtenlandskInsolvensbehandling',
  label: 'Under utenlandsk insolvensbehandling',
} as const;
const COMPULSORY_WINDING_UP = {
  status: 'in_liquidation',
  code: 'underTvangsavviklingEllerTvangsopplosning',
  label: 'Under tvangsavvikling eller tvangsoppløsning',
} as const;

const REASONS = {
  tvangsopplostPgaManglendeDagligLeder: { field: 'noManagerAt', text: 'Manglende daglig leder' },
  tvangsopplostPgaManglendeRevisor: { field: 'noAuditorAt', text: 'Manglende revisor' },
  tvangsopplostPgaManglendeRegnskap: { field: 'noAccountsAt', text: 'Manglende regnskap' },
  tvangsopplostPgaMangelfulltStyre: { field: 'incompleteBoardAt', text: 'Mangelfullt styre' },
  tvangsavvikletPgaManglendeSletting: { field: 'notDeletedAt', text: 'Manglende sletting' },
} as const;

/** Why an entity is wound up by force, and since when: the earliest of its reasons. */
function findReason({ compulsoryDissolution: dates }: Registry): Pick<State, 'since' | 'reason' | 'reasonCode'> {
  let found: Pick<State, 'since' | 'reason' | 'reasonCode'> = {};
  for (const [reasonCode, { field, text }] of Object.entries(REASONS)) {
    const since = dates?.[field];
    if (since !== undefined && (!found.since || since < found.since)) found = { since, reason: text, reasonCode };
  }
  return found;
}

/** Columns that decide the status, with their fields. */
const FLAGS = [
  ['konkurs', 'bankrupt'],
  ['underAvvikling', 'windingUp'],
  ['underTvangsavviklingEllerTvangsopplosning', 'compulsoryWindingUp'],
  ['underRekonstruksjonsforhandlingDato', 'reconstructionAt'],
  ['underUtenlandskInsolvensbehandlingDato', 'foreignInsolvencyAt'],
] as const;

/** Problems of the JSON edition are reported under its own names. */
const contexts = new WeakMap<Context, Context>();
const mapRecord = (record: Tree, context: Context) =>
  mapEntity(
    readRecord(record),
    contexts.getOrInsertComputed(context, () => ({
      ...context,
      report: (column, value, problem) => context.report(SPELLED_IN_JSON[column] ?? column, value, problem),
    })),
  );

const DOWNLOAD = 'https://data.brreg.no/enhetsregisteret/api/enheter/lastned';
const IMPORT_UNITS = `Import enheter_alle.json.gz from ${DOWNLOAD} or the CSV from ${DOWNLOAD}/csv`;
const SUB_UNITS = `this file lists sub-units (underenheter), which are places of business. ${IMPORT_UNITS}`;
const ROLES = 'https://data.brreg.no/enhetsregisteret/api/roller/totalbestand';
const ROLES_OF_ONE = `this file lists the roles (roller) of one company and does not say which. Import all roles from ${ROLES}`;
const SEARCH_RESULTS = `this file is one page of search results of the API, not the register. ${IMPORT_UNITS}`;

export const no = defineRegister({
  id: 'no',
  country: 'NO',
  name: 'Central Coordinating Register for Legal Entities',
  nativeName: 'Enhetsregisteret',
  publisher: 'Brønnøysundregistrene',
  licence: 'Norwegian Licence for Open Government Data (NLOD)',
  attribution: 'Brønnøysundregistrene, Enhetsregisteret, NLOD',
  sourceUrl: DOWNLOAD,
  companyPage: 'https://virksomhet.brreg.no/nb/oppslag/enheter/{number}',
  updates: 'daily',
  fetch: {
    kind: 'fixed',
    files: [
      { url: DOWNLOAD, name: 'enheter_alle.json.gz' },
      { url: ROLES, name: 'roller_totalbestand.json.gz', parties: 'roles' },
    ],
    size: { min: 180_000_000, max: 1_500_000_000, minWithoutParties: 90_000_000 },
    origin: { readIn: 'KristerV/colt, docs/countries/no.md, and sondreskarsten/tidybrreg', ...UNTRIED },
  },
  files: ['enheter_alle.json.gz', 'enheter_alle.csv.gz', 'roller_totalbestand.json.gz'],
  minimumRows: 930_000,
  vatNumber: /^NO(\d{9})(?:MVA)?$/,
  numberColumns: ['organisasjonsnummer'],
  letters: /[åæøäéòóôöü]/iu,
  sources: [
    {
      name: 'enheter (CSV)',
      csv: CSV,
      required: ['organisasjonsnummer', 'navn', 'organisasjonsform.kode', 'konkurs'],
      match: 'folded',
      map: (cell, context) => mapEntity({ cell, list: NO_LIST }, context),
    },
    {
      name: 'enheter (JSON)',
      format: { type: 'json' },
      required: ['organisasjonsnummer', 'navn', 'organisasjonsform', 'konkurs'],
      map: mapRecord,
    },
    {
      // The API answers with few fields for an entity that was deleted.
      name: 'deleted enheter (JSON)',
      format: { type: 'json' },
      required: ['organisasjonsnummer', 'navn', 'organisasjonsform', 'slettedato'],
      map: mapRecord,
    },
    {
      name: 'underenheter (CSV)',
      csv: CSV,
      required: ['organisasjonsnummer', 'overordnetEnhet', 'beliggenhetsadresse.adresse'],
      match: 'folded',
      refusal: SUB_UNITS,
    },
    // Entities may have a parent too, but they also have `konkurs` and match `enheter (JSON)` first.
    refuse('underenheter (JSON)', ['organisasjonsnummer', 'overordnetEnhet'], SUB_UNITS),
    ROLE_SOURCE,
    refuse('roles of one company', ['rollegrupper'], ROLES_OF_ONE),
    refuse('answer of the API', ['_embedded'], SEARCH_RESULTS),
  ],
  numbers: [{ kind: 'organisation number', form: /^\d{9}$/, check: isValidNumber }],
});

function refuse(name: string, required: readonly string[], refusal: string): SourceDefinition<null> {
  return { name, format: { type: 'json' }, required, refusal };
}
