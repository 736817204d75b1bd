/**
 * Czechia: the Register of Economic Subjects (RES) of the statistical office. A subject is a row of `res_data`; `res_pf_nace` adds its
 * activities, and the code lists add the texts of codes.
 */
import { compileStyle } from '../address.ts';
import { checkLastDigit } from '../check-digits.ts';
import { type Activity, type Cell, type CodeRow, defineRegister, type MapContext } from '../contract.ts';
import { type CodeTexts, indexTexts, readCodeLists, readRows } from '../data-files.ts';
import { type Common, codeFields, type State } from '../fields.ts';
import { compact, readDate } from '../parsing.ts';
import { describeRecord, ownEnd, ownInference, ownNumber, spread } from '../record.ts';

const ACTIVITIES = 'res_pf_nace';

/** The code lists, by the numbers that the statistical office gives them. */
const LISTS = {
  legalForm: '56',
  rosLegalForm: '149',
  endReason: '572',
  employees: '579',
  nace: '80004',
  nace2025: '80143',
  district: '109',
  municipality: '51',
  sector: '5161',
  houseNumberType: '73',
  activitySource: '564',
} as const;

/** The legal forms in use (list 56 of the statistical office), so that they have names in an import without the list. */
const LEGAL_FORMS = readRows('cz/legal-forms.tsv') as [code: string, text: string][];

function readCodes(tables: ReadonlyMap<string, readonly CodeRow[]>): CodeTexts {
  const write = (list: string) => String(Number(list));
  // A list may hold several editions, the current one first. Rows are read from the end, so that the current text wins.
  const rows = (table: string) => (tables.get(table) ?? []).toReversed();
  return indexTexts([
    ...LEGAL_FORMS.map(([code, text]) => [LISTS.legalForm, code, text] as const),
    ...rows('code list').map(({ KODCIS = '', CHODNOTA = '', TEXT }) => [write(KODCIS), CHODNOTA, TEXT] as const),
    ...rows('code list (vdb)').map(
      ({ ciselnik = '', kod_polozky = '', text }) => [write(ciselnik), kod_polozky, text] as const,
    ),
  ]);
}

type Context = MapContext<CodeTexts>;

export const isValidNumber = checkLastDigit([8, 7, 6, 5, 4, 3, 2], (sum) => (11 - (sum % 11)) % 10);

const { text, day, number, group, concat, first, labelIn, codeIn, address, extend } = codeFields();

const readNumber = concat('/', 'CDOM', 'COR');
const [readStreet, readDistrict, readCity] = [text('ULICE_TEXT'), text('COBCE_TEXT'), text('OBEC_TEXT')];
const STYLE = compileStyle('{road} {house}, {quarter}, {postCode} {city}');
/** A number for buildings that are not permanent, such as weekend houses. Such a number is not unique among house numbers. */
const REGISTRATION_NUMBER = '2';

/** Addresses of the state's register of addresses are in parts. Any other address is only a text (`TEXTADR`). */
const readAddress = address(
  group({
    text: text('TEXTADR'),
    street: readStreet,
    number: readNumber,
    district: readDistrict,
    postCode: text('PSC'),
    city: readCity,
    region: labelIn(LISTS.district, 'OKRESLAU'),
    countryCode: (cell) => (cell('OKRESLAU').startsWith('CZ') ? 'CZ' : null),
    houseNumberType: first(labelIn(LISTS.houseNumberType, 'TYPCDOM'), text('TYPCDOM')),
    addressPointCode: text('KODADM'),
    regionCode: text('OKRESLAU'),
    municipality: labelIn(LISTS.municipality, 'ICZUJ'),
    municipalityCode: text('ICZUJ'),
  }),
  (parts, written) => STYLE(parts, written) || String(parts.region ?? ''),
  group({
    // In a village without street names, the name of the village takes the place of the street.
    road: first(readStreet, readDistrict),
    quarter: (...row) =>
      readStreet(...row) === null || readDistrict(...row) === readCity(...row) ? null : readDistrict(...row),
    house(...row) {
      const written = readNumber(...row);
      return written !== null && row[0]('TYPCDOM').trim() === REGISTRATION_NUMBER ? `č. ev. ${written}` : written;
    },
  }),
);

const mapSubject = describeRecord<Cell, CodeTexts>({
  name: text('FIRMA'),
  substitute: nameByNumber,
  // Programs that treat the IČO as a number drop its leading zeros.
  number: number('ICO', /^\d{8}$/, 'not a registration number', padNumber),
  registeredAt: day('DDATVZN'),
  endedAt: day('DDATZAN'),
  status: readStatus,
  legalForm: extend(codeIn(LISTS.legalForm, 'FORMA', 'legalForm'), { scheme: `ČSÚ ${LISTS.legalForm}` }),
  registrations: [ownNumber('Český statistický úřad (ČSÚ)', isValidNumber, 'last')],
  activities: listActivities,
  registry: {
    status: (_cell, _context, { state }) => compact({ reasonCode: state.code, reason: state.label }),
    statusInferredFrom: ownInference,
    endedAt: ownEnd,
    address: readAddress,
    employees: readEmployees,
    sector: codeIn(LISTS.sector, 'CISS2010'),
    rosLegalForm: codeIn(LISTS.rosLegalForm, 'ROSFORMA'),
    declared: spread(listDeclared),
    recordUpdatedAt: day('DDATPAKT'),
    validAt: day('DATPLAT'),
    changeFlag: text('PRIZNAK'),
  },
});

function padNumber(number: string): string {
  return number.padStart(8, '0');
}

