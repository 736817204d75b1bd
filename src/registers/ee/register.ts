/** Estonia: the e-Business Register, as the daily simple-data CSV or as the more detailed general-data JSON. */
import { fold } from '../../base/fold.ts';
import {
  composeAddress,
  EUROPEAN_STYLE,
  findCountryCode,
  type PlaceMarks,
  readPlaces,
  splitAddress,
} from '../address.ts';
import { checkModulo11 } from '../check-digits.ts';
import { type Activity, type Cell, defineRegister, type EntityStatus, type MapContext } from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { companyFields, fieldsOf, NO_COMMON, type State } from '../fields.ts';
import {
  compact,
  groupContacts,
  readDate,
  readText,
  type Tree,
  takeDistinct,
  textOf,
  treeOf,
  treesOf,
} from '../parsing.ts';
import { describeRecord, otherNumber, ownEnd, ownNumber, ownStatus, reportAs, spread } from '../record.ts';
import type { AddressOf, TypedAddressOf } from '../vocabulary.ts';
import { PARTY_FILES } from './parties.ts';

type Context = MapContext<unknown>;

/** The registry code: seven digits and a check digit. */
export const isValidNumber = checkModulo11([1, 2, 3, 4, 5, 6, 7], [3, 4, 5, 6, 7, 8, 9]);

const lists = readCodeLists('ee');
const [LABELS, STATUSES] = [lists.labels('status'), lists.meanings<EntityStatus>('status')];
const STATUSES_BY_TEXT = lists.meanings<EntityStatus>('status text');
const [KEYS, ADDRESS_COLUMNS] = [lists.meanings('key'), lists.meanings('address column')];
type ContactKind = 'emails' | 'phones' | 'websites' | 'faxes' | 'other';
const CONTACTS = lists.meanings<ContactKind>('contact');

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
  const address = listCurrent(details, 'aadressid')[0] ?? {};
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

/** The entries of a history that have no end date. */
function listCurrent(details: Tree, key: string): readonly Tree[] {
  return treesOf(details, key).filter(isCurrent);
}

function isCurrent(entry: Tree): boolean {
  return textOf(entry, 'lopp_kpv') === '';
}

const { text, day, coded } = companyFields<Company>();
/** The fields of the details, or of an entry in a list of them, by their path. */
const detail = fieldsOf<Tree, unknown>((path) => {
  const key = path.slice(path.lastIndexOf('.') + 1);
  return (entry) => textOf(entry, key);
});
const listOf = (list: string) => (details: Tree) => treesOf(details, list);
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
  currency: detail.parsed(
    (written) => (/^[A-Z]{3}$/.test(written) ? written : null),
    'not a currency code',
  )('yldandmed.kapitalid.kapitali_valuuta'),
  from: periodOf('kapitalid').from,
});
const readAddressPeriod = detail.group(periodOf('aadressid'));
const readActivityPeriod = detail.group(periodOf('teatatud_tegevusalad'));

