/** Fields that only the general-data JSON has: histories, contacts, activities, capital, annual reports. */
import type { Activity, MapContext } from '../contract.ts';
import { compact, readText, type Tree, textOf, treesOf } from '../parsing.ts';
import type { TypedAddressOf } from '../vocabulary.ts';
import { readAddress } from './address.ts';
import { listCurrent, readJsonAddress } from './company.ts';
import { type AnnualReport, createReader, type Reader } from './reader.ts';

export function readDetails(details: Tree, statusCode: string | null, context: MapContext<null>) {
  const reader = createReader(context);
  const reports = treesOf(details, 'info_majandusaasta_aruannetest').map(reader.readReport);
  const statusHistory = treesOf(details, 'staatused').map((entry) =>
    compact({
      code: textOf(entry, 'staatus'),
      label: textOf(entry, 'staatus_tekstina'),
      ...reader.readPeriod('staatused', entry),
    }),
  );
  return {
    statusSince: statusHistory.findLast(({ code, until }) => code === statusCode && until === undefined)?.from ?? null,
    statusHistory,
    operating: reader.readYesNo(details, 'tegutseb_tekstina'),
    registryOffice: readText(textOf(details, 'piirkond_tekstina')),
    previousNames: listPreviousNames(details, reader),
    addresses: listAddresses(details, reader),
    contacts: readContacts(details),
    ...readActivities(details, reader),
    capital: reader.readCapital(listCurrent(details, 'kapitalid')[0] ?? {}),
    employees: findEmployees(reports),
    annualReports: reports,
  };
}

function listPreviousNames(details: Tree, reader: Reader) {
  return treesOf(details, 'arinimed').flatMap((entry) => {
    const name = readText(textOf(entry, 'sisu'));
    if (name === null || textOf(entry, 'lopp_kpv') === '') return [];
    return [{ name, ...compact(reader.readPeriod('arinimed', entry)) }];
  });
}

/** All addresses but the first one without an end date, which is the address of the company. */
function listAddresses(details: Tree, reader: Reader): TypedAddressOf[] {
  const [main] = listCurrent(details, 'aadressid');
  return treesOf(details, 'aadressid').flatMap((entry): TypedAddressOf[] => {
    const address = entry === main ? null : readAddress(readJsonAddress(entry));
    if (address === null) return [];
    const period = compact(reader.readPeriod('aadressid', entry));
    return [{ type: textOf(entry, 'lopp_kpv') === '' ? 'other' : 'former', ...address, ...period }];
  });
}

/** The current activities, the main one first, each once, and those of the past. Codes of both EMTAK editions occur. */
function readActivities(details: Tree, reader: Reader) {
  const current = listCurrent(details, 'teatatud_tegevusalad');
  const found = new Map<string, Activity>();
  for (const entry of [...current.filter(isMain), ...current.filter((entry) => !isMain(entry))]) {
    const activity = readActivity(entry, reader);
    const key = `${activity.edition} ${activity.code} ${activity.label}`;
    if ((activity.code !== null || activity.label !== null) && !found.has(key)) found.set(key, activity);
  }
  const past = treesOf(details, 'teatatud_tegevusalad').filter((entry) => textOf(entry, 'lopp_kpv') !== '');
  return {
    activities: [...found.values()],
    pastActivities: past.map((entry) => {
      const { national, type: _type, ...activity } = readActivity(entry, reader);
      return compact({ ...activity, ...national });
    }),
  };
}

function isMain(entry: Tree): boolean {
  return entry.on_pohitegevusala === true;
}

function readActivity(entry: Tree, reader: Reader): Activity {
  // `EMTAK 2025`
  const edition = /\d{4}$/.exec(textOf(entry, 'emtak_versioon_tekstina'))?.[0];
  return {
    type: 'unlicensed',
    code: readText(textOf(entry, 'emtak_kood')),
    label: readText(textOf(entry, 'emtak_tekstina')),
    scheme: 'EMTAK',
    ...(edition !== undefined && { edition }),
    main: isMain(entry),
    national: compact({ naceCode: textOf(entry, 'nace_kood'), ...reader.readPeriod('teatatud_tegevusalad', entry) }),
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