/** The office may publish only the number and the end date of a former sole trader. */
function nameByNumber(cell: Cell): string | null {
  const number = cell('ICO').trim();
  if (number === '' || readDate(cell('DDATZAN').trim()) === null) return null;
  return /^\d+$/.test(number) ? padNumber(number) : number;
}

/** Names end with `v likvidaci`, with white space of any length, also in quotes or parentheses. */
const IN_LIQUIDATION = /(?<![\p{L}\p{N}])v\s+likvidaci[^\p{L}\p{N}]*$/iu;

/** The file shows only whether a subject has ended. Liquidation shows only in the name, as its ending `v likvidaci`. */
function readStatus(cell: Cell, { codes }: Context): State {
  const code = cell('ZPZAN').trim();
  const reason = { code, label: codes.get(LISTS.endReason)?.get(code) };
  if (cell('DDATZAN').trim() !== '') return { status: 'dissolved', ...reason };
  if (IN_LIQUIDATION.test(cell('FIRMA'))) return { status: 'in_liquidation', inferredFrom: 'FIRMA', ...reason };
  return { status: 'active', ...reason };
}

/** List 579: the smallest and the largest number of employees of a class. */
const EMPLOYEES = readCodeLists('cz').ranges('employees');
const EMPLOYEES_NOT_STATED = '000';

function readEmployees(cell: Cell, context: Context) {
  const code = cell('KATPO').trim();
  if (code === '' || code === EMPLOYEES_NOT_STATED) return null;
  const range = EMPLOYEES.get(code);
  if (range === undefined) context.report('KATPO', code, 'unknown class of employees');
  return compact({ code, ...range, label: context.codes.get(LISTS.employees)?.get(code) });
}

const EDITIONS: ReadonlyMap<string, string> = new Map([
  [LISTS.nace, '2008'],
  [LISTS.nace2025, '2025'],
]);

/** RES adds `00` and `04` to CZ-NACE for subjects without a known activity: a free trade without a field, and not determined. */
const NO_ACTIVITY = new Set(['', '00', '04']);

type Sources = Map<string, string[]>;

/** The registers that declare a legal form, by its code, or an activity, by its list and code. The rows of list 56 are legal forms. */
function groupDeclared({ rows }: Common): { readonly legalForms: Sources; readonly activities: Sources } {
  const declared = { legalForms: new Map<string, string[]>(), activities: new Map<string, string[]>() };
  for (const row of rows(ACTIVITIES)) {
    const [list, code, source] = [row('KODCIS').trim(), row('HODN').trim(), row('ZDRUD').trim()];
    // A former sole trader has one row without a list.
    if (list === '' || code === '') continue;
    const isForm = String(Number(list)) === LISTS.legalForm;
    const key = isForm ? code : `${Number(list)}/${code}`;
    const sources = declared[isForm ? 'legalForms' : 'activities'].getOrInsertComputed(key, () => []);
    if (source !== '' && !sources.includes(source)) sources.push(source);
  }
  return declared;
}

/** The main activity in both editions of CZ-NACE, then the activities of `res_pf_nace`; each code of a list appears once. */
function listActivities(cell: Cell, context: Context, common: Common): Activity[] {
  const { activities: declared } = groupDeclared(common);
  const found = new Map<string, Activity>();
  const add = (list: string, column: string, code: string, more: Partial<Activity>) => {
    const key = `${list}/${code}`;
    if (NO_ACTIVITY.has(code) || found.has(key)) return;
    const [edition, label] = [EDITIONS.get(list), context.codes.get(list)?.get(code) ?? null];
    const isUnknown = label === null && (context.codes.has(list) || edition === undefined);
    if (isUnknown) context.reportUnknown('activity', column, edition === undefined ? key : code);
    // A list that is not an edition of CZ-NACE is unknown. Its codes are kept under the number of the list.
    const classified = edition === undefined ? { scheme: `ČSÚ ${list}` } : { scheme: 'CZ-NACE', edition };
    const sources = declared.get(key);
    const national = sources && { national: { sources } };
    found.set(key, { type: 'unlicensed', code, label, ...classified, ...more, ...national });
  };
  add(LISTS.nace, 'NACE', cell('NACE').trim(), { main: true });
  add(LISTS.nace2025, 'NACE2025', cell('NACE2025').trim(), { main: true });
  for (const key of declared.keys()) {
    const slash = key.indexOf('/');
    add(key.slice(0, slash), 'HODN', key.slice(slash + 1), {});
  }
  return [...found.values()];
}

/** The texts of the sources by code, once per record: repeated in every activity they would take gigabytes. */
function listDeclared(_cell: Cell, { codes }: Context, common: Common) {
  const { legalForms, activities } = groupDeclared(common);
  const used = new Set([...activities.values(), ...legalForms.values()].flat());
  const texts = codes.get(LISTS.activitySource);
  return {
    listedLegalForms: Array.from(legalForms, ([code, sources]) =>
      compact({ code, label: codes.get(LISTS.legalForm)?.get(code), sources }),
    ),
    activitySources: Object.fromEntries(
      [...used].flatMap((code) => (texts?.has(code) ? [[code, texts.get(code) ?? '']] : [])),
    ),
  };
}

export const cz = defineRegister<CodeTexts>({
  id: 'cz',
  tables: { res_data: { map: mapSubject } },
  writeNumber: padNumber,
  // Leading zeros are often left out.
  numbers: [{ kind: 'IČO', form: /^\d{5,8}$/, write: padNumber, check: isValidNumber }],
  readCodes,
});
