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
  /** Left out if the party holds the interest in its own right, or the source does not state how. */
  readonly heldAs?: keyof typeof heldAsTexts | undefined;
}

/** Who is connected with a company and how, according to one row of a file of parties. Dates are `YYYY-MM-DD`. */
export interface MappedParty {
  /** The number of the company in this register. */
  readonly company: string;
  /** Distinguishes the parties of the company. A party has the same key in later files. */
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
  /** Whether the party is in force, according to the source. */
  readonly current: boolean;
  /** Set if the row states that there is no such party, or that the party is not disclosed. */
  readonly absence: { readonly reason: keyof typeof absenceReasons; readonly text: string } | null;
}

/** Details that a source may lack about a party, with the values for a missing detail. */
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
  /** Matches the part of a file name that has the number of the part and the number of all parts: the groups `part` and `of`. */
  readonly part: RegExp;
  /** The totals that a record states, or what it adds to the counts. The import sums up the numbers by name. Null for most records. */
  readonly tally: (record: Row) => Tally | null;
  /** Why files with this sum and this number of records are incomplete. Null if the files are complete. */
  readonly check: (sum: Tally, records: number) => string | null;
}

export type Tally = Readonly<Record<string, number>>;

/** Makes a party with a row of its own from a party in `registry.parties`. A pure function that never throws. Null if the entry is not a party. */
export type MapRecordParty = (party: PartyOf) => RecordParty | null;

/** A party without the values that follow from its record: its company is the company of the record, and the party is in force. */
export type RecordParty = Omit<MappedParty, 'company' | 'key' | 'current'>;

/** The party with the details that its record has. `more` has the details that only the register's own code can decide. */
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

/** The link of a party to a register, if the party is an organisation and its number has the given form. */
export function linkByNumber(party: PartyOf, register: string, form: RegExp): Pick<RecordParty, 'link'> {
  const { kind, number = '' } = party;
  return { link: kind === 'organisation' && form.test(number) ? { register, number } : null };
}
