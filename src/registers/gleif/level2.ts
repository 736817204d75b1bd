/** The files of Level 2, in all editions. Their rows are parties of companies, which are identified by their LEI. */
import { CSV, type MapContext, type MappedParty, type Rejection, type SourceDefinition } from '../contract.ts';
import { NO_PARTY_DETAILS } from '../mapped-party.ts';
import { parseDay, type Tree } from '../parsing.ts';
import { createTreeReader, type Entry, readCsvEntry } from './entry.ts';
import type { LegalForms } from './legal-forms.ts';

type Level2Source = SourceDefinition<LegalForms>;
type Context = MapContext<unknown>;
type MapEntry = (entry: Entry, context: Context) => MappedParty | Rejection;

const ITEMS = [1, 2, 3, 4, 5];

const NODES = ['StartNode', 'EndNode'].flatMap((node) => [`${node}.NodeID`, `${node}.NodeIDType`]);
const RELATIONSHIP_COLUMNS = [
  ...[...NODES, 'RelationshipType', 'RelationshipStatus'].map((name) => `Relationship.${name}`),
  ...number('Relationship.Period', ['startDate', 'endDate', 'periodType']),
  ...number('Relationship.Qualifiers', ['QualifierDimension', 'QualifierCategory']),
  ...number('Relationship.Quantifiers', ['MeasurementMethod', 'QuantifierAmount', 'QuantifierUnits']),
  ...['InitialRegistrationDate', 'LastUpdateDate', 'RegistrationStatus', 'NextRenewalDate', 'ManagingLOU'].map(
    inRegistration,
  ),
  ...['ValidationSources', 'ValidationDocuments', 'ValidationReference'].map(inRegistration),
];
const EXCEPTION_COLUMNS = [
  ...['LEI', 'Exception.Category'],
  ...ITEMS.flatMap((item) => [`Exception.Reason.${item}`, `Exception.Reference.${item}`]),
];

function inRegistration(name: string): string {
  return `Registration.${name}`;
}

function number(path: string, names: readonly string[]): string[] {
  return ITEMS.flatMap((item) => names.map((name) => `${path}.${item}.${name}`));
}

const EXCEPTION_KEYS = [
  'LEI',
  'ExceptionCategory',
  'ExceptionReason',
  'ExceptionReference',
  'NextVersion',
  'Extension',
];

export const LEVEL2_SOURCES: readonly Level2Source[] = [
  ...['rr:', ''].map((prefix) =>
    xml('relationships', 'RelationshipRecord', prefix, ['Relationship', 'Registration', 'Extension'], mapRelationship),
  ),
  ...['repex:', ''].map((prefix) => xml('exceptions', 'Exception', prefix, EXCEPTION_KEYS, mapException)),
  // The record itself, or an object with the record as its only value.
  json('relationships', ['RelationshipRecord'], (entry, context) =>
    mapRelationship(entry.at('RelationshipRecord'), context),
  ),
  json('relationships', ['Relationship', 'Registration', 'Extension'], mapRelationship),
  json('exceptions', EXCEPTION_KEYS, mapException),
  csv('relationships', RELATIONSHIP_COLUMNS, 5, mapRelationship),
  csv('exceptions', EXCEPTION_COLUMNS, 2, mapException),
];

/** The first two keys tell the file from others. */
function xml(set: string, element: string, prefix: string, names: readonly string[], map: MapEntry): Level2Source {
  const keys = names.map((name) => prefix + name);
  const read = createTreeReader(prefix, '#text');
  return {
    name: `${set} (XML${prefix === '' ? ', no prefix' : ''})`,
    format: { type: 'xml', element },
    required: keys.slice(0, 2),
    keys: [...keys, '@xmlns', ...['xsi', 'gleif', 'gleif_header', 'rr', 'repex'].map((name) => `@xmlns:${name}`)],
    parties: { set, map: (record: Tree, context: Context) => map(read(record), context) },
  };
}

function json(set: string, keys: readonly string[], map: MapEntry): Level2Source {
  const read = createTreeReader('', '$');
  return {
    name: `${set} (JSON, ${keys[0]})`,
    format: { type: 'json' },
    required: keys.slice(0, 2),
    keys,
    parties: { set, map: (record: Tree, context: Context) => map(read(record), context) },
  };
}

function csv(set: string, columns: readonly string[], required: number, map: MapEntry): Level2Source {
  return {
    name: `${set} (CSV)`,
    csv: CSV,
    columns,
    required: columns.slice(0, required),
    parties: { set, map: (cell, context) => map(readCsvEntry(cell), context) },
  };
}

/** Relationship records (RR): parents, head offices of branches, and how funds belong together. */
const RELATIONSHIPS: Readonly<Record<string, MappedParty['role']>> = {
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
function mapRelationship(entry: Entry, context: Context): MappedParty | Rejection {
  const company = entry.text('Relationship.StartNode.NodeID');
  const number = entry.text('Relationship.EndNode.NodeID');
  const roleText = entry.text(TYPE);
  const status = entry.text(STATUS);
  if (company === '' || number === '') return { rejected: 'no LEI' };
  if (roleText === '') return { rejected: 'no type of relationship' };
  if (INVALID.has(status)) return { rejected: `a record that is ${status}`, expected: true };
  const role = RELATIONSHIPS[roleText];
  if (role === undefined) context.report(TYPE, roleText, 'unknown type of relationship');
  if (!IN_FORCE.has(status) && !ENDED.has(status)) context.reportUnknown('status', STATUS, status);
  const isLei = entry.text('Relationship.EndNode.NodeIDType') === 'LEI';
  return {
    ...NO_PARTY_DETAILS,
    company,
    key: `${roleText}/${number}`,
    role: role ?? 'other',
    roleText,
    kind: 'organisation',
    number,
    link: isLei ? { register: 'gleif', number } : null,
    interests: role !== undefined && CONSOLIDATING.has(role) ? CONSOLIDATION : [],
    ...readPeriod(entry, context),
    current: IN_FORCE.has(status) && entry.text('Relationship.RelationshipStatus') === 'ACTIVE',
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

/** Reporting exceptions (REPEX): why a company names no parent. */
const PARENTS: Readonly<Record<string, MappedParty['role']>> = {
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

function mapException(entry: Entry, context: Context): MappedParty | Rejection {
  const company = entry.text('LEI');
  if (company === '') return { rejected: 'no LEI' };
  const category = entry.text(CATEGORY[0]) || entry.text(CATEGORY[1]);
  const [text = ''] = REASON.flatMap((path) => entry.list(path, [''])).map((reason) => reason.text(''));
  const role = PARENTS[category];
  if (role === undefined) return { rejected: `unknown category ${JSON.stringify(category.slice(0, 80))}` };
  const reason = REASONS[text];
  if (reason === undefined) context.report(REASON[0], text, 'unknown reason');
  return {
    ...NO_PARTY_DETAILS,
    company,
    key: category,
    role,
    roleText: category,
    kind: reason === 'persons' ? 'person' : 'unknown',
    current: true,
    absence: { reason: reason ?? 'not_disclosed', text },
  };
}
