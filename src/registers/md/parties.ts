/** Directors, founders and beneficial owners as `registry.parties`. */
import { fold } from '../../base/fold.ts';
import type { EntityStatus } from '../contract.ts';
import { linkByNumber, type RecordParty, readRecordParty, readUnnamed } from '../mapped-party.ts';
import type { PartyOf } from '../vocabulary.ts';
import { type Director, isOrganisationName, namesSeveral, readFounders, readOwners } from './people.ts';

/** A director's role by a fragment of its folded text, and the status that it implies. The first match counts. */
const ROLES: readonly (readonly [piece: string, role: PartyOf['role'], status: EntityStatus])[] = [
  ['lichid', 'liquidator', 'in_liquidation'],
  ['insolv', 'insolvency_administrator', 'insolvent'],
  ['procedurii planului', 'insolvency_administrator', 'insolvent'],
  ['administrator provizoriu', 'insolvency_administrator', 'insolvent'],
];

export function listDirectors(directors: readonly Director[]): PartyOf[] {
  return directors.map(({ name, role }) => {
    const kind = isOrganisationName(name) && { kind: 'organisation' as const };
    if (role === undefined || role === 'Administrator')
      return { role: 'director', ...kind, name, ...(role !== undefined && { roleLabel: role }) };
    const text = fold(role);
    return { role: ROLES.find(([piece]) => text.includes(piece))?.[1] ?? 'director', roleLabel: role, ...kind, name };
  });
}

/** The status that the directors' roles imply, and the role that implies it. */
export function inferStatus(directors: readonly Director[]): { status: EntityStatus; role: string | null } {
  const roles = directors.flatMap(({ role }) => (role === undefined || role === 'Administrator' ? [] : [role]));
  if (roles.length > 0) {
    for (const [piece, , status] of ROLES) {
      const role = roles.find((text) => fold(text).includes(piece));
      if (role !== undefined) return { status, role };
    }
  }
  return { status: 'active', role: null };
}

export function listFounders(text: string): PartyOf[] {
  return readFounders(text).map(({ name, kind, idno, ...details }) => ({
    role: 'founder',
    ...(kind !== 'group' &&
      !namesSeveral(name) &&
      (kind === 'state' || idno !== undefined || isOrganisationName(name)) && { kind: 'organisation' as const }),
    name,
    ...(idno !== undefined && { number: idno }),
    // A group is a placeholder for several founders, which the register does not name.
    ...(kind !== undefined && { [kind]: true }),
    ...details,
  }));
}

/** `nameCountry` returns the name of a country code, if there is one. */
export function listOwners(text: string, nameCountry: (code: string) => string | undefined): PartyOf[] {
  return readOwners(text).map(({ name, country: code }) => {
    const country = code === undefined ? undefined : nameCountry(code);
    const isCode = code !== undefined && /^[A-Z]{2}$/.test(code);
    return {
      role: 'beneficial_owner',
      kind: 'person',
      name,
      ...((country ?? (isCode ? undefined : code)) !== undefined && { country: country ?? code ?? '' }),
      ...(isCode && { countryCode: code }),
    };
  });
}

/** The register lists only current ones. Founders with a share are its owners. */
export function readListed(party: PartyOf): RecordParty {
  if (party.group === true) return readUnnamed(party, 'not_disclosed');
  const { jointShare } = party;
  return readRecordParty(party, {
    ...linkByNumber(party, 'md', /^\d{13}$/),
    ...(typeof jointShare === 'number' && { interests: [{ type: 'shares', share: { max: jointShare } }] }),
  });
}