const readDetails = detail.group({
  statusHistory: detail.each(
    listOf('staatused'),
    detail.group({
      ...{ code: detail.text('staatus'), label: detail.text('staatus_tekstina') },
      ...periodOf('staatused'),
    }),
  ),
  operating: detail.flag('yldandmed.tegutseb_tekstina', { Jah: true, Ei: false }, 'neither Jah nor Ei'),
  registryOffice: detail.text('piirkond_tekstina'),
  previousNames: detail.each(
    (details) => treesOf(details, 'arinimed').filter((entry) => !isCurrent(entry)),
    detail.groupWith(['name'], { name: detail.text('sisu'), ...periodOf('arinimed') }),
  ),
  // All addresses except the first address without an end date, which is the address of the company.
  addresses(details, context, common) {
    const [main] = listCurrent(details, 'aadressid');
    return treesOf(details, 'aadressid').flatMap((entry): TypedAddressOf[] => {
      const address = entry === main ? null : readAddress((key) => textOf(entry, key));
      if (address === null) return [];
      const period = readAddressPeriod(entry, context, common);
      return [{ type: isCurrent(entry) ? 'other' : 'former', ...address, ...period }];
    });
  },
  contacts(details) {
    const entries = listCurrent(details, 'sidevahendid');
    return groupContacts<ContactKind>(
      entries.map((entry) => [CONTACTS.get(textOf(entry, 'liik')) ?? 'other', textOf(entry, 'sisu')]),
    );
  },
  pastActivities: (details, context) =>
    treesOf(details, 'teatatud_tegevusalad')
      .filter((entry) => !isCurrent(entry))
      .map((entry) => {
        const { national, type: _type, ...activity } = readActivity(entry, context);
        return compact({ ...activity, ...national });
      }),
  capital: (details, ...rest) => readCapital(listCurrent(details, 'kapitalid')[0] ?? {}, ...rest),
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
  const current = listCurrent(details, 'teatatud_tegevusalad');
  const sorted = [...current.filter(isMain), ...current.filter((entry) => !isMain(entry))];
  const activities = sorted.map((entry) => readActivity(entry, context));
  const filled = activities.filter(({ code, label }) => code !== null || label !== null);
  return takeDistinct(filled, ({ edition, code, label }) => `${edition} ${code} ${label}`);
}

function isMain(entry: Tree): boolean {
  return entry.on_pohitegevusala === true;
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
    main: isMain(entry),
    national: compact({ naceCode: textOf(entry, 'nace_kood'), ...period }),
  };
}

const ESTONIA = 'EST';
const MARKS: PlaceMarks = { region: / maakond$/, municipality: / vald$/, district: / linnaosa$/, settlement: /./ };

/** The place goes from small to large: `Pirita linnaosa, Tallinn, Harju maakond`, `Türisalu küla, Harku vald`. */
function readAddress(address: Cell): AddressOf | null {
  const { region, municipality, district, city } = readPlaces(splitAddress(address('ehak_nimetus')).reverse(), MARKS);
  const [alpha3, country] = [readText(address('riik')), readText(address('riik_tekstina'))];
  const normalized = readText(address('aadress_ads__ads_normaliseeritud_taisaadress'));
  // Only places in Estonia have a place code.
  const isEstonia = alpha3 === null ? address('ehak').trim() !== '' : alpha3 === ESTONIA;
  const parts = {
    street: readText(address('tanav_maja_korter')),
    postCode: readText(address('postiindeks')),
    ...{ city, municipality, region, district },
  };
  const text =
    readText(address('ettevotja_aadress')) ??
    (EUROPEAN_STYLE({ ...parts, country: isEstonia ? null : country }) || normalized);
  const countryCode = isEstonia ? 'EE' : findCountryCode(country ?? '', ['et']);
  const written = composeAddress({ ...parts, country, countryCode, text }, EUROPEAN_STYLE);
  if (written === null) return null;
  return {
    ...written,
    ...compact({
      normalized,
      placeCode: readText(address('ehak')),
      addressId: readText(address('aadress_ads__adr_id')),
      objectId: readText(address('aadress_ads__ads_oid')),
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
  const status = STATUSES.get(code) ?? STATUSES_BY_TEXT.get(fold(label));
  if (status === undefined)
    context.reportUnknown('status', 'ettevotja_staatus', [written, label].filter(Boolean).join(' '));
  const entry = listCurrent(details, 'staatused').findLast((one) => textOf(one, 'staatus') === code);
  const since = readDate(textOf(entry ?? NO_DETAILS, 'algus_kpv'));
  return { status: status ?? 'unknown', code, label: readText(label) ?? LABELS.get(code) ?? null, since };
}

export const ee = defineRegister({
  id: 'ee',
  tables: { 'lihtandmed (CSV)': { map: (cell, context) => mapCompany(readCsvCompany(cell), context) } },
  trees: {
    'yldandmed (JSON)': { map: (record, context) => mapCompany(readJsonCompany(record), inJson(context)) },
    ...PARTY_FILES,
  },
  numbers: [{ kind: 'registry code', form: /^\d{8}$/, check: isValidNumber }],
});
