/** The files of Level 2, in all editions. Their rows are parties of companies, which are identified by their LEI. */
import type { MapContext, MappedParty } from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { itemFields, NO_COMMON, treeFields } from '../fields.ts';
import { type Tree, textOf, treeOf } from '../parsing.ts';
import { describeParty } from '../record.ts';
import { listElements, mapEditions, ownText } from './entry.ts';

type Context = MapContext<unknown>;
type Absence = NonNullable<MappedParty['absence']>;

const lists = readCodeLists('gleif');
const EXCEPTIONS = lists.meanings<MappedParty['role']>('exception');
const REASONS = lists.meanings<Absence['reason']>('reason');
const [TYPE, STATUS] = ['Relationship.RelationshipType', 'Registration.RegistrationStatus'];
const [CHILD, PARENT] = ['Relationship.StartNode.NodeID', 'Relationship.EndNode.NodeID'];
const CONSOLIDATION = [{ type: 'consolidation', share: null }] as const;

const { text, first, is, listed, lookup } = treeFields();
const [readType, readChild, readParent] = [text(TYPE), text(CHILD), text(PARENT)];
const [readState, readStatus] = [
  lookup(STATUS, lists.meanings<'current' | 'ended' | 'invalid'>('relationship status')),
  text(STATUS),
];
const isLei = is(`${PARENT}Type`, /^LEI$/);
const isActive = is('Relationship.RelationshipStatus', /^ACTIVE$/);

const mapRelationship = describeParty<Tree, unknown>({
  needs: { company: 'no LEI', number: 'no LEI', roleText: 'no type of relationship' },
  reject(record, context) {
    const [status, state] = [readStatus, readState].map((read) => read(record, context, NO_COMMON));
    if (state === null) context.reportUnknown('status', STATUS, status ?? '');
    return state === 'invalid' ? { rejected: `a record that is ${status}`, expected: true } : null;
  },
  company: readChild,
  key: (...row) => `${readType(...row)}/${readParent(...row)}`,
  role: listed(TYPE, lists.meanings<MappedParty['role']>('relationship'), 'unknown type of relationship', 'other'),
  roleText: readType,
  kind: () => 'organisation',
  number: readParent,
  link(...row) {
    const number = readParent(...row);
    return number === null || isLei(...row) === null ? null : { register: 'gleif', number };
  },
  interests: (...row) => (readType(...row)?.endsWith('_CONSOLIDATED_BY') ? CONSOLIDATION : null),
  current: (...row) => readState(...row) === 'current' && isActive(...row) === true,
  more: { fields: readPeriod },
});

/** The CSV has other names for the parts of a period than the XML and the JSON. */
const PERIODS = [
  ['Relationship.RelationshipPeriods.RelationshipPeriod', 'PeriodType', 'StartDate', 'EndDate'],
  ['Relationship.Period', 'periodType', 'startDate', 'endDate'],
].map(([path = '', type = '', from = '', until = '']) => {
  const { day, group } = itemFields();
  const readDays = group({ from: day(`${path}.${from}`), until: day(`${path}.${until}`) });
  return { list: listElements(path, type), type, readDays };
});

/** Accounting and filing periods are about documents. Of several relationship periods the last period counts. */
function readPeriod(record: Tree, context: Context) {
  for (const { list, type, readDays } of PERIODS) {
    const period = list(record).findLast((one) => textOf(one, type) === 'RELATIONSHIP_PERIOD');
    if (period !== undefined) return readDays(period, context, NO_COMMON);
  }
  return null;
}

/** The names of the CSV come second. */
const readCategory = first(text('ExceptionCategory'), text('Exception.Category'));
const REASON_LISTS = [listElements('ExceptionReason'), listElements('Exception.Reason')];

function nameReason(record: Tree): string {
  const [reason] = REASON_LISTS.flatMap((list) => list(record));
  return reason === undefined ? '' : ownText(reason);
}

const mapException = describeParty<Tree, unknown>({
  needs: { company: 'no LEI' },
  reject(record, context) {
    const category = readCategory(record, context, NO_COMMON) ?? '';
    return EXCEPTIONS.has(category) ? null : { rejected: `unknown category ${JSON.stringify(category.slice(0, 80))}` };
  },
  company: text('LEI'),
  key: readCategory,
  role: (...row) => EXCEPTIONS.get(readCategory(...row) ?? '') ?? null,
  roleText: readCategory,
  kind: (record) => (REASONS.get(nameReason(record)) === 'persons' ? 'person' : 'unknown'),
  absence(record, context) {
    const written = nameReason(record);
    const reason = REASONS.get(written);
    if (reason === undefined) context.report('ExceptionReason', written, 'unknown reason');
    return { reason: reason ?? 'not_disclosed', text: written };
  },
});

const relationships = mapEditions('relationships (CSV)', mapRelationship);
const exceptions = mapEditions('exceptions (CSV)', mapException);
const parties = <Map>(map: Map) => ({ parties: { map } });
/** A file has the records themselves, or objects with a record as their only value. */
const mapInner: typeof mapRelationship = (record, context) =>
  mapRelationship(treeOf(record, 'RelationshipRecord'), context);

export const LEVEL2_TABLES = {
  'relationships (CSV)': parties(relationships.csv),
  'exceptions (CSV)': parties(exceptions.csv),
};
export const LEVEL2_TREES = {
  'relationships (XML)': parties(relationships.xml('rr:')),
  'relationships (XML, no prefix)': parties(mapRelationship),
  'exceptions (XML)': parties(exceptions.xml('repex:')),
  'exceptions (XML, no prefix)': parties(mapException),
  'relationships (JSON, RelationshipRecord)': parties(mapInner),
  'relationships (JSON, Relationship)': parties(mapRelationship),
  'exceptions (JSON, LEI)': parties(mapException),
};
