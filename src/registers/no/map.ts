/** Maps an entity to a record. `Row` hides whether it came from the CSV or the JSON edition. */
import type { Activity, MappedRecord, Rejection } from '../contract.ts';
import { compact } from '../parsing.ts';
import type { LegalFormOf, RegistryOf } from '../vocabulary.ts';
import { type Column, locate } from './columns.ts';
import { date, text } from './fields.ts';
import { listRegistrations } from './registrations.ts';
import { readRegistry } from './registry.ts';
import type { Row } from './row.ts';
import { decideStatus } from './status.ts';

export function mapEntity(row: Row): MappedRecord | Rejection {
  const name = readName(row);
  if (name === null) return { rejected: 'no name' };
  const number = readNumber(row);
  const registeredAt = readRegisteredAt(row);
  const fields = readRegistry(row) ?? {};
  const { status, flag } = decideStatus(row, fields);
  const registry: RegistryOf = flag === null ? fields : { status: { ...flag }, ...fields };
  return {
    number,
    canonicalName: name,
    status,
    legalForm: readLegalForm(row),
    registeredAt,
    registrations: listRegistrations(row, number, registeredAt, fields, flag),
    activities: listActivities(row),
    registry,
  };
}

const readName = text('navn');
const readNumber = text('organisasjonsnummer');
const readRegisteredAt = date('registreringsdatoenhetsregisteret');
const readFormCode = text('organisasjonsform.kode');
const readFormName = text('organisasjonsform.beskrivelse');
const FORM_CODE = locate('organisasjonsform.kode');

function readLegalForm(row: Row): LegalFormOf | null {
  const [code, label] = [readFormCode(row), readFormName(row)];
  if (code !== null && label === null) row.reportUnknown('legalForm', FORM_CODE, code);
  return code === null && label === null ? null : compact({ code, label });
}

const ACTIVITIES = (['naeringskode1', 'naeringskode2', 'naeringskode3'] as const).map((name) => ({
  place: locate(`${name}.kode` satisfies Column),
  readCode: text(`${name}.kode` satisfies Column),
  readLabel: text(`${name}.beskrivelse` satisfies Column),
}));

/** "Uoppgitt": the activity is not stated. */
const NO_ACTIVITY = '00.000';

function listActivities(row: Row): Activity[] {
  const found: Activity[] = [];
  for (const { place, readCode, readLabel } of ACTIVITIES) {
    const [code, label] = [readCode(row), readLabel(row)];
    if ((code === null && label === null) || code === NO_ACTIVITY) continue;
    if (found.some((other) => other.code === code && other.label === label)) continue;
    if (code !== null && label === null) row.reportUnknown('activity', place, code);
    found.push({ type: 'unlicensed', code, label, scheme: 'SN' });
  }
  return found;
}
