/** How a party in `registry.parties` of a record becomes a party with a row of its own. */
import type { MappedParty } from './mapped-party.ts';
import type { PartyOf } from './vocabulary.ts';

/** A pure function that never throws. Null if the entry is not a party. */
export type MapRecordParty = (party: PartyOf) => RecordParty | null;

/** The record says which company it is. All parties of records are in force. */
export type RecordParty = Omit<MappedParty, 'company' | 'key' | 'current'>;

/** The party as the record says it, with what only the register knows in `more`. */
export function readRecordParty(party: PartyOf, more: Partial<RecordParty> = {}): RecordParty {
  const { role, roleLabel, kind = 'unknown', name, number, share, from, until, countryCode } = party;
  return {
    role,
    roleText: roleLabel ?? role,
    kind,
    name,
    number: number ?? null,
    link: null,
    countryCode: countryCode ?? null,
    interests: share ? [{ type: 'shares', share: { exact: share } }] : [],
    from: from ?? null,
    until: until ?? null,
    absence: null,
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
