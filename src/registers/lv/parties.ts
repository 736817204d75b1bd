/** The files of officers, members, stockholders and beneficial owners. Each row is a party of a company. */
import type { Cell, MapContext, MappedParty, Rejection, TableSource, WithheldReason } from '../contract.ts';
import { indexGroups, readDay, readText, splitWords } from '../parsing.ts';

const CSV = { delimiter: ';', quote: '"', encoding: 'utf-8' } as const;

const COMPANY = 'at_legal_entity_registration_number';
/** Number of the party, except for beneficial owners: there it is the company. */
const NUMBER = 'legal_entity_registration_number';

const PERSON = 'name latvian_identity_number_masked birth_date legal_entity_registration_number';
const DATES = 'registered_on last_modified_at';
const OFFICER_COLUMNS =
  `id uri ${COMPANY} entity_type position governing_body ${PERSON} rights_of_representation_type ` +
  `representation_with_at_least ${DATES}`;
const MEMBER_COLUMNS = `id ${COMPANY} entity_type ${PERSON} number_of_shares share_nominal_value share_currency date_from ${DATES}`;
const STOCKHOLDER_COLUMNS = `${MEMBER_COLUMNS} votes stock_type depository_registration_number depository_name`;
const OWNER_COLUMNS = `id ${NUMBER} forename surname latvian_identity_number_masked birth_date nationality residence ${DATES}`;

/** The masked number starts with the day of birth. */
const WITHHELD: Readonly<Record<string, WithheldReason>> = {
  latvian_identity_number_masked: 'personal number',
  birth_date: 'day of birth',
};

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

const KINDS = indexGroups<MappedParty['kind']>({
  person: 'NATURAL_PERSON',
  organisation: 'LEGAL_ENTITY|FOREIGN_ENTITY',
  unknown: 'JOINT_OWNERS',
});

type MapParty = (cell: Cell, context: MapContext<null>) => MappedParty | Rejection;

/** The order matters: stockholders have the columns of members too. */
export const PARTY_SOURCES: readonly TableSource<null>[] = [
  describe('officers', OFFICER_COLUMNS, [COMPANY, 'entity_type', 'position', 'name'], mapOfficer),
  describe('stockholders', STOCKHOLDER_COLUMNS, [COMPANY, 'entity_type', 'name', 'stock_type'], mapHolder),
  describe('members', MEMBER_COLUMNS, [COMPANY, 'entity_type', 'name', 'number_of_shares'], mapHolder),
  describe('beneficial_owners', OWNER_COLUMNS, [NUMBER, 'forename', 'surname'], mapOwner, true),
];

function describe(
  set: string,
  columns: string,
  required: readonly string[],
  map: MapParty,
  onRequest?: true,
): TableSource<null> {
  return {
    kind: 'table',
    name: set,
    csv: CSV,
    columns: splitWords(columns),
    required,
    match: 'trimmed',
    parties: { set, withheld: WITHHELD, map, ...(onRequest && { onRequest }) },
  };
}

function mapOfficer(cell: Cell, context: MapContext<null>): MappedParty | Rejection {
  const position = cell('position').trim();
  const role = ROLES.get(position);
  if (role === undefined) context.report('position', position, 'unknown position');
  return describeParty(cell, context, {
    role: role ?? 'other',
    roleText: position || cell('governing_body').trim(),
    interests: [],
    from: readDay('registered_on', cell, context),
  });
}

/** A percentage would need all members of the company and its capital, and the file may lack some of them. */
function mapHolder(cell: Cell, context: MapContext<null>): MappedParty | Rejection {
  return describeParty(cell, context, {
    role: 'shareholder',
    roleText: cell('stock_type').trim() || 'MEMBER',
    interests: [{ type: 'shares', share: null }],
    from: readDay('date_from', cell, context) ?? readDay('registered_on', cell, context),
  });
}

type Particulars = Pick<MappedParty, 'role' | 'roleText' | 'interests' | 'from'>;

/** The owners of a joint share are in a file of their own: here they have no name, so that a row says only that there are some. */
function describeParty(cell: Cell, context: MapContext<null>, particulars: Particulars): MappedParty | Rejection {
  const [company, name] = [cell(COMPANY).trim(), readText(cell('name'))];
  const type = cell('entity_type').trim();
  if (company === '') return { rejected: 'no registration number of the company' };
  if (name === null && type !== 'JOINT_OWNERS') return { rejected: 'no name' };
  const kind = KINDS.get(type);
  if (kind === undefined) context.report('entity_type', type, 'unknown kind of party');
  const number = kind === 'organisation' ? readText(cell(NUMBER)) : null;
  const isLatvian = type === 'LEGAL_ENTITY';
  return {
    company,
    key: readText(cell('id')) ?? `${particulars.roleText}/${number ?? name}`,
    ...particulars,
    kind: kind ?? 'unknown',
    name,
    number,
    link: isLatvian && number !== null ? { register: 'lv', number } : null,
    countryCode: isLatvian ? 'LV' : null,
    until: null,
    current: true,
    absence: null,
  };
}

function mapOwner(cell: Cell, context: MapContext<null>): MappedParty | Rejection {
  const company = cell(NUMBER).trim();
  const name = readText(`${cell('forename').trim()} ${cell('surname').trim()}`);
  if (company === '') return { rejected: 'no registration number of the company' };
  if (name === null) return { rejected: 'no name' };
  const residence = cell('residence').trim();
  return {
    company,
    key: readText(cell('id')) ?? name,
    role: 'beneficial_owner',
    roleText: 'BENEFICIAL_OWNER',
    kind: 'person',
    name,
    number: null,
    link: null,
    countryCode: /^[A-Z]{2}$/.test(residence) ? residence : null,
    interests: [],
    from: readDay('registered_on', cell, context),
    until: null,
    current: true,
    absence: null,
  };
}
