/** Maps an entity to a record. `Row` hides whether it came from the CSV or the JSON edition. */
import type { Activity, EntityStatus, Json, MappedRecord, Registration, Rejection } from '../contract.ts';
import { readText } from '../parsing.ts';
import { type Column, locate } from './columns.ts';
import { date, text } from './fields.ts';
import { readNumber, readRegistry } from './registry.ts';
import { type JsonRecord, type Row, writeText } from './row.ts';

export function mapEntity(row: Row): MappedRecord | Rejection {
  const name = readName(row);
  if (name === null) return { rejected: 'no name' };
  const number = readNumber(row);
  const registeredAt = readRegisteredAt(row);
  const registry = readRegistry(row) ?? {};
  return {
    number,
    canonicalName: name,
    status: readStatus(row, registry),
    legalForm: readLegalForm(row),
    registeredAt,
    registrations: [...listNational(number, registeredAt, registry), ...listVat(registry), ...listForeign(registry)],
    activities: listActivities(row),
    registry,
  };
}

const readName = text('navn');
const readLegalForm = text('organisasjonsform.kode');
const readRegisteredAt = date('registreringsdatoenhetsregisteret');

type RegistryFields = { readonly [key: string]: Json };

/** The order matters because several flags can be set at the same time. */
function readStatus(row: Row, registry: RegistryFields): EntityStatus {
  if (registry.deletedAt) return 'dissolved';
  if (registry.bankrupt || registry.reconstructionAt || registry.foreignInsolvencyAt) return 'insolvent';
  if (registry.windingUp || registry.compulsoryWindingUp) return 'in_liquidation';
  return STATUS_FLAGS.some(({ place, field }) => registry[field] === undefined && row.text(place).trim() !== '')
    ? 'unknown'
    : 'active';
}

/**
 * Columns that decide the status, with their fields. A filled column without its field had a value that could not be
 * parsed.
 */
const STATUS_FLAGS = (
  [
    ['konkurs', 'bankrupt'],
    ['underAvvikling', 'windingUp'],
    ['underTvangsavviklingEllerTvangsopplosning', 'compulsoryWindingUp'],
    ['underRekonstruksjonsforhandlingDato', 'reconstructionAt'],
    ['underUtenlandskInsolvensbehandlingDato', 'foreignInsolvencyAt'],
  ] as const
).map(([column, field]) => ({ place: locate(column), field }));

function listNational(number: string | null, registeredAt: string | null, registry: RegistryFields): Registration[] {
  if (number === null) return [];
  const endedAt = readText(writeText(registry.deletedAt));
  return [{ authority: 'Brønnøysundregistrene', type: 'national', number, status: null, registeredAt, endedAt }];
}

function listVat(registry: RegistryFields): Registration[] {
  const number = writeText(registry.vatNumber);
  if (number === '') return [];
  const registeredAt = readText(writeText(registry.vatRegisteredAt));
  return [{ authority: 'Skatteetaten', type: 'vat', number, status: null, registeredAt, endedAt: null }];
}

function listForeign(registry: RegistryFields): Registration[] {
  const foreign = registry.foreign as JsonRecord | undefined;
  const number = writeText(foreign?.number);
  if (number === '') return [];
  const authority = writeText(foreign?.registerName) || writeText(foreign?.lawCountry) || 'unknown';
  return [{ authority, type: 'foreign', number, status: null, registeredAt: null, endedAt: null }];
}

const ACTIVITIES = (['naeringskode1', 'naeringskode2', 'naeringskode3'] as const).map((name) => ({
  readCode: text(`${name}.kode` satisfies Column),
  readLabel: text(`${name}.beskrivelse` satisfies Column),
}));

/** "Uoppgitt": the activity is not stated. */
const NO_ACTIVITY = '00.000';

function listActivities(row: Row): Activity[] {
  const found: Activity[] = [];
  for (const { readCode, readLabel } of ACTIVITIES) {
    const [code, label] = [readCode(row), readLabel(row)];
    if ((code === null && label === null) || code === NO_ACTIVITY) continue;
    if (found.some((other) => other.code === code && other.label === label)) continue;
    found.push({ type: 'unlicensed', code, label });
  }
  return found;
}
