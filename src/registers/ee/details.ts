/** The address, and the fields that only the general-data JSON has: histories, contacts, activities, capital, annual reports. */
import {
  composeAddress,
  EUROPEAN_STYLE,
  findCountryCode,
  type PlaceMarks,
  readPlaces,
  splitAddress,
} from '../address.ts';
import type { Activity, Cell, MapContext } from '../contract.ts';
import { fieldsOf, NO_COMMON } from '../fields.ts';
import { compact, readText, type Tree, textOf, treesOf } from '../parsing.ts';
import type { AddressOf, RegistryOf, TypedAddressOf } from '../vocabulary.ts';

type Context = MapContext<unknown>;

const AMOUNT = /^\d{1,15}(\.\d{1,6})?$/;

/** The fields of an entry in a list of `yldandmed`. Problems are reported with the path. */
function entryFields(list: string) {
  const fields = fieldsOf<Tree, unknown>((path) => {
    const key = path.slice(path.lastIndexOf('.') + 1);
    return (entry) => textOf(entry, key);
  });
  const path = (key: string) => ['yldandmed', list, key].filter(Boolean).join('.');
  const day = (key: string) => fields.day(path(key));
  return {
    ...fields,
    day,
    period: { from: day('algus_kpv'), until: day('lopp_kpv') },
    path,
  };
}

const ESTONIA = 'EST';
const LANGUAGES = ['et'];

const MARKS: PlaceMarks = { region: / maakond$/, municipality: / vald$/, district: / linnaosa$/, settlement: /./ };

/** The place goes from small to large: `Pirita linnaosa, Tallinn, Harju maakond`, `Türisalu küla, Harku vald`. */
export function readAddress(address: Cell): AddressOf | null {
  const { region, municipality, district, city } = readPlaces(splitAddress(address('ehak_nimetus')).reverse(), MARKS);
  const [alpha3, country] = [readText(address('riik')), readText(address('riik_tekstina'))];
  // Only places in Estonia have a place code.
  const isEstonia = alpha3 === null ? address('ehak').trim() !== '' : alpha3 === ESTONIA;
  const parts = {
    street: readText(address('tanav_maja_korter')),
    postCode: readText(address('postiindeks')),
    city,
    municipality,
    region,
  };
  const composed = composeAddress({ ...parts, district, country: isEstonia ? null : country }, EUROPEAN_STYLE);
  const written = composeAddress(
    {
      ...parts,
      district,
      country,
      countryCode: isEstonia ? 'EE' : findCountryCode(country ?? '', LANGUAGES),
      text:
        readText(address('ettevotja_aadress')) ??
        composed?.text ??
        readText(address('aadress_ads__ads_normaliseeritud_taisaadress')),
    },
    EUROPEAN_STYLE,
  );
  if (written === null) return null;
  return {
    ...written,
    ...compact({
      normalized: readText(address('aadress_ads__ads_normaliseeritud_taisaadress')),
      placeCode: readText(address('ehak')),
      addressId: readText(address('aadress_ads__adr_id')),
      objectId: readText(address('aadress_ads__ads_oid')),
      countryAlpha3: alpha3,
    }),
  };
}

/** The entries of a history that have no end date. */
export function listCurrent(details: Tree, key: string): readonly Tree[] {
  return treesOf(details, key).filter((entry) => textOf(entry, 'lopp_kpv') === '');
}

const statuses = entryFields('staatused');
const readStatusEntry = statuses.group({
  code: statuses.text('staatus'),
  label: statuses.text('staatus_tekstina'),
  ...statuses.period,
});

const capitals = entryFields('kapitalid');
const readCapital = capitals.group({
  amount: capitals.parsed(
    (written) => (AMOUNT.test(written) ? Number(written) : null),
    'not a number',
  )(capitals.path('kapitali_suurus')),
  currency: capitals.parsed(
    (written) => (/^[A-Z]{3}$/.test(written) ? written : null),
    'not a currency code',
  )(capitals.path('kapitali_valuuta')),
  from: capitals.period.from,
});

const reports = entryFields('info_majandusaasta_aruannetest');
const readReport = reports.group({
  from: reports.day('majandusaasta_perioodi_algus_kpv'),
  until: reports.day('majandusaasta_perioodi_lopp_kpv'),
  employees: reports.whole(reports.path('tootajate_arv')),
});
type AnnualReport = NonNullable<ReturnType<typeof readReport>>;

const general = entryFields('');
const readOperating = general.flag(general.path('tegutseb_tekstina'), { Jah: true, Ei: false }, 'neither Jah nor Ei');

const readNamePeriod = readPeriod('arinimed');
const readAddressPeriod = readPeriod('aadressid');
const readActivityPeriod = readPeriod('teatatud_tegevusalad');

function readPeriod(list: string) {
  const { group, period } = entryFields(list);
  const read = group(period);
  return (entry: Tree, context: Context) => read(entry, context, NO_COMMON) ?? {};
}

