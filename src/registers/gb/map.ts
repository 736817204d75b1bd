/** One row is one company. Most fields are read by the tables in `fields.ts`; this file reads the others. */
import type { Cell, EntityStatus, MapContext, MappedRecord, Rejection } from '../contract.ts';
import { indexGroups, readCount, readText } from '../parsing.ts';
import type { RegistryOf } from '../vocabulary.ts';
import { readActivities } from './activities.ts';
import { readAddress } from './address.ts';
import { PREVIOUS_NAME_COLUMNS } from './columns.ts';
import { FIELDS, GROUPS, readDay, readGroup } from './fields.ts';

export const AUTHORITY = 'Companies House';

const STRIKE_OFF = 'active - proposal to strike off';
const DEFAULT_ADDRESS = 'COMPANIES HOUSE DEFAULT ADDRESS';
const NUMBER_LENGTH = 8;

type Context = MapContext<null>;

export function mapCompany(cell: Cell, context: Context): MappedRecord | Rejection {
  const canonicalName = cell('CompanyName').trim();
  if (canonicalName === '') return { rejected: 'no name' };
  const number = readNumber(cell, context);
  const rawStatus = cell('CompanyStatus').trim();
  const registeredAt = readDayIn('IncorporationDate', cell, context);
  const endedAt = readDayIn('DissolutionDate', cell, context);
  const category = readText(cell('CompanyCategory'));
  return {
    number,
    canonicalName,
    status: readStatus(rawStatus, context),
    legalForm: category === null ? null : { label: category },
    registeredAt,
    registrations:
      number === null
        ? []
        : [{ authority: AUTHORITY, type: 'national', number, status: rawStatus || null, registeredAt, endedAt }],
    activities: readActivities(cell, context),
    registry: readRegistry(cell, rawStatus, endedAt, context),
  };
}

/** Numbers have eight characters. A spreadsheet that saves the file drops leading zeros, so short ones are padded. */
function readNumber(cell: Cell, context: Context): string | null {
  const text = cell('CompanyNumber').trim();
  if (text.length === NUMBER_LENGTH) return text;
  if (text === '') return null;
  if (text.length < NUMBER_LENGTH && readCount(text) !== null) return text.padStart(NUMBER_LENGTH, '0');
  context.report('CompanyNumber', text, 'not eight characters');
  return text;
}

/** In lower case and without spaces around `/`: the file writes `In Administration` and `ADMINISTRATION ORDER`. */
const STATUSES = indexGroups<EntityStatus>({
  active: 'active|active - proposal to strike off|open|registered',
  in_liquidation: 'liquidation',
  insolvent:
    'administration|in administration|in administration/administrative receiver|in administration/receiver manager|' +
    'administration order|administrative receiver|receivership|receiver manager/administrative receiver|' +
    'live but receiver manager on at least one charge|voluntary arrangement|' +
    'voluntary arrangement/administrative receiver|voluntary arrangement/receiver manager|insolvency proceedings',
  dissolved: 'dissolved|converted/closed|closed|removed',
});

function readStatus(text: string, context: Context): EntityStatus {
  const lower = text.toLowerCase();
  const status = STATUSES.get(lower) ?? STATUSES.get(tidyStatus(lower));
  if (status === undefined) context.reportUnknown('status', 'CompanyStatus', text);
  return status ?? 'unknown';
}

/** The file writes `/` with and without spaces around it. */
function tidyStatus(text: string): string {
  return text.replace(/\s*\/\s*/g, '/').replace(/\s+/g, ' ');
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

function readRegistry(cell: Cell, rawStatus: string, endedAt: string | null, context: Context): RegistryOf {
  const registry: Writable<RegistryOf> = {};
  if (rawStatus !== '') registry.status = { label: rawStatus };
  // Such a company is active until it is struck off.
  if (rawStatus.toLowerCase() === STRIKE_OFF) registry.strikeOffProposed = true;
  if (endedAt !== null) registry.endedAt = endedAt;
  addAddress(registry, cell);
  addPreviousNames(registry, cell, context);
  for (const { name, column, read } of FIELDS) {
    const text = cell(column).trim();
    if (text !== '') registry[name] = read(text, column, context);
  }
  for (const [name, fields] of GROUPS) {
    const group = readGroup(fields, cell, context);
    if (group !== null) registry[name] = group;
  }
  return registry;
}

/** Companies House replaces an invalid address with its own default address, where the company cannot be found. */
function addAddress(registry: Writable<RegistryOf>, cell: Cell): void {
  const address = readAddress(cell);
  if (address === null) return;
  registry.address = address;
  if (address.lines?.some((line) => line.endsWith(DEFAULT_ADDRESS))) registry.defaultAddress = true;
}

function addPreviousNames(registry: Writable<RegistryOf>, cell: Cell, context: Context): void {
  const names: { name: string; until?: string }[] = [];
  for (const columns of PREVIOUS_NAME_COLUMNS) {
    const name = cell(columns.name).trim();
    if (name === '') continue;
    const until = readDayIn(columns.until, cell, context);
    names.push(until === null ? { name } : { name, until });
  }
  if (names.length > 0) registry.previousNames = names;
}

function readDayIn(column: string, cell: Cell, context: Context): string | null {
  const text = cell(column).trim();
  return text === '' ? null : readDay(text, column, context);
}
