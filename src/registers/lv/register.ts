/** Latvia: the Register of Enterprises (Uzņēmumu reģistrs), all legal entities, dissolved ones included, and its files of parties. */
import { type PlaceMarks, readPlaces } from '../address.ts';
import { checkSum } from '../check-digits.ts';
import { type Cell, type CodeRow, defineRegister, type MapContext, type MappedParty } from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { type Common, type Field, type State, tableFields } from '../fields.ts';
import { compact, joinFilled, readDate, readText, splitList } from '../parsing.ts';
import {
  describeParty,
  describeRecord,
  otherNumber,
  ownEnd,
  ownNumber,
  ownStatus,
  type PartyTable,
} from '../record.ts';
import type { AddressOf } from '../vocabulary.ts';

const lists = readCodeLists('lv');
const KINDS = lists.meanings<MappedParty['kind']>('kind');

const isValid = checkSum([9, 1, 4, 8, 3, 10, 2, 5, 7, 6, 1], 11, 3);

/** The check digit is known for eleven-digit numbers only. For other lengths the result is null. */
export function hasValidCheckDigit(number: string): boolean | null {
  return /^\d{11}$/.test(number) ? isValid(number) : null;
}

/** The joint shares in the files of members and stockholders, by `id`. */
interface JointShares {
  readonly members: ReadonlyMap<string, CodeRow>;
  readonly stockholders: ReadonlyMap<string, CodeRow>;
}

type Context = MapContext<JointShares>;
type LvField<Value> = Field<Cell, JointShares, Value>;

const { text, replaced, day, parsed, number, flag, legalForm, group, first, concat, listed } =
  tableFields<JointShares>();

const mapEntity = describeRecord<Cell, JointShares>({
  name: text('name'),
  number: number('regcode', /^\d+$/, 'not a registration number'),
  registeredAt: day('registered'),
  endedAt: day('terminated'),
  status: readStatus,
  legalForm: legalForm('type', 'type_text'),
  // The second number is the identifier of the creditor of a SEPA direct debit.
  registrations: [ownNumber('Uzņēmumu reģistrs', hasValidCheckDigit), otherNumber('SEPA', 'other', text('sepa'))],
  registry: {
    status: ownStatus,
    endedAt: ownEnd,
    registerCode: text('regtype'),
    registerName: text('regtype_text'),
    nameParts: group({
      beforeQuotes: text('name_before_quotes'),
      inQuotes: text('name_in_quotes'),
      afterQuotes: text('name_after_quotes'),
    }),
    nameWithoutQuotes: flag('without_quotes', { 0: false, 1: true }, 'neither 0 nor 1'),
    address: readAddress,
    reregistrationTerm: day('reregistration_term'),
  },
});

/** Active rows have a single space in `closed`. Any letter means dissolved; a letter that is not known is reported. */
function readStatus(cell: Cell, context: Context): State {
  const code = cell('closed').toUpperCase().trim();
  const label = lists.labels('status').get(code) ?? null;
  if (code !== '' && label === null) context.reportUnknown('status', 'closed', code);
  const isDissolved = cell('terminated').trim() !== '' || /^\p{L}$/u.test(code);
  return { status: isDissolved ? 'dissolved' : code === '' ? 'active' : 'unknown', code, label };
}

/** `Rīga, Latgales iela 180` or `Talsu nov., Lībagu pag., "Ozoli"` (a farm). Addresses from before 2009 have districts (`rajons`). */
const MARKS: PlaceMarks = {
  municipality: / (?:nov\.|novads|raj\.|rajons)$/,
  district: / (?:pag\.|pagasts)$/,
  settlement: /^(?!.* (?:aleja|bulvāris|ceļš|dambis|gatve|iela|laukums|līnija|prospekts|šoseja|taka)\b)\p{Lu}\D*$/u,
};

