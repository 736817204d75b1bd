/** The files of officers, members, stockholders and beneficial owners. Each row is a party of a company. */
import {
  type Cell,
  type CodeRow,
  CSV,
  type MapContext,
  type MappedParty,
  type Rejection,
  type SourceDefinition,
} from '../contract.ts';
import { NO_PARTY_DETAILS } from '../mapped-party.ts';
import { indexGroups, readDate, readDay, readText } from '../parsing.ts';

const COMPANY = 'at_legal_entity_registration_number';
/** Number of the party, except for beneficial owners: there it is the company. */
const NUMBER = 'legal_entity_registration_number';

/** By `position`. */
const ROLES = indexGroups<MappedParty['role']>({
  director:
    'BOARD_MEMBER|CHAIR_OF_BOARD|DEPUTY_CHAIR_OF_BOARD|SUPERVISORY_BOARD_MEMBER|CHAIR_OF_SUPERVISORY_BOARD|' +
    'DEPUTY_CHAIR_OF_SUPERVISORY_BOARD|GENERAL_MANAGER|ADMINISTRATIVE_MANAGER',
  representative: 'PROCTOR|REPRESENTATIVE_MANAGER|AUTHORISED_REPRESENTATIVE|BRANCH_REPRESENTATIVE',
  liquidator: 'LIQUIDATOR',
  insolvency_administrator: 'ADMINISTRATOR',
  partner: 'MEMBER_OF_PARTNERSHIP',
  member: 'MEMBER',
  other: 'OWNER|CO_OWNER',
});

/** The entry of a share that several own together. The owners are in a file of their own, which refers to it. */
const JOINT = 'JOINT_OWNERS';

/** The joint shares in the files of members and stockholders, by `id`. */
export interface JointShares {
  readonly members: ReadonlyMap<string, CodeRow>;
  readonly stockholders: ReadonlyMap<string, CodeRow>;
}

export function readJointShares(tables: ReadonlyMap<string, readonly CodeRow[]>): JointShares {
  const index = (table: keyof JointShares) => new Map(tables.get(table)?.map((row) => [(row.id ?? '').trim(), row]));
  return { members: index('members'), stockholders: index('stockholders') };
}

const KINDS = indexGroups<MappedParty['kind']>({
  person: 'NATURAL_PERSON',
  organisation: 'LEGAL_ENTITY|FOREIGN_ENTITY',
  unknown: JOINT,
});

type Context = MapContext<JointShares>;
type MapParty = (cell: Cell, context: Context) => MappedParty | Rejection;

export const JOINT_REQUIRED = ['member_id', 'entity_type', 'name'];

/** The order matters: stockholders have the columns of members too. */
export const PARTY_SOURCES: readonly SourceDefinition<JointShares>[] = [
  describe('officers', [COMPANY, 'entity_type', 'position', 'name'], mapOfficer),
  { ...describe('stockholders', [COMPANY, 'entity_type', 'name', 'stock_type'], mapHolder), lookup: isJoint },
  { ...describe('members', [COMPANY, 'entity_type', 'name', 'number_of_shares'], mapHolder), lookup: isJoint },
  describeJoint('members'),
  describeJoint('stockholders'),
  describe('beneficial_owners', [NUMBER, 'forename', 'surname'], mapOwner, { onlyPersons: true }),
];

function describe(set: string, required: readonly string[], map: MapParty, more: { readonly onlyPersons?: true } = {}) {
  return { name: set, csv: { ...CSV, delimiter: ';' }, required, parties: { set, map, ...more } } as const;
}

/** The two files of joint owners have the same columns, and the same `member_id` may be in both. */
function describeJoint(set: keyof JointShares) {
  const source = describe(set, JOINT_REQUIRED, (cell, context) => mapJointOwner(cell, context, set));
  return { ...source, name: `joint owners of ${set}`, fileName: new RegExp(`${set}_joint`, 'i') };
}

function isJoint({ entity_type = '' }: CodeRow): boolean {
  return entity_type.trim() === JOINT;
}

function mapOfficer(cell: Cell, context: Context): MappedParty | Rejection {
  const position = cell('position').trim();
  const role = ROLES.get(position);
  if (role === undefined) context.report('position', position, 'unknown position');
  return describeParty(cell, context, {
    company: cell(COMPANY).trim(),
    role: role ?? 'other',
    roleText: position || cell('governing_body').trim(),
    interests: [],
    from: readDay('registered_on', cell, context),
  });
}

/** A percentage would need all members of the company and its capital, and the file may lack some of them. */
function mapHolder(cell: Cell, context: Context): MappedParty | Rejection {
  return describeParty(cell, context, {
    company: cell(COMPANY).trim(),
    role: 'shareholder',
    roleText: cell('stock_type').trim() || 'MEMBER',
    interests: [{ type: 'shares', share: null }],
    from: readDay('date_from', cell, context) ?? readDay('registered_on', cell, context),
  });
}

/** One of those who own a share together. The file does not say how it is divided. */
function mapJointOwner(cell: Cell, context: Context, set: keyof JointShares): MappedParty | Rejection {
  const id = cell('member_id').trim();
  const share = context.codes[set].get(id);
  if (share === undefined)
    return { rejected: `${set}.csv has no joint share with this member_id: import both files in one command` };
  const owner = describeParty(cell, context, {
    company: (share[COMPANY] ?? '').trim(),
    role: 'shareholder',
    roleText: JOINT,
    interests: [{ type: 'shares', share: null }],
    from: readDate((share.date_from ?? '').trim()) ?? readDate((share.registered_on ?? '').trim()),
  });
  return 'rejected' in owner ? owner : { ...owner, key: `${id}/${owner.key}` };
}

type Particulars = Pick<MappedParty, 'company' | 'role' | 'roleText' | 'interests' | 'from'>;

/** The entry of a joint share has no name. It says only that there are several owners. */
function describeParty(cell: Cell, context: Context, particulars: Particulars): MappedParty | Rejection {
  const { company } = particulars;
  const name = readText(cell('name'));
  const type = cell('entity_type').trim();
  if (company === '') return { rejected: 'no registration number of the company' };
  if (name === null && type !== JOINT) return { rejected: 'no name' };
  const kind = KINDS.get(type);
  if (kind === undefined) context.report('entity_type', type, 'unknown kind of party');
  const number = kind === 'organisation' ? readText(cell(NUMBER)) : null;
  const isLatvian = type === 'LEGAL_ENTITY';
  return {
    ...NO_PARTY_DETAILS,
    key: readText(cell('id')) ?? `${particulars.roleText}/${number ?? name}`,
    ...particulars,
    kind: kind ?? 'unknown',
    name,
    number,
    link: isLatvian && number !== null ? { register: 'lv', number } : null,
    countryCode: isLatvian ? 'LV' : null,
    current: true,
  };
}

function mapOwner(cell: Cell, context: Context): MappedParty | Rejection {
  const company = cell(NUMBER).trim();
  const name = readText(`${cell('forename').trim()} ${cell('surname').trim()}`);
  if (company === '') return { rejected: 'no registration number of the company' };
  if (name === null) return { rejected: 'no name' };
  const residence = cell('residence').trim();
  return {
    ...NO_PARTY_DETAILS,
    company,
    key: readText(cell('id')) ?? name,
    role: 'beneficial_owner',
    roleText: 'BENEFICIAL_OWNER',
    kind: 'person',
    name,
    countryCode: /^[A-Z]{2}$/.test(residence) ? residence : null,
    from: readDay('registered_on', cell, context),
    current: true,
  };
}
