/** Estonia: the e-Business Register, as the daily simple-data CSV or as the more detailed general-data JSON, and its files of persons. */
import { fold } from '../../base/fold.ts';
import { composeAddress, EUROPEAN_STYLE, findCountryCode, type PlaceMarks, readPlaces } from '../address.ts';
import { checkModulo11 } from '../check-digits.ts';
import {
  type Activity,
  type Cell,
  defineRegister,
  type EntityStatus,
  type MapContext,
  type MappedParty,
} from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { companyFields, fieldsOf, histories, itemFields, NO_COMMON, type State } from '../fields.ts';
import {
  compact,
  groupContacts,
  readAmount,
  readDate,
  readText,
  splitList,
  type Tree,
  takeDistinct,
  textOf,
  treeOf,
  treesOf,
} from '../parsing.ts';
import {
  describeParty,
  describeRecord,
  otherNumber,
  ownEnd,
  ownNumber,
  ownStatus,
  reportAs,
  spread,
} from '../record.ts';
import type { AddressOf, ContactKind } from '../vocabulary.ts';

type Context = MapContext<unknown>;

/** The registry code: seven digits and a check digit. */
const isValidNumber = checkModulo11([1, 2, 3, 4, 5, 6, 7], [3, 4, 5, 6, 7, 8, 9]);

const lists = readCodeLists('ee');
const [LABELS, STATUSES] = [lists.labels('status'), lists.meanings<EntityStatus>('status')];
const [KEYS, ADDRESS_COLUMNS] = [lists.meanings('key'), lists.meanings('address column')];
const [FOREIGN, FOREIGN_FORMS] = [lists.meanings('foreign'), lists.labels('foreign')];

/** A company of either file, by the columns of the CSV. */
interface Company {
  readonly cell: Cell;
  /** The address, by the keys of the JSON. */
  readonly address: Cell;
  /** What only the JSON has; an empty object for the CSV. */
  readonly details: Tree;
}

const NO_DETAILS: Tree = {};

function readCsvCompany(cell: Cell): Company {
  return { cell, address: (key) => cell(ADDRESS_COLUMNS.get(key) ?? ''), details: NO_DETAILS };
}

function readJsonCompany(record: Tree): Company {
  const details = treeOf(record, 'yldandmed');
  const number = textOf(record, 'ariregistri_kood');
  const [address = NO_DETAILS] = listAddresses(details);
  return {
    cell(column) {
      if (column === 'nimi') return textOf(record, 'nimi');
      // The registry code is a JSON number, so its leading zeros are restored.
      if (column === 'ariregistri_kood') return number === '' ? '' : number.padStart(8, '0');
      const key = KEYS.get(column);
      return key === undefined ? '' : textOf(details, key);
    },
    address: (key) => textOf(address, key),
    details,
  };
}

/** Problems of the JSON edition are reported under the names of the keys in the JSON. */
const inJson = reportAs((column) => (KEYS.has(column) ? `yldandmed.${KEYS.get(column)}` : column));

const { isCurrent, current } = histories('algus_kpv', 'lopp_kpv');
const listAddresses = current('aadressid');

const { text, day, coded } = companyFields<Company>();
/** The fields of the details, or of an entry in a list of them, by their path. */
const detail = itemFields();
const listOf = (list: string) => (details: Tree) => treesOf(details, list);
const pastOf = (list: string) => (details: Tree) => treesOf(details, list).filter((entry) => !isCurrent(entry));
const periodOf = (list: string) => ({
  from: detail.day(`yldandmed.${list}.algus_kpv`),
  until: detail.day(`yldandmed.${list}.lopp_kpv`),
});

const REPORTS = 'info_majandusaasta_aruannetest';
const readReports = detail.all(
  listOf(REPORTS),
  detail.group({
    from: detail.day(`yldandmed.${REPORTS}.majandusaasta_perioodi_algus_kpv`),
    until: detail.day(`yldandmed.${REPORTS}.majandusaasta_perioodi_lopp_kpv`),
    employees: detail.whole(`yldandmed.${REPORTS}.tootajate_arv`),
  }),
);
const readCapital = detail.group({
  amount: detail.parsed(
    (written) => (/^\d{1,15}(\.\d{1,6})?$/.test(written) ? Number(written) : null),
    'not a number',
  )('yldandmed.kapitalid.kapitali_suurus'),
  currency: detail.matching('yldandmed.kapitalid.kapitali_valuuta', /^[A-Z]{3}$/, 'not a currency code'),
  from: periodOf('kapitalid').from,
});
const readActivityPeriod = detail.group(periodOf('teatatud_tegevusalad'));