/** In the columns that refer to the address register, `0` means that there is no code. */
const readCodes = group({
  addressCode: replaced('addressid', /^0$/),
  regionCode: replaced('region', /^0$/),
  cityCode: replaced('city', /^0$/),
  territoryCode: replaced('atvk', /^0$/),
});
/** `1019` → `LV-1019`. */
const readPostCode = parsed((written) => {
  const digits = /^(?:LV-)?(\d{4})$/.exec(written)?.[1];
  return written === '0' ? undefined : digits === undefined ? null : `LV-${digits}`;
}, 'not a postcode')('index');

/** An address has a text without the post code, the post code, and codes of the national address register. */
function readAddress(cell: Cell, context: Context, common: Common): AddressOf | null {
  const written = cell('address').trim();
  const postCode = readPostCode(cell, context, common);
  const line = joinFilled([written, postCode], ', ');
  if (line === '') return null;
  const codes = readCodes(cell, context, common);
  const isInLatvia = postCode !== null || codes?.addressCode !== undefined;
  // The order of the places in an address abroad is not known.
  const { district, city, municipality } = readPlaces(isInLatvia ? splitList(written, ',') : [], MARKS);
  return {
    text: line,
    // A farm outside of a village belongs to its parish.
    ...compact({ district, city: city ?? district, municipality, postCode }),
    ...(isInLatvia && { countryCode: 'LV' }),
    ...codes,
  };
}

const COMPANY = 'at_legal_entity_registration_number';
/** The number of the party. In the file of beneficial owners, this column has the number of the company. */
const NUMBER = 'legal_entity_registration_number';
/** The entry of a share that several owners hold together. The owners are in a file of their own, which refers to it. */
const JOINT = 'JOINT_OWNERS';
const NO_COMPANY = 'no registration number of the company';
const SHARES = [{ type: 'shares', share: null }] as const;

const typeOf = (row: Cell) => row('entity_type').trim();
const readNumber: LvField<string> = (row) => (KINDS.get(typeOf(row)) === 'organisation' ? readText(row(NUMBER)) : null);
const [readId, readName, readOwner] = [text('id'), text('name'), concat(' ', 'forename', 'surname')];
const nameKey =
  (roleText: LvField<string>): LvField<string> =>
  (...row) =>
    readId(...row) ?? `${roleText(...row) ?? ''}/${readNumber(...row) ?? readName(...row)}`;

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
const HOLDERS = {
  ...describe(
    first(text('stock_type'), () => 'MEMBER'),
    { interests: () => SHARES, from: first(day('date_from'), day('registered_on')) },
  ),
  lookup: ({ entity_type = '' }: CodeRow) => entity_type.trim() === JOINT,
};

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

const mapOwner = describeParty<Cell, JointShares>({
  needs: { company: NO_COMPANY, name: 'no name' },
  company: text(NUMBER),
  key: first(readId, readOwner),
  role: () => 'beneficial_owner',
  roleText: () => 'BENEFICIAL_OWNER',
  kind: () => 'person',
  name: readOwner,
  countryCode: (row) => /^\s*([A-Z]{2})\s*$/.exec(row('residence'))?.[1] ?? null,
  from: day('registered_on'),
});

export const lv = defineRegister<JointShares>({
  id: 'lv',
  tables: {
    register: { map: mapEntity },
    officers: describe(first(text('position'), text('governing_body')), {
      role: listed('position', lists.meanings<MappedParty['role']>('role'), 'unknown position', 'other'),
      from: day('registered_on'),
    }),
    stockholders: HOLDERS,
    members: HOLDERS,
    'joint owners of members': describeJoint('members'),
    'joint owners of stockholders': describeJoint('stockholders'),
    beneficial_owners: { parties: { map: mapOwner } },
  },
  numbers: [{ kind: 'registration number', form: /^\d{11}$/, check: hasValidCheckDigit }],
  readCodes(tables) {
    const index = (table: keyof JointShares) => new Map(tables.get(table)?.map((row) => [(row.id ?? '').trim(), row]));
    return { members: index('members'), stockholders: index('stockholders') };
  },
});
