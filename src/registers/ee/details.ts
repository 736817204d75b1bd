/** Fields that only the general-data JSON has: histories, contacts, activities, capital, annual reports. */
import type { Activity, MapContext } from '../contract.ts';
import {
  type ContactList,
  compact,
  createContacts,
  readCount,
  readDate,
  readText,
  type Tree,
  textOf,
  treesOf,
} from '../parsing.ts';
import { listCurrent } from './company.ts';

export function readDetails(details: Tree, context: MapContext<null>) {
  const reader = createReader(context);
  const reports = treesOf(details, 'info_majandusaasta_aruannetest').map(reader.readReport);
  return {
    operating: reader.readYesNo(details, 'tegutseb_tekstina'),
    registryOffice: readText(textOf(details, 'piirkond_tekstina')),
    previousNames: treesOf(details, 'arinimed')
      .filter((entry) => textOf(entry, 'lopp_kpv') !== '')
      .map((entry) => compact({ name: readText(textOf(entry, 'sisu')), ...reader.readPeriod('arinimed', entry) })),
    statusHistory: treesOf(details, 'staatused').map((entry) =>
      compact({
        code: textOf(entry, 'staatus'),
        status: textOf(entry, 'staatus_tekstina'),
        ...reader.readPeriod('staatused', entry),
      }),
    ),
    ...readContacts(details),
    declaredActivities: treesOf(details, 'teatatud_tegevusalad').map(reader.readActivity),
    capital: reader.readCapital(listCurrent(details, 'kapitalid')[0] ?? {}),
    employees: findEmployees(reports),
    annualReports: reports,
  };
}

/** The activities that are declared now, the main one first. Codes of EMTAK 2008 and EMTAK 2025 occur side by side. */
export function listActivities(details: Tree): Activity[] {
  const current = listCurrent(details, 'teatatud_tegevusalad');
  const main = current.filter((entry) => entry.on_pohitegevusala === true);
  const found = new Map<string, Activity>();
  for (const entry of [...main, ...current]) {
    const code = readText(textOf(entry, 'emtak_kood'));
    const label = readText(textOf(entry, 'emtak_tekstina'));
    if (code !== null || label !== null) found.set(`${code} ${label}`, { type: 'unlicensed', code, label });
  }
  return [...found.values()];
}

const CONTACTS: ReadonlyMap<string, ContactList> = new Map([
  ['EMAIL', 'emails'],
  ['MOB', 'phones'],
  ['TEL', 'phones'],
  ['WWW', 'websites'],
  ['FAX', 'faxes'],
]);

function readContacts(details: Tree) {
  const { lists, add } = createContacts(CONTACTS);
  for (const entry of listCurrent(details, 'sidevahendid')) {
    const content = readText(textOf(entry, 'sisu'));
    if (content !== null) add(textOf(entry, 'liik'), content);
  }
  return lists;
}

interface AnnualReport {
  readonly from?: string;
  readonly until?: string;
  readonly employees?: number;
}

/** The number in the newest report that states one, whatever the order of the list. */
function findEmployees(reports: readonly AnnualReport[]): number | null {
  let newest: AnnualReport = {};
  for (const report of reports) {
    if (report.employees !== undefined && (report.until ?? '') >= (newest.until ?? '')) newest = report;
  }
  return newest.employees ?? null;
}

const YES_NO: ReadonlyMap<string, boolean> = new Map([
  ['Jah', true],
  ['Ei', false],
]);
const AMOUNT = /^\d{1,15}(\.\d{1,6})?$/;

/** Parsers that report an unreadable value with its path in the file. */
function createReader(context: MapContext<null>) {
  function read<T>(value: string, parse: (value: string) => T | null, path: string, problem: string): T | null {
    if (value.trim() === '') return null;
    const parsed = parse(value.trim());
    if (parsed === null) context.report(`yldandmed.${path}`, value, problem);
    return parsed;
  }
  const day = (list: string, entry: Tree, key: string) =>
    read(textOf(entry, key), readDate, `${list}.${key}`, 'not a date');
  const readPeriod = (list: string, entry: Tree) => ({
    from: day(list, entry, 'algus_kpv'),
    until: day(list, entry, 'lopp_kpv'),
  });
  return {
    readPeriod,
    readYesNo: (details: Tree, key: string) =>
      read(textOf(details, key), (value) => YES_NO.get(value) ?? null, key, 'neither Jah nor Ei'),
    readActivity: (entry: Tree) =>
      compact({
        code: textOf(entry, 'emtak_kood'),
        label: textOf(entry, 'emtak_tekstina'),
        scheme: textOf(entry, 'emtak_versioon_tekstina'),
        nace: textOf(entry, 'nace_kood'),
        main: entry.on_pohitegevusala === true,
        ...readPeriod('teatatud_tegevusalad', entry),
      }),
    readCapital: (entry: Tree) =>
      compact({
        amount: read(
          textOf(entry, 'kapitali_suurus'),
          (value) => (AMOUNT.test(value) ? Number(value) : null),
          'kapitalid.kapitali_suurus',
          'not a number',
        ),
        currency: textOf(entry, 'kapitali_valuuta'),
        from: day('kapitalid', entry, 'algus_kpv'),
      }),
    readReport: (entry: Tree): AnnualReport => {
      const list = 'info_majandusaasta_aruannetest';
      const employees = textOf(entry, 'tootajate_arv');
      return compact({
        from: day(list, entry, 'majandusaasta_perioodi_algus_kpv'),
        until: day(list, entry, 'majandusaasta_perioodi_lopp_kpv'),
        employees: read(employees, readCount, `${list}.tootajate_arv`, 'not a whole number'),
      });
    },
  };
}