const readDetails = detail.group({
  statusHistory: detail.each(
    listOf('staatused'),
    detail.group({ code: detail.text('staatus'), label: detail.text('staatus_tekstina'), ...periodOf('staatused') }),
  ),
  operating: detail.flag('yldandmed.tegutseb_tekstina', { Jah: true, Ei: false }, 'neither Jah nor Ei'),
  registryOffice: detail.text('piirkond_tekstina'),
  previousNames: detail.each(
    pastOf('arinimed'),
    detail.groupWith(['name'], { name: detail.text('sisu'), ...periodOf('arinimed') }),
  ),
  // All addresses except the first address without an end date, which is the address of the company.
  addresses: detail.each(
    (details) => {
      const [main] = listAddresses(details);
      return treesOf(details, 'aadressid').filter((entry) => entry !== main);
    },
    detail.typed(
      (entry) => (isCurrent(entry) ? 'other' : 'former'),
      (entry) => readAddress((key) => textOf(entry, key)),
      detail.group(periodOf('aadressid')),
    ),
  ),
  contacts: (details) =>
    groupContacts(
      current('sidevahendid')(details).map((entry) => [
        lists.meanings<ContactKind>('contact').get(textOf(entry, 'liik')) ?? 'other',
        textOf(entry, 'sisu'),
      ]),
    ),
  pastActivities: (details, context) =>
    pastOf('teatatud_tegevusalad')(details).map((entry) => {
      const { national, type: _type, ...activity } = readActivity(entry, context);
      return compact({ ...activity, ...national });
    }),
  capital: (details, ...rest) => readCapital(current('kapitalid')(details)[0] ?? {}, ...rest),
});

/** The number in the newest report that states one, whatever the order of the list. */
function findEmployees(reports: NonNullable<ReturnType<typeof readReports>>) {
  let newest: (typeof reports)[number] = {};
  for (const report of reports) {
    if (report.employees !== undefined && (report.until ?? '') >= (newest.until ?? '')) newest = report;
  }
  return newest.employees === undefined ? null : compact({ count: newest.employees, asOf: newest.until });
}

/** The current activities, each once, with the main activity first. Codes of both EMTAK editions occur. */
function listActivities({ details }: Company, context: Context): Activity[] {
  const activities = current('teatatud_tegevusalad')(details)
    .map((entry) => readActivity(entry, context))
    .filter(({ code, label }) => code !== null || label !== null)
    .sort((one, other) => Number(other.main) - Number(one.main));
  return takeDistinct(activities, ({ edition, code, label }) => `${edition} ${code} ${label}`);
}

function readActivity(entry: Tree, context: Context): Activity {
  // The text of the edition is written as `EMTAK 2025`.
  const edition = /\d{4}$/.exec(textOf(entry, 'emtak_versioon_tekstina'))?.[0];
  const period = readActivityPeriod(entry, context, NO_COMMON);
  return {
    type: 'unlicensed',
    code: readText(textOf(entry, 'emtak_kood')),
    label: readText(textOf(entry, 'emtak_tekstina')),
    scheme: 'EMTAK',
    ...(edition !== undefined && { edition }),
    main: entry.on_pohitegevusala === true,
    national: compact({ naceCode: textOf(entry, 'nace_kood'), ...period }),
  };
}

const MARKS: PlaceMarks = { region: / maakond$/, municipality: / vald$/, district: / linnaosa$/, settlement: /./ };

