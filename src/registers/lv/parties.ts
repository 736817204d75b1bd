/** The files of officers, members, stockholders and beneficial owners. Each row is a party of a company. */
import type { Cell, CodeRow, MappedParty } from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { type Field, tableFields } from '../fields.ts';
import { readDate, readText } from '../parsing.ts';
import { describeParty, type PartyTable } from '../record.ts';

const COMPANY = 'at_legal_entity_registration_number';
/** The number of the party. In the file of beneficial owners, this column has the number of the company. */
const NUMBER = 'legal_entity_registration_number';
/** The entry of a share that several owners hold together. The owners are in a file of their own, which refers to it. */
const JOINT = 'JOINT_OWNERS';
const NO_COMPANY = 'no registration number of the company';
const SHARES = [{ type: 'shares', share: null }] as const;

const lists = readCodeLists('lv');
const KINDS = lists.meanings<MappedParty['kind']>('kind');

/** The joint shares in the files of members and stockholders, by `id`. */
export interface JointShares {
  readonly members: ReadonlyMap<string, CodeRow>;
  readonly stockholders: ReadonlyMap<string, CodeRow>;
}

export function readJointShares(tables: ReadonlyMap<string, readonly CodeRow[]>): JointShares {
  const index = (table: keyof JointShares) => new Map(tables.get(table)?.map((row) => [(row.id ?? '').trim(), row]));
  return { members: index('members'), stockholders: index('stockholders') };
}

type LvField<Value> = Field<Cell, JointShares, Value>;
const { text, day, first, concat, listed } = tableFields<JointShares>();

const typeOf = (row: Cell) => row('entity_type').trim();
const readNumber: LvField<string> = (row) => (KINDS.get(typeOf(row)) === 'organisation' ? readText(row(NUMBER)) : null);
const [readId, readName] = [text('id'), text('name')];
const nameKey =
  (roleText: LvField<string>): LvField<string> =>
  (...row) =>
    readId(...row) ?? `${roleText(...row) ?? ''}/${readNumber(...row) ?? readName(...row)}`;

const readPosition = first(text('position'), text('governing_body'));
const readStock = first(text('stock_type'), () => 'MEMBER');

function describe(roleText: LvField<string>, more: Partial<PartyTable<Cell, JointShares>>) {
  const map = describeParty<Cell, JointShares>({
    needs: { company: NO_COMPANY },
    reject: (row) => (row('name').trim() === '' && typeOf(row) !== JOINT ? { rejected: 'no name' } : null),
    company: text(COMPANY),
    key: nameKey(roleText),
    role: () => 'shareholder',
    roleText,
    kind: listed('entity_type', KINDS, 'unknown kind of party', 'unknown'),
    name: readName,
    number: readNumber,
    link(...row) {
      const number = typeOf(row[0]) === 'LEGAL_ENTITY' ? readNumber(...row) : null;
      return number === null ? null : { register: 'lv', number };
    },
    countryCode: (row) => (typeOf(row) === 'LEGAL_ENTITY' ? 'LV' : null),
    ...more,
  });
  return { parties: { map } };
}

/** A percentage would need all members of the company and its capital, and the file may lack some members. */
const HOLDER = { interests: () => SHARES, from: first(day('date_from'), day('registered_on')) };

/**
 * The owners of joint shares. The file does not state how a share is divided. The two files have the same columns, and the same `member_id` may
 * be in both.
 */
function describeJoint(set: keyof JointShares) {
  const share: LvField<CodeRow> = (row, { codes }) => codes[set].get(row('member_id').trim()) ?? null;
  const roleText = () => JOINT;
  const { map } = describe(roleText, {
    company: (...row) => readText(share(...row)?.[COMPANY] ?? ''),
    key: (...row) => `${row[0]('member_id').trim()}/${nameKey(roleText)(...row)}`,
    interests: () => SHARES,
    from(...row) {
      const { date_from = '', registered_on = '' } = share(...row) ?? {};
      return readDate(date_from.trim()) ?? readDate(registered_on.trim());
    },
  }).parties;
  const rejected = `${set}.csv has no joint share with this member_id: import both files in one command`;
  const mapJoint: typeof map = (row, context) =>
    context.codes[set].has(row('member_id').trim()) ? map(row, context) : { rejected };
  return { parties: { map: mapJoint } };
}

const isJoint = ({ entity_type = '' }: CodeRow) => entity_type.trim() === JOINT;
const readOwner = concat(' ', 'forename', 'surname');

export const PARTY_FILES = {
  officers: describe(readPosition, {
    role: listed('position', lists.meanings<MappedParty['role']>('role'), 'unknown position', 'other'),
    from: day('registered_on'),
  }),
  stockholders: { ...describe(readStock, HOLDER), lookup: isJoint },
  members: { ...describe(readStock, HOLDER), lookup: isJoint },
  'joint owners of members': describeJoint('members'),
  'joint owners of stockholders': describeJoint('stockholders'),
  beneficial_owners: {
    parties: {
      map: describeParty<Cell, JointShares>({
        needs: { company: NO_COMPANY, name: 'no name' },
        company: text(NUMBER),
        key: first(readId, readOwner),
        role: () => 'beneficial_owner',
        roleText: () => 'BENEFICIAL_OWNER',
        kind: () => 'person',
        name: readOwner,
        countryCode: (row) => /^\s*([A-Z]{2})\s*$/.exec(row('residence'))?.[1] ?? null,
        from: day('registered_on'),
      }),
    },
  },
};
