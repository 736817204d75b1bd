import type { Activity, EntityStatus, MapContext, MappedRecord, Rejection } from '../contract.ts';
import { compact, parseDay, readText, type Tree, textOf, treeOf } from '../parsing.ts';
import { isValidNumber } from './number.ts';
import { listBranches, listPeople, listTaxRecords, readBankruptcy, readCapital } from './registry.ts';

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
  const canonicalName = readText(textOf(subject, 'NAME')) ?? readText(textOf(subject, 'SHORT_NAME'));
  if (canonicalName === null) return { rejected: 'no name' };
  const number = readText(textOf(subject, 'EDRPOU'));
  const status = readText(textOf(subject, 'STAN'));
  const registration = readParts(subject, 'REGISTRATION', context);
  const termination = readParts(subject, 'TERMINATED_INFO', context);
  const registeredAt = registration.days[0] ?? null;
  const endedAt = termination.days[0] ?? null;
  const national = { authority: AUTHORITY, type: 'national', status, registeredAt, endedAt };
  return {
    number,
    canonicalName,
    status: readStatus(status, context),
    legalForm: readText(textOf(subject, 'OPF')),
    registeredAt,
    registrations: number === null ? [] : [{ ...national, number }],
    activities: listActivities(textOf(subject, 'KVED')),
    registry: compact({
      numberValid: number === null ? null : isValidNumber(number),
      recordId: textOf(subject, 'RECORD'),
      shortName: textOf(subject, 'SHORT_NAME'),
      registrationNumber: registration.rest[0],
      reregisteredAt: registration.days[1],
      capital: readCapital(subject, context),
      founders: listPeople(subject, 'FOUNDERS', 'FOUNDER'),
      beneficiaries: listPeople(subject, 'BENEFICIARIES', 'BENEFICIARY'),
      signers: listPeople(subject, 'SIGNERS', 'SIGNER'),
      head: textOf(subject, 'BOSS'),
      management: textOf(subject, 'SUPERIOR_MANAGEMENT'),
      managingBody: textOf(subject, 'EXECUTIVE_POWER'),
      members: listPeople(subject, 'MEMBERS', 'MEMBER'),
      purpose: textOf(subject, 'PURPOSE'),
      statute: textOf(subject, 'STATUTE'),
      managingPaper: textOf(subject, 'MANAGING_PAPER'),
      foundingDocumentNumber: textOf(subject, 'FOUNDING_DOCUMENT_NUM'),
      vpDates: textOf(subject, 'VP_DATES'),
      branches: listBranches(subject),
      termination:
        endedAt === null ? null : compact({ at: endedAt, number: termination.rest[0], reason: termination.rest[1] }),
      terminationStarted: textOf(subject, 'TERMINATION_STARTED_INFO'),
      terminationCancelled: textOf(subject, 'TERMINATION_CANCEL_INFO'),
      bankruptcy: readBankruptcy(treeOf(subject, 'BANKRUPTCY_READJUSTMENT_INFO'), context),
      predecessors: listPeople(subject, 'PREDECESSORS', 'PREDECESSOR'),
      successors: listPeople(subject, 'ASSIGNEES', 'ASSIGNEE'),
      taxRecords: listTaxRecords(subject, context),
      address: compact({ text: textOf(subject, 'ADDRESS') }),
    }),
  };
}

function readStatus(text: string | null, context: Context): EntityStatus {
  const status = STATUSES.get((text ?? '').toLowerCase());
  if (status === undefined) context.report('STAN', text ?? '', 'unknown status');
  return status ?? 'unknown';
}

const DATE_SHAPED = /^\d{2}\.\d{2}\.\d{4}$/;

/** Splits `DD.MM.YYYY; DD.MM.YYYY; number` into its dates and the other parts. Any part may be missing. */
function readParts(subject: Tree, key: string, context: Context): { days: string[]; rest: string[] } {
  const parts = textOf(subject, key)
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const days = parts.filter((part) => DATE_SHAPED.test(part)).map((part) => parseDay(key, part, context));
  return { days: days.filter((day) => day !== null), rest: parts.filter((part) => !DATE_SHAPED.test(part)) };
}

/** `62.01 Комп'ютерне програмування`. Only files from before February 2022 have it. */
function listActivities(text: string): Activity[] {
  if (text === '') return [];
  const [, code, label] = /^(\d{2}(?:\.\d{1,2}){0,2})\s*(.*)$/su.exec(text) ?? [];
  return [{ type: 'unlicensed', code: code ?? null, label: readText(label ?? (code === undefined ? text : '')) }];
}