/** The place goes from small to large: `Pirita linnaosa, Tallinn, Harju maakond`, `Türisalu küla, Harku vald`. */
function readAddress(address: Cell): AddressOf | null {
  const read = (key: string) => readText(address(key));
  const { region, municipality, district, city } = readPlaces(splitList(address('ehak_nimetus'), ',').reverse(), MARKS);
  const [alpha3, country, placeCode] = [read('riik'), read('riik_tekstina'), read('ehak')];
  const normalized = read('aadress_ads__ads_normaliseeritud_taisaadress');
  // Only places in Estonia have a place code.
  const isEstonia = alpha3 === null ? placeCode !== null : alpha3 === 'EST';
  const parts = {
    street: read('tanav_maja_korter'),
    postCode: read('postiindeks'),
    ...{ city, municipality, region, district },
  };
  const text =
    read('ettevotja_aadress') ?? (EUROPEAN_STYLE({ ...parts, country: isEstonia ? null : country }) || normalized);
  const countryCode = isEstonia ? 'EE' : findCountryCode(country ?? '', 'et');
  const written = composeAddress({ ...parts, country, countryCode, text }, EUROPEAN_STYLE);
  if (written === null) return null;
  return {
    ...written,
    ...compact({
      normalized,
      placeCode,
      addressId: read('aadress_ads__adr_id'),
      objectId: read('aadress_ads__ads_oid'),
      countryAlpha3: alpha3,
    }),
  };
}

const mapCompany = describeRecord<Company, unknown>({
  name: text('nimi'),
  number: text('ariregistri_kood'),
  registeredAt: day('ettevotja_esmakande_kpv'),
  endedAt: day('kustutamise_kpv'),
  status: readStatus,
  // The register writes legal forms as text, so there is no list of legal forms.
  legalForm: coded('oiguslik_vorm', 'ettevotja_oiguslik_vorm'),
  registrations: [ownNumber('RIK', isValidNumber), otherNumber('Maksu- ja Tolliamet', 'vat', text('kmkr_nr'))],
  activities: listActivities,
  registry: {
    status: ownStatus,
    endedAt: ownEnd,
    legalFormSubtype: text('ettevotja_oigusliku_vormi_alaliik'),
    address: ({ address }) => readAddress(address),
    link: text('teabesysteemi_link'),
    details: spread(({ details }, ...rest) => (details === NO_DETAILS ? null : readDetails(details, ...rest))),
    reports: spread(({ details }, ...rest) => {
      const annualReports = readReports(details, ...rest) ?? [];
      return compact({ employees: findEmployees(annualReports), annualReports });
    }),
  },
});

/** The code decides. The text is used if the code is missing or unknown: some statuses are known by their text only. */
function readStatus({ cell, details }: Company, context: Context): State {
  const [written, label] = [cell('ettevotja_staatus'), cell('ettevotja_staatus_tekstina')];
  const code = written.trim().toUpperCase();
  const status = STATUSES.get(code) ?? lists.meanings<EntityStatus>('status text').get(fold(label));
  if (status === undefined)
    context.reportUnknown('status', 'ettevotja_staatus', [written, label].filter(Boolean).join(' '));
  const entry = current('staatused')(details).findLast((one) => textOf(one, 'staatus') === code);
  const since = readDate(textOf(entry ?? NO_DETAILS, 'algus_kpv'));
  return { status: status ?? 'unknown', code, label: readText(label) ?? LABELS.get(code) ?? null, since };
}

/** A person of a file of persons. */
interface Person {
  readonly company: string;
  readonly person: Tree;
  readonly isMember: boolean;
}

/** Members of a building association. */
const MEMBERS = 'hooneyhistu_liikmed';
const PLEDGES = 'osapandid_tingimuslikud_voorandamised';

/**
 * Describes a file of persons. Each object has all persons of a company, in one or more lists; every person becomes a row of its own, with the
 * other values of the object.
 */
function describePersons(...lists: readonly [string, ...string[]]) {
  const split = (record: Tree) => {
    const common = Object.fromEntries(Object.entries(record).filter(([key]) => !lists.includes(key)));
    return lists.flatMap((key) => treesOf(record, key).map((item): Tree => ({ ...common, [key]: [item] })));
  };
  const map = (row: Tree, context: MapContext<null>) => {
    if (PLEDGES in row) return { rejected: 'a pledge of shares', expected: true } as const;
    const isMember = MEMBERS in row;
    const [person = {}] = treesOf(row, isMember ? MEMBERS : lists[0]);
    return mapPerson({ company: textOf(row, 'ariregistri_kood'), person, isMember }, context);
  };
  return { parties: { split, map } };
}

