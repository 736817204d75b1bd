import type { PartyMode } from '../../base/party-modes.ts';
import { removeSeparators } from '../../base/search-keys.ts';
import { toStorable } from '../../base/storable.ts';
import type { Link, MappedParty, RegistersById, Rejection, Tally } from '../../registers/contract.ts';
import { digest, type NewParty, packRow } from '../../registry/parties/new-party.ts';
import { isRecord } from '../../registry/records/withheld.ts';
import type { Part } from '../reading/part.ts';
import { isLong } from './bounds.ts';
import { type MappedBatch, type MapTools, mapRows, type RowMap, type Share } from './map-part.ts';
import type { StoredSource } from './record.ts';

const A_PERSON = 'a person';

/** Streams the rows of a file of parties through the register's mapping. */
export async function* mapParties(part: Part, tools: MapTools, share: Share): AsyncGenerator<MappedBatch<NewParty>> {
  const { register, registers, modes, withholding } = tools;
  const { set, map, split, totals, isPerson } = part.source.parties as NonNullable<Part['source']['parties']>;
  const mode = modes[set] ?? 'off';
  const number = split === undefined ? (mapped: MappedParty) => mapped : createNumbering();
  const isSuppressed = ({ company, name }: MappedParty) => name !== null && withholding.isSuppressed(company, name);
  let tally: Record<string, number> = {};
  const skip = mode === 'names' || isPerson === undefined ? undefined : { reason: A_PERSON, isSkipped: isPerson };
  const batches = mapRows<MappedParty, NewParty>(part, tools, share, {
    map: map as RowMap<MappedParty>,
    skip,
    split(row) {
      if (totals !== undefined && isRecord(row)) addTally(tally, totals.tally(row) ?? {});
      return split?.(row) ?? [row];
    },
    bound: (mapped) => boundParty(mapped, mode, isSuppressed),
    prepare(mapped, source, place) {
      const { company, kind } = mapped;
      const text = withholding.party({ set, company, kind }, source.layout?.columns ?? null, source);
      const stored = { layout: source.layout, text };
      return prepareParty(`${register.id}/${set}`, number(mapped, source, place), stored, place, registers);
    },
  });
  for await (const batch of batches) {
    yield { file: part.file, duplicates: 0, ...batch, tally };
    tally = {};
  }
}

export function addTally(sum: Record<string, number>, tally: Tally): void {
  for (const name in tally) sum[name] = (sum[name] ?? 0) + (tally[name] as number);
}

/** Parties of one record with the same key, such as two people of one name, are numbered unless they are the same. */
function createNumbering() {
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
): NewParty {
  const { company, key, role, roleText, kind, name, number, countryCode, interests, absence, from, until } = mapped;
  const link = mapped.link && checkLink(mapped.link, set, registers);
  const content = { roleText, kind, name, number, countryCode, interests, absence };
  const packed = packRow({
    company: toStorable(company),
    role,
    partyRegister: link?.register ?? null,
    partyNumber: link && toStorable(link.number),
    isCurrent: mapped.current,
    isPerson,
    from,
    until,
    content: JSON.stringify(content),
    layout: layout?.id ?? null,
    sourceData: text,
  });
  return { id: digest(`${set}/${company}/${key}`), place, packed };
}

/** The number as the other register writes it. Null if it cannot be one of its numbers. */
function checkLink({ register: id, number }: Link, set: string, registers: RegistersById): Link | null {
  const register = registers.get(id);
  if (set.startsWith(`${id}/`) || register?.checkNumber === undefined)
    return { register: id, number: register?.writeNumber?.(number) ?? number };
  const checked = register.checkNumber(removeSeparators(number).toUpperCase());
  return checked === null || checked.valid === false ? null : { register: id, number: checked.number };
}
