/** What registers make of rows: records of companies, and parties. */
import type { EntityStatus } from '../base/entity-status.ts';
import type { Json } from '../base/source-files.ts';
import type {
  ActivityOf,
  absenceReasons,
  heldAsTexts,
  interestTypes,
  LegalFormOf,
  listedPartyKinds,
  PartyOf,
  partyRoles,
  RegistryOf,
  registrationTypes,
} from './vocabulary.ts';

/** A number that an authority has given the entity. Dates are `YYYY-MM-DD`. */
export interface Registration {
  readonly authority: string;
  readonly type: keyof typeof registrationTypes;
  readonly number: string;
  /** Whether its check digits are right. Left out if the number has none. */
  readonly numberValid?: boolean;
  /** The status in words, as the source writes it. */
  readonly status: string | null;
  /** The status as a code of the source, if it has one. */
  readonly statusCode?: string;
  readonly registeredAt: string | null;
  readonly endedAt: string | null;
}

/** The details of a registration of which the source has only the number. */
export const NO_DETAILS = { status: null, registeredAt: null, endedAt: null } as const;

/** A number that a user or another source wrote, as a number of one register. */
export interface CheckedNumber {
  /** What the number is called, such as `SIREN`. */
  readonly kind: string;
  /** The number as the register writes it. */
  readonly number: string;
  /** Whether its check digits are right; null if numbers of this kind have none. */
  readonly valid: boolean | null;
}

/** An activity as `registry.activities` shows it: `unlicensed`, unless the register marks licensed ones (MD). */
export interface Activity extends Omit<ActivityOf, 'code' | 'label' | 'scheme'> {
  readonly code: string | null;
  readonly label: string | null;
  readonly scheme: string;
  /** The value exactly as the source writes it, if it is neither the code nor the label. A search finds this value, too. */
  readonly written?: string;
  /** The labels in the other languages of the register. A search finds these labels, too, but only labels in `national` are shown. */
  readonly otherLabels?: readonly string[];
  /** Further fields that `registry.activities` shows, such as the register in which the activity was declared. */
  readonly national?: { readonly [name: string]: Json };
}

/**
 * What a register may not know: a status, legal form or activity that its tables lack, or a date for which the source
 * writes a placeholder. `listedStatus`: the publisher's own code list has the status, but its meaning is not known.
 */
export type UnknownKind = 'status' | 'listedStatus' | 'legalForm' | 'activity' | 'date';

export interface MappedRecord {
  /** National registration number as written, with leading zeros; null when the row has none. */
  readonly number: string | null;
  /** ISO 3166-1 alpha-2. Only for registers that span countries. */
  readonly country?: string;
  readonly canonicalName: string;
  readonly status: EntityStatus;
  /** The pipeline shows the label, or else the code, as `legalForm`, and all of it in `registry.legalForm`. */
  readonly legalForm: LegalFormOf | null;
  readonly registeredAt: string | null;
  readonly registrations: readonly Registration[];
  /** The activities that the pipeline shows in `registry.activities`. */
  readonly activities: readonly Activity[];
  /** The same company in another register: a search for a number of this record finds that record, too. */
  readonly link?: Link;
  /** The fields of `vocabulary.ts`, and national ones in camelCase (`docs/registers/<cc>.md`). No field is empty. */
  readonly registry: RegistryOf;
}

/** The reason why a row is not a record, for example a missing name. Rejections are counted and reported. */
export interface Rejection {
  readonly rejected: string;
  /** Set if the register documents this kind of row: such rows are counted, but a file may have any number of such rows. */
  readonly expected?: true;
}

/** A company in another register: its `id`, and the number as this register writes it. */
export interface Link {
  readonly register: string;
  readonly number: string;
}

/** In percent: exact, or a range whose open ends are left out. */
export type Share = { readonly [Part in 'exact' | 'min' | 'max']?: number };

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

/** A party in `registry.parties`, without the values that follow from its record: its company is the company of the record, and it is in force. */
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
export function linkByNumber(
  { kind, number = '' }: PartyOf,
  register: string,
  form: RegExp,
): Pick<RecordParty, 'link'> {
  return { link: kind === 'organisation' && form.test(number) ? { register, number } : null };
}
