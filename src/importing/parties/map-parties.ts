import { hash } from 'node:crypto';
import type { PartyMode } from '../../core/party-modes.ts';
import { toStorable } from '../../core/storable.ts';
import type { NewParty, PartyContent } from '../../parties/store.ts';
import { hashParty, type SuppressedParty } from '../../records/withholding.ts';
import type { MappedParty, Rejection } from '../../registers/contract.ts';
import { isLong } from '../mapping/bounds.ts';
import { ALL_ROWS, type MapTools, mapRows, type RowMap } from '../mapping/map-part.ts';
import type { RegistersById, StoredSource } from '../mapping/record.ts';
import type { Part } from '../reading/part.ts';
import { splitRows } from './split-rows.ts';

/** Streams the rows of a file of parties through the register's mapping. `mode` is that of the set. */
export function mapParties(part: Part, tools: MapTools, mode: PartyMode, suppressed: readonly SuppressedParty[]) {
  const { register, registers } = tools;
  const { set, map } = part.source.parties as NonNullable<Part['source']['parties']>;
  const byCompany = Map.groupBy(suppressed, ({ company }) => company);
  const isSuppressed = ({ company, name }: MappedParty) =>
    name !== null &&
    byCompany.get(company)?.some(({ entityId, party }) => hashParty(entityId, name) === party) === true;
  return mapRows<MappedParty, NewParty>(splitRows(part, mode), tools, ALL_ROWS, {
    map: map as RowMap<MappedParty>,
    bound: (mapped) => boundParty(mapped, mode, isSuppressed),
    prepare: (mapped, source, place) => prepareParty(`${register.id}/${set}`, mapped, source, place, registers),
  });
}

/** A row that says that unnamed persons are behind a company has no name. Who may be a person is treated as one. */
function mayBePerson({ kind, name }: MappedParty): boolean {
  return kind !== 'organisation' && name !== null;
}

function boundParty(
  mapped: MappedParty | Rejection,
  mode: PartyMode,
  isSuppressed: (party: MappedParty) => boolean,
): MappedParty | Rejection {
  if ('rejected' in mapped) return mapped;
  if (mode !== 'names' && mayBePerson(mapped)) return { rejected: 'a person', expected: true };
  if (isSuppressed(mapped)) return { rejected: 'suppressed', expected: true };
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
    isPerson: mayBePerson(mapped),
    from,
    until,
    content: JSON.stringify(content),
    layout: layout?.id ?? null,
    sourceData: text,
  };
  return { id: digest(`${set}/${company}/${key}`), contentHash: digest(JSON.stringify(row)), place, ...row };
}

/** 144 bits, so that two rows never have the same by accident. */
function digest(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 24);
}
