/** Level 2, relationship records (RR): parents, head offices of branches, and how funds belong together. */
import type { MapContext, MappedParty, Rejection } from '../contract.ts';
import { parseDay } from '../parsing.ts';
import type { Entry } from './entry.ts';

type Context = MapContext<unknown>;

const ROLES: Readonly<Record<string, MappedParty['role']>> = {
  IS_DIRECTLY_CONSOLIDATED_BY: 'parent',
  IS_ULTIMATELY_CONSOLIDATED_BY: 'ultimate_parent',
  IS_INTERNATIONAL_BRANCH_OF: 'head_office',
  'IS_FUND-MANAGED_BY': 'fund_manager',
  IS_SUBFUND_OF: 'umbrella_fund',
  IS_FEEDER_TO: 'master_fund',
};
const CONSOLIDATING: ReadonlySet<MappedParty['role']> = new Set(['parent', 'ultimate_parent']);
const CONSOLIDATION = [{ type: 'consolidation', share: null }] as const;

/** The record is in force as far as GLEIF knows. Lapsed ones were not renewed in time. */
const IN_FORCE: ReadonlySet<string> = new Set(['PUBLISHED', 'LAPSED', 'PENDING_TRANSFER', 'PENDING_ARCHIVAL']);
/** The record was right, and is not in force any more. */
const ENDED: ReadonlySet<string> = new Set(['RETIRED', 'EXPIRED']);
/** Records that were wrong, or that another record replaces. */
const INVALID: ReadonlySet<string> = new Set(['ANNULLED', 'DUPLICATE', 'TRANSFERRED', 'CANCELLED', 'MERGED']);

const TYPE = 'Relationship.RelationshipType';
const STATUS = 'Registration.RegistrationStatus';

/** The start node is the child, the end node the parent. */
export function mapRelationship(entry: Entry, context: Context): MappedParty | Rejection {
  const company = entry.text('Relationship.StartNode.NodeID');
  const number = entry.text('Relationship.EndNode.NodeID');
  const roleText = entry.text(TYPE);
  const status = entry.text(STATUS);
  if (company === '' || number === '') return { rejected: 'no LEI' };
  if (roleText === '') return { rejected: 'no type of relationship' };
  if (INVALID.has(status)) return { rejected: `a record that is ${status}`, expected: true };
  const role = ROLES[roleText];
  if (role === undefined) context.report(TYPE, roleText, 'unknown type of relationship');
  if (!IN_FORCE.has(status) && !ENDED.has(status)) context.reportUnknown('status', STATUS, status);
  const isLei = entry.text('Relationship.EndNode.NodeIDType') === 'LEI';
  return {
    company,
    key: `${roleText}/${number}`,
    role: role ?? 'other',
    roleText,
    kind: 'organisation',
    name: null,
    number,
    link: isLei ? { register: 'gleif', number } : null,
    countryCode: null,
    interests: role !== undefined && CONSOLIDATING.has(role) ? CONSOLIDATION : [],
    ...readPeriod(entry, context),
    current: IN_FORCE.has(status) && entry.text('Relationship.RelationshipStatus') === 'ACTIVE',
    absence: null,
  };
}

/** The CSV has other names for the parts of a period than the XML and the JSON. */
const PERIODS = [
  {
    path: 'Relationship.RelationshipPeriods.RelationshipPeriod',
    type: 'PeriodType',
    start: 'StartDate',
    end: 'EndDate',
  },
  { path: 'Relationship.Period', type: 'periodType', start: 'startDate', end: 'endDate' },
] as const;

/** Accounting and filing periods are about documents. Of several relationship periods the last one counts. */
function readPeriod(entry: Entry, context: Context): Pick<MappedParty, 'from' | 'until'> {
  let found: Pick<MappedParty, 'from' | 'until'> = { from: null, until: null };
  for (const { path, type, start, end } of PERIODS) {
    for (const period of entry.list(path, [type])) {
      if (period.text(type) !== 'RELATIONSHIP_PERIOD') continue;
      found = {
        from: parseDay(`${path}.${start}`, period.text(start), context),
        until: parseDay(`${path}.${end}`, period.text(end), context),
      };
    }
  }
  return found;
}
