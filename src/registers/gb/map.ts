/** One row is one company. Most fields are read by the tables in `fields.ts`; this file reads the others. */
import type { Activity, Cell, EntityStatus, Json, MapContext, MappedRecord, Rejection } from '../contract.ts';
import { readCount, readText, readTexts } from '../parsing.ts';
import { SIC_COLUMNS } from './columns.ts';
import { ADDRESS, FIELDS, GROUPS, PREVIOUS_NAMES, readDay, readFields } from './fields.ts';
import { STATUSES } from './statuses.ts';

export const AUTHORITY = 'Companies House';

const STRIKE_OFF = 'active - proposal to strike off';
const LINES = ['RegAddress.AddressLine1', 'RegAddress.AddressLine2'];
const DEFAULT_ADDRESS = 'COMPANIES HOUSE DEFAULT ADDRESS';
const NO_ACTIVITY = 'none supplied';
const NUMBER_LENGTH = 8;

export function mapCompany(cell: Cell, context: MapContext<null>): MappedRecord | Rejection {
  const canonicalName = cell('CompanyName').trim();
  if (canonicalName === '') return { rejected: 'no name' };
  const number = readNumber(cell, context);
  const rawStatus = cell('CompanyStatus').trim();
  const incorporated = cell('IncorporationDate').trim();
  const registeredAt = incorporated === '' ? null : readDay(incorporated, 'IncorporationDate', context);
  const registry = readRegistry(cell, context);
  const endedAt = (registry.dissolvedAt ?? null) as string | null;
  return {
    number,
    canonicalName,
    status: readStatus(rawStatus, registry, context),
    legalForm: readText(cell('CompanyCategory')),
    registeredAt,
    registrations:
      number === null
        ? []
        : [{ authority: AUTHORITY, type: 'national', number, status: rawStatus || null, registeredAt, endedAt }],
    activities: readActivities(cell, context),
    registry,
  };
}

/** Numbers have eight characters. A spreadsheet that saves the file drops leading zeros, so short ones are padded. */
function readNumber(cell: Cell, context: MapContext<null>): string | null {
  const text = cell('CompanyNumber').trim();
  if (text.length === NUMBER_LENGTH) return text;
  if (text === '') return null;
  if (text.length < NUMBER_LENGTH && readCount(text) !== null) return text.padStart(NUMBER_LENGTH, '0');
  context.report('CompanyNumber', text, 'not eight characters');
  return text;
}

/** Also sets `strikeOffProposed`: such a company is active until it is struck off. */
function readStatus(text: string, registry: Record<string, Json>, context: MapContext<null>): EntityStatus {
  const key = text.toLowerCase();
  if (key === STRIKE_OFF) registry.strikeOffProposed = true;
  const status = STATUSES.get(key);
  if (status === undefined) context.report('CompanyStatus', text, 'unknown status');
  return status ?? 'unknown';
}

function readRegistry(cell: Cell, context: MapContext<null>): Record<string, Json> {
  const registry = readFields(FIELDS, cell, context) ?? {};
  addAddress(registry, cell, context);
  for (const [name, fields] of GROUPS) {
    const group = readFields(fields, cell, context);
    if (group !== null) registry[name] = group;
  }
  const previousNames = PREVIOUS_NAMES.map((fields) => readFields(fields, cell, context)).filter(
    (name) => name !== null,
  );
  if (previousNames.length > 0) registry.previousNames = previousNames;
  return registry;
}

/** Companies House replaces an invalid address with its own default address, where the company cannot be found. */
function addAddress(registry: Record<string, Json>, cell: Cell, context: MapContext<null>): void {
  const lines = readTexts(LINES, cell);
  const rest = readFields(ADDRESS, cell, context);
  if (lines.length === 0 && rest === null) return;
  const address = rest ?? {};
  if (lines.length > 0) address.lines = lines;
  registry.address = address;
  if (lines.some((line) => line.endsWith(DEFAULT_ADDRESS))) registry.defaultAddress = true;
}

function readActivities(cell: Cell, context: MapContext<null>): Activity[] {
  const activities: Activity[] = [];
  for (const column of SIC_COLUMNS) {
    const text = cell(column).trim();
    const activity = text === '' ? null : readActivity(text, column, context);
    if (activity === null) continue;
    const isKnown = activities.some(({ code, label }) => code === activity.code && label === activity.label);
    if (!isKnown) activities.push(activity);
  }
  return activities;
}

/** `62020 - Information technology consultancy activities`. Old rows have four-digit codes of SIC 2003. */
function readActivity(text: string, column: string, context: MapContext<null>): Activity | null {
  const dash = text.indexOf(' - ');
  const code = dash < 0 ? text : text.slice(0, dash);
  if ((code.length === 5 || code.length === 4) && readCount(code) !== null) {
    return { type: 'unlicensed', code, label: dash < 0 ? null : readText(text.slice(dash + 3)) };
  }
  if (text.toLowerCase() === NO_ACTIVITY) return null;
  context.report(column, text, 'does not start with a SIC code');
  return { type: 'unlicensed', code: null, label: text };
}