interface Details {
  readonly statusSince: string | null;
  readonly activities: readonly Activity[];
  readonly registry: RegistryOf;
}

export function readDetails(details: Tree, statusCode: string, context: Context): Details {
  const each = <Value>(key: string, read: (entry: Tree, context: Context, common: typeof NO_COMMON) => Value | null) =>
    treesOf(details, key).flatMap((entry) => read(entry, context, NO_COMMON) ?? []);
  const annualReports = treesOf(details, 'info_majandusaasta_aruannetest').map(
    (entry): AnnualReport => readReport(entry, context, NO_COMMON) ?? {},
  );
  const statusHistory = each('staatused', readStatusEntry);
  const [capital = {}] = listCurrent(details, 'kapitalid');
  const past = treesOf(details, 'teatatud_tegevusalad').filter((entry) => textOf(entry, 'lopp_kpv') !== '');
  return {
    statusSince: statusHistory.findLast(({ code, until }) => code === statusCode && until === undefined)?.from ?? null,
    activities: listActivities(details, context),
    registry: compact({
      statusHistory,
      operating: readOperating(details, context, NO_COMMON),
      registryOffice: textOf(details, 'piirkond_tekstina'),
      previousNames: each('arinimed', (entry) => {
        const name = textOf(entry, 'sisu');
        return name === '' || textOf(entry, 'lopp_kpv') === '' ? null : { name, ...readNamePeriod(entry, context) };
      }),
      addresses: listAddresses(details, context),
      contacts: readContacts(details),
      pastActivities: past.map((entry) => {
        const { national, type: _type, ...activity } = readActivity(entry, context);
        return compact({ ...activity, ...national });
      }),
      capital: readCapital(capital, context, NO_COMMON),
      employees: findEmployees(annualReports),
      annualReports,
    }),
  };
}

/** All addresses but the first one without an end date, which is the address of the company. */
function listAddresses(details: Tree, context: Context): TypedAddressOf[] {
  const [main] = listCurrent(details, 'aadressid');
  return treesOf(details, 'aadressid').flatMap((entry): TypedAddressOf[] => {
    const address = entry === main ? null : readAddress((key) => textOf(entry, key));
    if (address === null) return [];
    const period = readAddressPeriod(entry, context);
    return [{ type: textOf(entry, 'lopp_kpv') === '' ? 'other' : 'former', ...address, ...period }];
  });
}

/** The current activities, the main one first, each once. Codes of both EMTAK editions occur. */
function listActivities(details: Tree, context: Context): Activity[] {
  const current = listCurrent(details, 'teatatud_tegevusalad');
  const found = new Map<string, Activity>();
  for (const entry of [...current.filter(isMain), ...current.filter((entry) => !isMain(entry))]) {
    const activity = readActivity(entry, context);
    const key = `${activity.edition} ${activity.code} ${activity.label}`;
    if ((activity.code !== null || activity.label !== null) && !found.has(key)) found.set(key, activity);
  }
  return [...found.values()];
}

function isMain(entry: Tree): boolean {
  return entry.on_pohitegevusala === true;
}

function readActivity(entry: Tree, context: Context): Activity {
  // `EMTAK 2025`
  const edition = /\d{4}$/.exec(textOf(entry, 'emtak_versioon_tekstina'))?.[0];
  return {
    type: 'unlicensed',
    code: readText(textOf(entry, 'emtak_kood')),
    label: readText(textOf(entry, 'emtak_tekstina')),
    scheme: 'EMTAK',
    ...(edition !== undefined && { edition }),
    main: isMain(entry),
    national: compact({ naceCode: textOf(entry, 'nace_kood'), ...readActivityPeriod(entry, context) }),
  };
}

type ContactKind = 'emails' | 'phones' | 'websites' | 'faxes';
const CONTACTS: ReadonlyMap<string, ContactKind> = new Map([
  ['EMAIL', 'emails'],
  ['MOB', 'phones'],
  ['TEL', 'phones'],
  ['WWW', 'websites'],
  ['FAX', 'faxes'],
]);

/** Current contacts, each value once. Those of other types (`MUU`) are national. */
function readContacts(details: Tree) {
  const lists: Partial<Record<ContactKind | 'other', string[]>> = {};
  for (const entry of listCurrent(details, 'sidevahendid')) {
    const value = textOf(entry, 'sisu');
    const kind: ContactKind | 'other' = CONTACTS.get(textOf(entry, 'liik')) ?? 'other';
    if (value === '' || lists[kind]?.includes(value)) continue;
    lists[kind] = [...(lists[kind] ?? []), value];
  }
  return lists;
}

/** The number in the newest report that states one, whatever the order of the list. */
function findEmployees(reports: readonly AnnualReport[]) {
  let newest: AnnualReport = {};
  for (const report of reports) {
    if (report.employees !== undefined && (report.until ?? '') >= (newest.until ?? '')) newest = report;
  }
  return newest.employees === undefined ? null : compact({ count: newest.employees, asOf: newest.until });
}
