import { digest } from '../../base/ids.ts';
import type { PartyMode } from '../../base/party-modes.ts';
import { removeSeparators } from '../../base/search-keys.ts';
import { toStorable } from '../../base/storable.ts';
import type { Link, MappedParty, RegistersById, Rejection } from '../../registers/contract.ts';
import { packRow } from '../../registry/parties/new-party.ts';
import { isLong, type PreparedRow, type StoredSource } from './record.ts';

export const A_PERSON = 'a person';

/** Parties of one record with the same key, such as two people of one name, are numbered unless they are the same. */
export function createNumbering() {
  let lastPlace = 0;
  const texts = new Map<string, string[]>();
  return (mapped: MappedParty, { text }: StoredSource, place: number): MappedParty => {
    if (place !== lastPlace) texts.clear();
    lastPlace = place;
    const known = texts.getOrInsertComputed(mapped.key, () => []);
    const index = known.includes(text) ? known.indexOf(text) : known.push(text) - 1;
    return index === 0 ? mapped : { ...mapped, key: `${mapped.key}/${index + 1}` };
  };
}

/** A row that says that unnamed persons are behind a company has no name. Who may be a person is treated as one. */
function mayBePerson({ kind, name }: MappedParty): boolean {
  return kind !== 'organisation' && name !== null;
}

export function boundParty(
  mapped: MappedParty | Rejection,
  mode: PartyMode,
  isSuppressed: (party: MappedParty) => boolean,
): MappedParty | Rejection {
  if ('rejected' in mapped) return mapped;
  if (mode !== 'names' && mayBePerson(mapped)) return { rejected: A_PERSON, expected: true };
  if (isSuppressed(mapped)) return { rejected: 'suppressed', expected: true };
  const texts = [mapped.company, mapped.key, mapped.roleText, mapped.name, mapped.number, mapped.absence?.text];
  return texts.some(isLong) ? { rejected: 'a value is too long' } : mapped;
}

export function prepareParty(
  set: string,
  mapped: MappedParty,
  { layout, text }: StoredSource,
  place: number,
  registers: RegistersById,
  isPerson = mayBePerson(mapped),
): PreparedRow {
  const { company, key, role, roleText, kind, name, number, countryCode, interests, absence, from, until } = mapped;
  const link = mapped.link && checkLink(mapped.link, set, registers);
  const row = packRow({
    company: toStorable(company),
    role,
    partyRegister: link?.register ?? null,
    partyNumber: link && toStorable(link.number),
    isCurrent: mapped.current,
    isPerson,
    from,
    until,
    content: JSON.stringify({ roleText, kind, name, number, countryCode, interests, absence }),
    layout: layout?.id ?? null,
    sourceData: text,
  });
  return { id: digest(`${set}/${company}/${key}`), place, content: row, contentHash: digest(row) };
}

/** The number as the other register writes it. Null if it cannot be one of its numbers. */
function checkLink({ register: id, number }: Link, set: string, registers: RegistersById): Link | null {
  const register = registers.get(id);
  if (set.startsWith(`${id}/`) || register?.checkNumber === undefined)
    return { register: id, number: register?.writeNumber?.(number) ?? number };
  const checked = register.checkNumber(removeSeparators(number).toUpperCase());
  return checked === null || checked.valid === false ? null : { register: id, number: checked.number };
}