const personal = fieldsOf<Person, unknown>(
  (key) =>
    ({ person }) =>
      textOf(person, key),
);
const [readRoleCode, readRoleText] = [personal.text('isiku_roll'), personal.text('isiku_roll_tekstina')];

function isOrganisation(person: Tree): boolean {
  return textOf(person, 'isiku_tyyp') === 'J';
}

function nameParty({ person }: Person): string | null {
  const firstName = isOrganisation(person) ? '' : textOf(person, 'eesnimi');
  return `${firstName} ${textOf(person, 'nimi_arinimi')}`.trim() || null;
}

function findRole({ person, isMember }: Person): MappedParty['role'] {
  if (isMember) return 'member';
  const text = fold(textOf(person, 'isiku_roll_tekstina'));
  return (
    lists.meanings<MappedParty['role']>('role').get(textOf(person, 'isiku_roll')) ??
    lists.meanings<MappedParty['role']>('role text').get(text) ??
    'other'
  );
}

const mapPerson = describeParty<Person, null>({
  needs: { company: 'no registry code', name: 'no name' },
  company: ({ company }) => (company === '' ? null : company.padStart(8, '0')),
  key: personal.first(personal.text('kirje_id'), (...row) => `${readRoleCode(...row) ?? ''}/${nameParty(row[0])}`),
  role: findRole,
  roleText: personal.first(readRoleText, readRoleCode),
  name: nameParty,
  interests: (row, context) =>
    findRole(row) === 'shareholder' ? [{ type: 'shares', share: readShare(row.person, context) }] : null,
  from: personal.day('algus_kpv'),
  until: personal.day('lopp_kpv'),
  current: ({ person }) => readDate(textOf(person, 'lopp_kpv')) === null,
  more: { fields: ({ person }) => identify(person) },
});

function identify(person: Tree) {
  if (!isOrganisation(person)) return { kind: textOf(person, 'isiku_tyyp') === 'F' ? 'person' : 'unknown' };
  const kind = 'organisation';
  const number = textOf(person, 'isikukood_registrikood');
  if (number !== '') {
    const link = /^\d{7,8}$/.test(number) ? { register: 'ee', number: number.padStart(8, '0') } : null;
    return { kind, number, link, countryCode: 'EE' };
  }
  const [foreign, country] = [textOf(person, 'valis_kood'), textOf(person, 'valis_kood_riik')];
  const [register, form] = [FOREIGN.get(country), FOREIGN_FORMS.get(country) ?? ''];
  const link = register !== undefined && new RegExp(form).test(foreign) ? { register, number: foreign } : null;
  const name = textOf(person, 'valis_kood_riik_tekstina') || textOf(person, 'aadress_riik_tekstina');
  return { kind, number: readText(foreign), link, countryCode: findCountryCode(name, 'et') };
}

/** A share of several owners (`osaluse_omandiliik` other than L) is repeated for each owner, so an owner has at most this share. */
function readShare(person: Tree, context: MapContext<null>) {
  const written = textOf(person, 'osaluse_protsent');
  const percent = readAmount(written);
  if (percent === null || percent < 0 || percent > 100) {
    if (written !== '') context.report('osanikud.osaluse_protsent', written, 'not a percentage');
    return null;
  }
  // Percentages are rounded, so 0 is a very small share.
  if (percent === 0) return null;
  return textOf(person, 'osaluse_omandiliik') === 'L' ? { exact: percent } : { max: percent };
}

export const ee = defineRegister({
  id: 'ee',
  tables: { 'lihtandmed (CSV)': { map: (cell, context) => mapCompany(readCsvCompany(cell), context) } },
  trees: {
    'yldandmed (JSON)': { map: (record, context) => mapCompany(readJsonCompany(record), inJson(context)) },
    'kaardile_kantud_isikud (JSON)': describePersons('kaardile_kantud_isikud', MEMBERS),
    'kandevalised_isikud (JSON)': describePersons('kaardivalised_isikud'),
    'osanikud (JSON)': describePersons('osanikud', PLEDGES),
  },
  numbers: [{ kind: 'registry code', form: /^\d{8}$/, check: isValidNumber }],
});
