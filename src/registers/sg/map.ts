import type { Activity, Cell, EntityStatus, MapContext, MappedRecord, Rejection } from '../contract.ts';
import { compact, readDay, readText, readTexts, readWhole } from '../parsing.ts';
import type { LegalFormOf, RegistryOf } from '../vocabulary.ts';
import { FORMER_NAMES } from './columns.ts';
import { isValidNumber, nameFormat } from './number.ts';
import { composeLocal, listAuditors, listCapitals, readAddress } from './registry.ts';
import { findStatus } from './statuses.ts';

type Context = MapContext<null>;

const AUTHORITY = 'Accounting and Corporate Regulatory Authority';

const MISSING = /^\s*na\s*$/i;
/** Names are in capitals, and a company may be named `NA`, so only `na` in lower case is a missing name. */
const MISSING_NAME = /^\s*na\s*$/;

/** The files write `na` for a missing value. This hides it from all code below. */
function omitMissing(cell: Cell): Cell {
  return (column) => {
    const text = cell(column);
    return (column === 'entity_name' ? MISSING_NAME : MISSING).test(text) ? '' : text;
  };
}

export function mapEntity(raw: Cell, context: Context): MappedRecord | Rejection {
  const cell = omitMissing(raw);
  const base = readBase(cell, 'entity_status_description', 'entity_type_description', context);
  if (base === null) return { rejected: 'no name' };
  const registeredAt = readDay('registration_incorporation_date', cell, context) ?? base.registeredAt;
  const [capital, ...otherCapital] = listCapitals(cell, context);
  const registry: RegistryOf = compact({
    ...base.registry,
    agency: readText(cell('issuance_agency_id')),
    businessConstitution: readText(cell('business_constitution_description')),
    firmConstitution: readText(cell('paf_constitution_description')),
    addressType: readText(cell('address_type')),
    address: readAddress(cell),
    accountsDue: readDay('account_due_date', cell, context),
    annualReturn: readDay('annual_return_date', cell, context),
    describedActivities: readTexts(['primary_user_described_activity', 'secondary_user_described_activity'], cell),
    officerCount: readWhole('no_of_officers', cell, context),
    chargeCount: readWhole('no_of_charges', cell, context),
    previousNames: readTexts(FORMER_NAMES, cell).map((name) => ({ name })),
    parties: listAuditors(cell),
    capital,
    otherCapital,
  });
  return {
    ...base,
    legalForm: readForm(cell('company_type_description')) ?? base.legalForm,
    registeredAt,
    registrations: base.registrations.map((registration) => ({ ...registration, registeredAt })),
    activities: listActivities(cell),
    registry,
  };
}

/** A row of the simpler datasets, which also list entities of other agencies. */
export function mapSimple(raw: Cell, context: Context): MappedRecord | Rejection {
  const cell = omitMissing(raw);
  const base = readBase(cell, 'uen_status_desc', 'entity_type_desc', context);
  if (base === null) return { rejected: 'no name' };
  const agency = readText(cell('issuance_agency_desc'));
  const address = composeLocal({
    street: readText(cell('reg_street_name')),
    postCode: readText(cell('reg_postal_code')),
  });
  const registry: RegistryOf = compact({ ...base.registry, agency, address });
  return {
    ...base,
    registrations: base.registrations.map((registration) => ({ ...registration, authority: agency ?? AUTHORITY })),
    activities: [],
    registry,
  };
}

function readBase(cell: Cell, statusColumn: string, typeColumn: string, context: Context) {
  const canonicalName = readText(cell('entity_name'));
  if (canonicalName === null) return null;
  const number = readText(cell('uen'));
  const status = readText(cell(statusColumn));
  const issuedAt = readDay('uen_issue_date', cell, context);
  const registration = {
    authority: AUTHORITY,
    type: 'national' as const,
    status,
    registeredAt: issuedAt,
    endedAt: null,
  };
  return {
    number,
    canonicalName,
    status: readStatus(statusColumn, status, context),
    legalForm: readForm(cell(typeColumn)),
    registeredAt: issuedAt,
    registrations: number === null ? [] : [{ ...registration, number, numberValid: isValidNumber(number) }],
    registry: {
      status: compact({ label: status }),
      uenFormat: nameFormat(number),
      uenIssuedAt: issuedAt,
      entityType: readText(cell(typeColumn)),
    },
  };
}

function readStatus(column: string, text: string | null, context: Context): EntityStatus {
  const status = text === null ? null : findStatus(text);
  if (text !== null && status === null) context.reportUnknown('status', column, text);
  return status ?? 'unknown';
}

function readForm(text: string): LegalFormOf | null {
  const label = readText(text);
  return label === null ? null : { label };
}

/** A secondary activity that repeats the primary one is left out. */
function listActivities(cell: Cell): Activity[] {
  const primary = readActivity('primary', cell);
  const secondary = readActivity('secondary', cell);
  const isRepeated = primary?.code === secondary?.code && primary?.label === secondary?.label;
  return [primary, isRepeated ? null : secondary].filter((activity) => activity !== null);
}

function readActivity(rank: 'primary' | 'secondary', cell: Cell): Activity | null {
  const [written, label] = [readText(cell(`${rank}_ssic_code`)), readText(cell(`${rank}_ssic_description`))];
  if (written === null && label === null) return null;
  // Codes have five digits; like post codes, some have lost their leading zero.
  const code = written?.replace(/^\d{4}$/, '0$&') ?? null;
  const activity = { type: 'unlicensed', code, label, scheme: 'SSIC', main: rank === 'primary' } as const;
  return written === null || written === code ? activity : { ...activity, written };
}
