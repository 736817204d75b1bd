/** Level 2, reporting exceptions (REPEX): why a company names no parent. */
import type { MapContext, MappedParty, Rejection } from '../contract.ts';
import type { Entry } from './entry.ts';

const ROLES: Readonly<Record<string, MappedParty['role']>> = {
  DIRECT_ACCOUNTING_CONSOLIDATION_PARENT: 'parent',
  ULTIMATE_ACCOUNTING_CONSOLIDATION_PARENT: 'ultimate_parent',
};

type Absence = NonNullable<MappedParty['absence']>['reason'];

const REASONS: Readonly<Record<string, Absence>> = {
  NON_CONSOLIDATING: 'no_parent',
  NO_KNOWN_PERSON: 'no_parent',
  NATURAL_PERSONS: 'persons',
  NO_LEI: 'no_number',
  NON_PUBLIC: 'not_disclosed',
  // Older versions of the format say why it is not public.
  BINDING_LEGAL_COMMITMENTS: 'not_disclosed',
  LEGAL_OBSTACLES: 'not_disclosed',
  DISCLOSURE_DETRIMENTAL: 'not_disclosed',
  DETRIMENT_NOT_EXCLUDED: 'not_disclosed',
  CONSENT_NOT_OBTAINED: 'not_disclosed',
};

/** The names of the CSV come second. */
const CATEGORY = ['ExceptionCategory', 'Exception.Category'] as const;
const REASON = ['ExceptionReason', 'Exception.Reason'] as const;

export function mapException(entry: Entry, context: MapContext<unknown>): MappedParty | Rejection {
  const company = entry.text('LEI');
  if (company === '') return { rejected: 'no LEI' };
  const category = entry.text(CATEGORY[0]) || entry.text(CATEGORY[1]);
  const [text = ''] = REASON.flatMap((path) => entry.list(path, [''])).map((reason) => reason.text(''));
  const role = ROLES[category];
  if (role === undefined) return { rejected: `unknown category ${JSON.stringify(category.slice(0, 80))}` };
  const reason = REASONS[text];
  if (reason === undefined) context.report(REASON[0], text, 'unknown reason');
  return {
    company,
    key: category,
    role,
    roleText: category,
    kind: reason === 'persons' ? 'person' : 'unknown',
    name: null,
    number: null,
    link: null,
    countryCode: null,
    interests: [],
    from: null,
    until: null,
    current: true,
    absence: { reason: reason ?? 'not_disclosed', text },
  };
}
