import type { Activity, Cell, EntityStatus, MapContext, MappedRecord, Rejection } from '../contract.ts';
import { compact, readDay, readText, readTexts, readWhole } from '../parsing.ts';
import { AUDITORS, FORMER_NAMES } from './columns.ts';
import { findFormat, readAddress } from './registry.ts';

type Context = MapContext<null>;

const AUTHORITY = 'Accounting and Corporate Regulatory Authority';

/** By the text in lower case. */
const STATUSES: ReadonlyMap<string, EntityStatus> = new Map([
  ['live', 'active'],
  ['live company', 'active'],
  ['registered', 'active'],
  ['terminated', 'dissolved'],
  ['cancelled', 'dissolved'],
  ['ceased registration', 'dissolved'],
  ['struck off', 'dissolved'],
  ['deregistered', 'dissolved'],
]);

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
  const companyType = readText(cell('company_type_description'));
  const registeredAt = readDay('registration_incorporation_date', cell, context) ?? base.registeredAt;
  return {
    ...base,
    legalForm: companyType ?? base.legalForm,
    registeredAt,
    registrations: base.registrations.map((registration) => ({ ...registration, registeredAt })),
    activities: [...listActivities('primary', cell), ...listActivities('secondary', cell)],
    registry: compact({
      ...base.registry,
      agency: readText(cell('issuance_agency_id')),
      companyType,
      businessConstitution: readText(cell('business_constitution_description')),
      firmConstitution: readText(cell('paf_constitution_description')),
      address: readAddress(cell),
      accountsDue: readDay('account_due_date', cell, context),
      annualReturn: readDay('annual_return_date', cell, context),
      describedActivities: readTexts(['primary_user_described_activity', 'secondary_user_described_activity'], cell),
      officers: readWhole('no_of_officers', cell, context),
      charges: readWhole('no_of_charges', cell, context),
      previousNames: readTexts(FORMER_NAMES, cell),
      auditFirms: AUDITORS.map((ending) =>
        compact({ uen: readText(cell(`uen${ending}`)), name: readText(cell(`name${ending}`)) }),
      ).filter((firm) => firm.uen !== undefined || firm.name !== undefined),
    }),
  };
}

/** A row of the simpler datasets, which also list entities of other agencies. */
export function mapSimple(raw: Cell, context: Context): MappedRecord | Rejection {
  const cell = omitMissing(raw);
  const base = readBase(cell, 'uen_status_desc', 'entity_type_desc', context);
  if (base === null) return { rejected: 'no name' };
  const authority = readText(cell('issuance_agency_desc')) ?? AUTHORITY;
  return {
    ...base,
    registrations: base.registrations.map((registration) => ({ ...registration, authority })),
    activities: [],
    registry: compact({
      ...base.registry,
      agency: readText(cell('issuance_agency_desc')),
      address: compact({ street: readText(cell('reg_street_name')), postCode: readText(cell('reg_postal_code')) }),
    }),
  };
}

function readBase(cell: Cell, statusColumn: string, typeColumn: string, context: Context) {
  const canonicalName = readText(cell('entity_name'));
  if (canonicalName === null) return null;
  const number = readText(cell('uen'));
  const status = readText(cell(statusColumn));
  const issuedAt = readDay('uen_issue_date', cell, context);
  const registration = { authority: AUTHORITY, type: 'national', status, registeredAt: issuedAt, endedAt: null };
  return {
    number,
    canonicalName,
    status: readStatus(status),
    legalForm: readText(cell(typeColumn)),
    registeredAt: issuedAt,
    registrations: number === null ? [] : [{ ...registration, number }],
    registry: { uenFormat: findFormat(number), uenIssuedAt: issuedAt, entityType: readText(cell(typeColumn)) },
  };
}

/** The complete list of status texts is not known, so common words are matched, and an unknown text is not reported. */
function readStatus(text: string | null): EntityStatus {
  const key = (text ?? '').toLowerCase();
  const known = STATUSES.get(key);
  if (known !== undefined) return known;
  if (/liquidation|winding up/.test(key)) return 'in_liquidation';
  if (/receivership|judicial management/.test(key)) return 'insolvent';
  if (/^(dissolved|struck off|cancelled|terminated|ceased|deregistered)\b/.test(key)) return 'dissolved';
  return /^live\b/.test(key) ? 'active' : 'unknown';
}

function listActivities(rank: 'primary' | 'secondary', cell: Cell): Activity[] {
  const [code, label] = [readText(cell(`${rank}_ssic_code`)), readText(cell(`${rank}_ssic_description`))];
  return code === null && label === null ? [] : [{ type: 'unlicensed', code, label }];
}
