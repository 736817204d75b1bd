import type { Activity, EntityStatus, MapContext, MappedRecord, Registration, Rejection } from '../contract.ts';
import { compact, readText, type Tree, textOf, treeOf, treesOf } from '../parsing.ts';
import type { RegistryOf } from '../vocabulary.ts';
import { readAddress } from './address.ts';
import { isValidNumber } from './number.ts';
import { listParties } from './people.ts';
import {
  listBranches,
  listCompanies,
  listTaxRecords,
  readCapital,
  readContacts,
  readParts,
  readProcedure,
} from './registry.ts';

type Context = MapContext<null>;

const AUTHORITY = 'Міністерство юстиції України';

/** Compared as complete texts: `в стані припинення` (winding up) has the same stem as `припинено` (terminated). */
const STATUSES: ReadonlyMap<string, EntityStatus> = new Map([
  ['зареєстровано', 'active'],
  ['зареєстровано, свідоцтво про державну реєстрацію недійсне', 'active'],
  ['в стані припинення', 'in_liquidation'],
  ['порушено справу про банкрутство', 'insolvent'],
  ['порушено справу про банкрутство (санація)', 'insolvent'],
  ['припинено', 'dissolved'],
  ['скасовано', 'dissolved'],
]);

export function mapSubject(subject: Tree, context: Context): MappedRecord | Rejection {
  const [name, shortName] = [readText(textOf(subject, 'NAME')), readText(textOf(subject, 'SHORT_NAME'))];
  const canonicalName = name ?? shortName;
  if (canonicalName === null) return { rejected: 'no name' };
  const number = readText(textOf(subject, 'EDRPOU'));
  const stan = readText(textOf(subject, 'STAN'));
  const form = readText(textOf(subject, 'OPF'));
  const status = readStatus(stan, context);
  const { days, rest } = readParts(textOf(subject, 'REGISTRATION'), 'REGISTRATION', context);
  const termination = readProcedure(subject, 'TERMINATED_INFO', context);
  const terminationStarted = readProcedure(subject, 'TERMINATION_STARTED_INFO', context);
  const bankruptcy = readProcedure(subject, 'BANKRUPTCY_READJUSTMENT_INFO', context);
  const registeredAt = days[0] ?? null;
  const endedAt = termination.at ?? null;
  const { at: _at, ...ending } = termination;
  const procedures = { in_liquidation: terminationStarted, insolvent: bankruptcy, dissolved: termination };
  const { at: since, reason } = procedures[status as keyof typeof procedures] ?? {};
  const registry: RegistryOf = compact({
    status: compact({ label: stan, since, reason }),
    endedAt,
    recordId: textOf(subject, 'RECORD') || textOf(subject, '@RECORD'),
    otherNames: name === null || shortName === null ? [] : [{ name: shortName, type: 'short' as const }],
    reregisteredAt: days[1],
    capital: readCapital(subject, context),
    parties: listParties(subject),
    management: textOf(subject, 'SUPERIOR_MANAGEMENT'),
    managingBody: textOf(subject, 'EXECUTIVE_POWER') || textOf(treeOf(subject, 'EXECUTIVE_POWER'), 'NAME'),
    purpose: textOf(subject, 'PURPOSE'),
    statute: textOf(subject, 'STATUTE'),
    managingPaper: textOf(subject, 'MANAGING_PAPER'),
    foundingDocumentNumber: textOf(subject, 'FOUNDING_DOCUMENT_NUM'),
    vpDates: textOf(subject, 'VP_DATES'),
    establishments: listBranches(subject, context),
    termination: ending,
    terminationStarted,
    terminationCancelled: textOf(subject, 'TERMINATION_CANCEL_INFO'),
    bankruptcy,
    predecessors: listCompanies(subject, 'PREDECESSORS', 'PREDECESSOR'),
    successors: listCompanies(subject, 'ASSIGNEES', 'ASSIGNEE'),
    taxRecords: listTaxRecords(subject, context),
    currentAuthority: textOf(subject, 'CURRENT_AUTHORITY'),
    contacts: readContacts(textOf(subject, 'CONTACTS')),
    address: readAddress(textOf(subject, 'ADDRESS')),
  });
  return {
    number,
    canonicalName,
    status,
    legalForm: form === null ? null : { label: form },
    registeredAt,
    registrations: listRegistrations(number, rest[0], { status: stan, registeredAt, endedAt }),
    activities: listActivities(subject),
    registry,
  };
}

type Details = Pick<Registration, 'status' | 'registeredAt' | 'endedAt'>;

/** The EDRPOU number and the number of the entry in the register. */
function listRegistrations(number: string | null, entry: string | undefined, details: Details): Registration[] {
  const own = { authority: AUTHORITY, type: 'national' as const };
  return [
    ...(number === null ? [] : [{ ...own, number, numberValid: isValidNumber(number), ...details }]),
    ...(entry === undefined ? [] : [{ ...own, type: 'other' as const, number: entry, ...details, status: null }]),
  ];
}

function readStatus(text: string | null, context: Context): EntityStatus {
  const status = STATUSES.get((text ?? '').replace(/\s+/g, ' ').toLowerCase());
  if (status === undefined) context.reportUnknown('status', 'STAN', text ?? '');
  return status ?? 'unknown';
}

/** Only files from before February 2022 have activities: `KVED`, or `ACTIVITY_KINDS` with one main activity. */
function listActivities(subject: Tree): Activity[] {
  const kinds = treesOf(treeOf(subject, 'ACTIVITY_KINDS'), 'ACTIVITY_KIND').flatMap((kind): Activity[] => {
    const [code, label] = [readText(textOf(kind, 'CODE')), readText(textOf(kind, 'NAME'))];
    const primary = textOf(kind, 'PRIMARY').toLowerCase();
    if (code === null && label === null) return [];
    const main = primary === '' ? {} : { main: primary === 'так' };
    return [{ type: 'unlicensed', code, label, ...classify(code), ...main }];
  });
  return kinds.length > 0 ? removeRepeated(kinds) : readKved(textOf(subject, 'KVED'));
}

/** The main one of several equal activities is kept. */
function removeRepeated(activities: readonly Activity[]): Activity[] {
  const found = new Map<string, Activity>();
  for (const activity of activities) {
    const key = `${activity.code}\n${activity.label}`;
    if (!found.has(key) || activity.main) found.set(key, activity);
  }
  return [...found.values()];
}

/** `62.01 Комп'ютерне програмування` */
function readKved(text: string): Activity[] {
  if (text === '') return [];
  const [, code, label] = /^(\d{2}(?:\.\d{1,2}){0,2})\s*(.*)$/su.exec(text) ?? [];
  if (code === undefined) return [{ type: 'unlicensed', code: null, label: text, ...classify(null) }];
  return [{ type: 'unlicensed', code, label: readText(label ?? ''), ...classify(code), written: text }];
}

/** Activities are registered with a class of KVED-2010 (`62.01`) or with a subclass of KVED-2005 (`72.22.0`). */
function classify(code: string | null) {
  const edition = EDITIONS.find(([pattern]) => code !== null && pattern.test(code))?.[1];
  return { scheme: 'KVED', ...(edition !== undefined && { edition }) };
}

const EDITIONS: readonly (readonly [RegExp, string])[] = [
  [/^\d{2}\.\d{2}$/, '2010'],
  [/^\d{2}\.\d{2}\.\d$/, '2005'],
];
