import type { PartyOf } from './vocabulary.ts';
import type { absenceReasons, heldAsTexts, interestTypes, listedPartyKinds, partyRoles } from './vocabulary-values.ts';

/** A company in another register. */
export interface Link {
  /** The `id` of the other register. */
  readonly register: string;
  /** The number in the other register, as this register writes it. */
  readonly number: string;
}

/** A share in percent: exact, or a range whose open ends are left out. */
export interface Share {
  readonly exact?: number;
  readonly min?: number;
  readonly max?: number;
}

export interface Interest {
  readonly type: keyof typeof interestTypes;
  readonly share: Share | null;
  /** Left out if it is held in the party's own right, or the source does not say. */
  readonly heldAs?: keyof typeof heldAsTexts | undefined;
}

/** Who is connected with a company and how, according to one row of a file of parties. Dates are `YYYY-MM-DD`. */
export interface MappedParty {
  /** The number of the company in this register. */
  readonly company: string;
  /** Distinguishes the parties of the company. It is the same in later files. */
  readonly key: string;
  readonly role: keyof typeof partyRoles;
  /** The role as the source writes it. */
  readonly roleText: string;
  readonly kind: keyof typeof listedPartyKinds;
  readonly name: string | null;
  /** The number of the party, as the source writes it. */
  readonly number: string | null;
  /** The register that the number belongs to, if it is certain. */
  readonly link: Link | null;
  /** ISO 3166-1 alpha-2. */
  readonly countryCode: string | null;
  readonly interests: readonly Interest[];
  readonly from: string | null;
  readonly until: string | null;
  /** Whether the source says that it is in force. */
  readonly current: boolean;
  /** Set if the row says that there is no such party, or that it is not disclosed. */
  readonly absence: { readonly reason: keyof typeof absenceReasons; readonly text: string } | null;
}

/** What a source may not say about a party. */
export const NO_PARTY_DETAILS = {
  name: null,
  number: null,
  link: null,
  countryCode: null,
  interests: [],
  from: null,
  until: null,
  absence: null,
} as const;

/** How the import finds out whether the files are complete. */
export interface PartyTotals<Row> {
  /** Matches the part of a file name that says which of several parts it is: the groups `part` and `of`. */
  readonly part: RegExp;
  /** What a record says about the totals, or adds to them. The import sums it up by name. Null for most records. */
  readonly tally: (record: Row) => Tally | null;
  /** Why files with this sum and so many records are not complete. Null if they are. */
  readonly check: (sum: Tally, records: number) => string | null;
}

export type Tally = Readonly<Record<string, number>>;

/** How a party in `registry.parties` of a record becomes a party with a row of its own. A pure function that never throws. Null if the entry is not a party. */
export type MapRecordParty = (party: PartyOf) => RecordParty | null;

/** The record says which company it is. All parties of records are in force. */
export type RecordParty = Omit<MappedParty, 'company' | 'key' | 'current'>;

/** The party as the record says it, with what only the register knows in `more`. */
export function readRecordParty(party: PartyOf, more: Partial<RecordParty> = {}): RecordParty {
  const { role, roleLabel, kind = 'unknown', name, number, share, from, until, countryCode } = party;
  return {
    ...NO_PARTY_DETAILS,
    role,
    roleText: roleLabel ?? role,
    kind,
    name,
    number: number ?? null,
    countryCode: countryCode ?? null,
    interests: share ? [{ type: 'shares', share: { exact: share } }] : [],
    from: from ?? null,
    until: until ?? null,
    ...more,
  };
}

/** A placeholder for parties that the source does not name. */
export function readUnnamed(party: PartyOf, reason: 'persons' | 'not_disclosed'): RecordParty {
  const absence = { reason, text: party.name };
  return readRecordParty(party, { kind: reason === 'persons' ? 'person' : 'unknown', name: null, absence });
}

/** A party with a number of the register, if it is an organisation and its number has this form. */
export function linkByNumber(party: PartyOf, register: string, form: RegExp): Pick<RecordParty, 'link'> {
  const { kind, number = '' } = party;
  return { link: kind === 'organisation' && form.test(number) ? { register, number } : null };
}
