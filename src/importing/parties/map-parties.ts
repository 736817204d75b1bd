import { hash } from 'node:crypto';
import type { PartyMode } from '../../core/party-modes.ts';
import { toStorable } from '../../core/storable.ts';
import type { NewParty, PartyContent } from '../../parties/store.ts';
import type { MappedParty, Rejection } from '../../registers/contract.ts';
import { isLong } from '../mapping/bounds.ts';
import { ALL_ROWS, type MapTools, mapRows, type RowMap } from '../mapping/map-part.ts';
import type { RegistersById, StoredSource } from '../mapping/record.ts';
import type { Part } from '../reading/part.ts';
import { splitRows } from './split-rows.ts';

/** Streams the rows of a file of parties through the register's mapping. */
export function mapParties(part: Part, tools: MapTools, mode: PartyMode) {
  const { register, registers } = tools;
  const { set, map } = part.source.parties as NonNullable<Part['source']['parties']>;
  return mapRows<MappedParty, NewParty>(splitRows(part), tools, ALL_ROWS, {
    map: map as RowMap<MappedParty>,
    bound: (mapped) => boundParty(mapped, mode),
    prepare: (mapped, source, place) => prepareParty(`${register.id}/${set}`, mapped, source, place, registers),
  });
}

/** A row that says that unnamed persons are behind a company has no name. Who may be a person is treated as one. */
function boundParty(mapped: MappedParty | Rejection, mode: PartyMode): MappedParty | Rejection {
  if ('rejected' in mapped) return mapped;
  if (mode !== 'names' && mapped.kind !== 'organisation' && mapped.name !== null)
    return { rejected: 'a person', expected: true };
  const texts = [mapped.company, mapped.key, mapped.roleText, mapped.name, mapped.number, mapped.absence?.text];
  return texts.some(isLong) ? { rejected: 'a value is too long' } : mapped;
}

function prepareParty(
  set: string,
  mapped: MappedParty,
  { layout, text }: StoredSource,
  place: number,
  registers: RegistersById,
): NewParty {
  const { company, key, role, roleText, kind, name, number, countryCode, interests, absence, from, until } = mapped;
  const link = mapped.link === null ? undefined : mapped.link;
  const partyNumber = link && (registers.get(link.register)?.writeNumber?.(link.number) ?? link.number);
  const content: PartyContent = { roleText, kind, name, number, countryCode, interests, absence };
  const row = {
    company: toStorable(company),
    role,
    partyRegister: link?.register ?? null,
    partyNumber: partyNumber === undefined ? null : toStorable(partyNumber),
    isCurrent: mapped.current,
    from,
    until,
    content: JSON.stringify(content),
    layout,
    sourceData: text,
  };
  return { id: digest(`${set}/${company}/${key}`), contentHash: digest(JSON.stringify(row)), place, ...row };
}

/** 144 bits, so that two rows never have the same by accident. */
function digest(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 24);
}
