/** The files of Level 2, in all editions. Their rows are parties of companies, which are identified by their LEI. */
import type { Cell, MapContext, MappedParty } from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { fieldsOf, NO_COMMON } from '../fields.ts';
import { parseDay, type Tree } from '../parsing.ts';
import { describeParty } from '../record.ts';
import { createTreeReader, type Entry, readCsvEntry } from './entry.ts';

type Context = MapContext<unknown>;
type MapEntry = ReturnType<typeof describeParty<Entry, unknown>>;
type Absence = NonNullable<MappedParty['absence']>;

const lists = readCodeLists('gleif');
const STATES = lists.meanings<'current' | 'ended' | 'invalid'>('relationship status');
const EXCEPTIONS = lists.meanings<MappedParty['role']>('exception');
const REASONS = lists.meanings<Absence['reason']>('reason');
const [TYPE, STATUS] = ['Relationship.RelationshipType', 'Registration.RegistrationStatus'];
const [CHILD, PARENT] = ['Relationship.StartNode.NodeID', 'Relationship.EndNode.NodeID'];
const CONSOLIDATION = [{ type: 'consolidation', share: null }] as const;

const { text, first, listed, lookup } = fieldsOf<Entry, unknown>((path) => (entry) => entry.text(path));
const readState = lookup(STATUS, STATES);

const mapRelationship = describeParty<Entry, unknown>({
  reject(entry, context) {
    if (entry.text(CHILD) === '' || entry.text(PARENT) === '') return { rejected: 'no LEI' };
    if (entry.text(TYPE) === '') return { rejected: 'no type of relationship' };
    const [status, state] = [entry.text(STATUS), readState(entry, context, NO_COMMON)];
    if (state === null) context.reportUnknown('status', STATUS, status);
    return state === 'invalid' ? { rejected: `a record that is ${status}`, expected: true } : null;
  },
  company: text(CHILD),
  key: (entry) => `${entry.text(TYPE)}/${entry.text(PARENT)}`,
  role: listed(TYPE, lists.meanings<MappedParty['role']>('relationship'), 'unknown type of relationship', 'other'),
  roleText: text(TYPE),
  kind: () => 'organisation',
  number: text(PARENT),
  link: (entry) => (entry.text(`${PARENT}Type`) === 'LEI' ? { register: 'gleif', number: entry.text(PARENT) } : null),
  interests: (entry) => (entry.text(TYPE).endsWith('_CONSOLIDATED_BY') ? CONSOLIDATION : null),
  current: (...row) => readState(...row) === 'current' && row[0].text('Relationship.RelationshipStatus') === 'ACTIVE',
  more: { fields: readPeriod },
});

/** The CSV has other names for the parts of a period than the XML and the JSON. */
const PERIODS = [
  { path: 'Relationship.RelationshipPeriods.RelationshipPeriod', type: 'PeriodType', days: ['StartDate', 'EndDate'] },
  { path: 'Relationship.Period', type: 'periodType', days: ['startDate', 'endDate'] },
];

/** Accounting and filing periods are about documents. Of several relationship periods the last period counts. */
function readPeriod(entry: Entry, context: Context) {
  for (const { path, type, days } of PERIODS) {
    const period = entry.list(path, [type]).findLast((one) => one.text(type) === 'RELATIONSHIP_PERIOD');
    if (period === undefined) continue;
    const [from = null, until = null] = days.map((day) => parseDay(`${path}.${day}`, period.text(day), context));
    return { from, until };
  }
  return null;
}

/** The names of the CSV come second. */
const readCategory = first(text('ExceptionCategory'), text('Exception.Category'));
const listReasons = (entry: Entry) => ['ExceptionReason', 'Exception.Reason'].flatMap((path) => entry.list(path, ['']));
const nameReason = (entry: Entry) => listReasons(entry)[0]?.text('') ?? '';

const mapException = describeParty<Entry, unknown>({
  reject(entry, context) {
    if (entry.text('LEI') === '') return { rejected: 'no LEI' };
    const category = readCategory(entry, context, NO_COMMON) ?? '';
    return EXCEPTIONS.has(category) ? null : { rejected: `unknown category ${JSON.stringify(category.slice(0, 80))}` };
  },
  company: text('LEI'),
  key: readCategory,
  role: (...row) => EXCEPTIONS.get(readCategory(...row) ?? '') ?? null,
  roleText: readCategory,
  kind: (entry) => (REASONS.get(nameReason(entry)) === 'persons' ? 'person' : 'unknown'),
  absence(entry, context) {
    const written = nameReason(entry);
    const reason = REASONS.get(written);
    if (reason === undefined) context.report('ExceptionReason', written, 'unknown reason');
    return { reason: reason ?? 'not_disclosed', text: written };
  },
});

const tree = (map: MapEntry, ...style: Parameters<typeof createTreeReader>) => {
  const read = createTreeReader(...style);
  return { parties: { map: (record: Tree, context: Context) => map(read(record), context) } };
};
const table = (map: MapEntry) => ({
  parties: { map: (cell: Cell, context: Context) => map(readCsvEntry(cell), context) },
});
/** A file has the records themselves, or objects with a record as their only value. */
const mapInner: MapEntry = (entry, context) => mapRelationship(entry.at('RelationshipRecord'), context);

export const LEVEL2_TREES = {
  'relationships (XML)': tree(mapRelationship, 'rr:', '#text'),
  'relationships (XML, no prefix)': tree(mapRelationship, '', '#text'),
  'exceptions (XML)': tree(mapException, 'repex:', '#text'),
  'exceptions (XML, no prefix)': tree(mapException, '', '#text'),
  'relationships (JSON, RelationshipRecord)': tree(mapInner, '', '$'),
  'relationships (JSON, Relationship)': tree(mapRelationship, '', '$'),
  'exceptions (JSON, LEI)': tree(mapException, '', '$'),
};
export const LEVEL2_TABLES = { 'relationships (CSV)': table(mapRelationship), 'exceptions (CSV)': table(mapException) };
