/** Singapore: ACRA's corporate entities in 27 files by first letter, or the simpler datasets of entities with a UEN. */
import { fold } from '../../base/fold.ts';
import { type Activity, type Cell, CSV, defineRegister, type EntityStatus } from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { type Common, type Field, type State, tableFields } from '../fields.ts';
import { linkByNumber, readRecordParty } from '../mapped-party.ts';
import { compact, joinFilled, readDate } from '../parsing.ts';
import { describeRecord, ownNumberLast, ownStatus, spread } from '../record.ts';
import type { AddressOf, PartyOf } from '../vocabulary.ts';

type SgField<Value> = Field<Cell, unknown, Value>;

const AUTHORITY = 'Accounting and Corporate Regulatory Authority';
const lists = readCodeLists('sg');

const { text, day, whole, amount, texts, first, group } = tableFields();
const numbered = (count: number, name: string) => Array.from({ length: count }, (_, index) => `${name}${index + 1}`);

const ENTITY = { name: text('entity_name'), number: text('uen') };
const readOwn = ownNumberLast(AUTHORITY, isValidNumber);
const nameOwnFormat = (_cell: Cell, _context: unknown, { number }: Common) => nameFormat(number);

const mapEntity = describeRecord<Cell, unknown>({
  ...ENTITY,
  registeredAt: first(day('registration_incorporation_date'), (cell) => readDate(cell('uen_issue_date').trim())),
  status: readStatus('entity_status_description'),
  legalForm: first(
    group({ label: text('company_type_description') }),
    group({ label: text('entity_type_description') }),
  ),
  registrations: [readOwn],
  activities: listActivities,
  registry: {
    status: ownStatus,
    uenFormat: nameOwnFormat,
    uenIssuedAt: day('uen_issue_date'),
    entityType: text('entity_type_description'),
    agency: text('issuance_agency_id'),
    businessConstitution: text('business_constitution_description'),
    firmConstitution: text('paf_constitution_description'),
    addressType: text('address_type'),
    address: composeLocal(
      group({
        type: text('address_type'),
        block: text('block'),
        street: text('street_name'),
        level: text('level_no'),
        unit: text('unit_no'),
        building: text('building_name'),
        postCode: text('postal_code'),
        lines: texts('other_address_line1', 'other_address_line2'),
      }),
    ),
    accountsDue: day('account_due_date'),
    annualReturn: day('annual_return_date'),
    describedActivities: texts('primary_user_described_activity', 'secondary_user_described_activity'),
    officerCount: whole('no_of_officers'),
    chargeCount: whole('no_of_charges'),
    previousNames: listPreviousNames(texts(...numbered(15, 'former_entity_name'))),
    parties: listAuditors,
    capital: spread(readCapital),
  },
});

/** A row of the simpler datasets, which also list entities of other agencies. */
const mapSimple = describeRecord<Cell, unknown>({
  ...ENTITY,
  registeredAt: day('uen_issue_date'),
  status: readStatus('uen_status_desc'),
  legalForm: group({ label: text('entity_type_desc') }),
  registrations: [
    (cell, context, common) => {
      const own = readOwn(cell, context, common);
      return own && { ...own, authority: cell('issuance_agency_desc').trim() || AUTHORITY };
    },
  ],
  registry: {
    status: ownStatus,
    uenFormat: nameOwnFormat,
    uenIssuedAt: (_cell, _context, { registeredAt }) => registeredAt,
    entityType: text('entity_type_desc'),
    agency: text('issuance_agency_desc'),
    address: composeLocal(group({ street: text('reg_street_name'), postCode: text('reg_postal_code') })),
  },
});

/**
 * The files write `na` for a missing value, which is hidden from all fields. Names are in capitals, and a company may be named `NA`, so only
 * `na` in lower case is a missing name.
 */
function omitMissing(cell: Cell): Cell {
  return (column) => {
    const written = cell(column);
    return (column === 'entity_name' ? /^\s*na\s*$/ : /^\s*na\s*$/i).test(written) ? '' : written;
  };
}

const STATUSES = lists.meanings<EntityStatus>('status');
/** Only the beginning counts: `Dissolved - Members Voluntary Winding Up` is not a company in liquidation. */
const FAMILIES: ReadonlyArray<readonly [RegExp, EntityStatus]> = [
  [/^dissolved\b|^struck off\b/, 'dissolved'],
  [/^in liquidation\b/, 'in_liquidation'],
];

function readStatus(column: string): SgField<State> {
  return (cell, context) => {
    const label = cell(column).trim() || null;
    const key = fold(label ?? '');
    const status = STATUSES.get(key) ?? FAMILIES.find(([beginning]) => beginning.test(key))?.[1];
    if (label !== null && status === undefined) context.reportUnknown('status', column, label);
    return { status: status ?? 'unknown', label };
  };
}

function listPreviousNames(field: SgField<readonly string[]>) {
  return (...row: Parameters<typeof field>) => field(...row)?.map((name) => ({ name })) ?? null;
}

/** A secondary activity that repeats the primary one is left out. */
function listActivities(cell: Cell): Activity[] {
  const primary = readActivity('primary', cell);
  const secondary = readActivity('secondary', cell);
  const isRepeated = primary?.code === secondary?.code && primary?.label === secondary?.label;
  return [primary, isRepeated ? null : secondary].filter((activity) => activity !== null);
}

function readActivity(rank: 'primary' | 'secondary', cell: Cell): Activity | null {
  const [written, label] = [cell(`${rank}_ssic_code`).trim(), cell(`${rank}_ssic_description`).trim() || null];
  if (written === '' && label === null) return null;
  // Codes have five digits; like post codes, some have lost their leading zero.
  const code = written === '' ? null : written.replace(/^\d{4}$/, '0$&');
  const activity = { type: 'unlicensed', code, label, scheme: 'SSIC', main: rank === 'primary' } as const;
  return written === (code ?? '') ? activity : { ...activity, written };
}

interface AddressColumns {
  readonly type?: string;
  readonly block?: string;
  readonly street?: string;
  readonly level?: string;
  readonly unit?: string;
  readonly building?: string;
  readonly postCode?: string;
  readonly lines?: readonly string[];
}

/** `144 ROBINSON ROAD #14-01, ROBINSON SQUARE, Singapore 068908`: the order of Singapore, in which the unit comes early. */
function composeLocal(columns: SgField<AddressColumns>): SgField<AddressOf> {
  return (...row) => {
    const { type, block, street, level, unit, building, lines = [], postCode: written } = columns(...row) ?? {};
    // The files lose the leading zero of a six-digit code. Codes of four digits are those in use until 1995.
    const postCode = written?.replace(/^\d{5}$/, '0$&');
    const flat = writeUnit(level, unit);
    const isLocal = type?.toUpperCase() === 'LOCAL' || (!type && /^\d{6}$/.test(postCode ?? ''));
    const city = isLocal ? 'Singapore' : null;
    const road = joinFilled([block, street, flat], ' ');
    const parts = [road, building, ...lines];
    if (joinFilled([...parts, postCode], '') === '') return null;
    return {
      text: joinFilled([...parts, joinFilled([city, postCode], ' ')], ', '),
      ...compact({ lines: [...lines], building, street, number: block, unit: flat, postCode, city }),
      ...(isLocal && { countryCode: 'SG' }),
      ...compact({ level, unitNumber: unit }),
    };
  };
}

/** `#14-01`: level and unit as written on every letter in Singapore. */
function writeUnit(level: string | undefined, unit: string | undefined): string | null {
  if (level && unit) return `#${level}-${unit}`;
  if (level) return `Level ${level}`;
  return unit ? `Unit ${unit}` : null;
}

const AUDITORS = numbered(5, '_of_audit_firm').map((ending) =>
  group({ number: text(`uen${ending}`), name: text(`name${ending}`) }),
);

function listAuditors(...row: Parameters<SgField<unknown>>): PartyOf[] {
  return AUDITORS.flatMap((read): PartyOf[] => {
    const { number, name = number } = read(...row) ?? {};
    if (name === undefined) return [];
    return [{ role: 'auditor', kind: 'organisation', name, ...(number !== undefined && { number }) }];
  });
}

const CAPITALS = numbered(10, 'paid_up_capital').map((prefix) =>
  group({
    currency: text(`${prefix}_currency`),
    ordinary: amount(`${prefix}_ordinary`),
    preference: amount(`${prefix}_preference`),
    others: amount(`${prefix}_others`),
  }),
);

/** Paid-up capital, one entry per currency. Only the older edition has the capital. The amount is the sum of all kinds of shares. */
function readCapital(...row: Parameters<SgField<unknown>>) {
  const [capital, ...otherCapital] = CAPITALS.flatMap((read) => {
    const found = read(...row);
    if (found === null) return [];
    const { currency, ...shares } = found;
    const amounts = Object.values(shares);
    const amount = amounts.length === 0 ? null : amounts.reduce((sum, part) => sum + part, 0);
    const isCode = /^[A-Z]{3}$/.test(currency ?? '');
    return [compact({ amount, ...(isCode ? { currency } : { currencyName: currency }), ...shares })];
  });
  return compact({ capital, otherCapital });
}

/**
 * The Unique Entity Number (UEN) has three formats, and ends with a check letter: the weighted sum modulo 11 selects it. The formulas of
 * local companies and other entities were verified on real numbers.
 */
const FORMATS = [
  { name: 'business', pattern: /^\d{8}[A-Z]$/, weights: [10, 4, 9, 3, 8, 2, 7, 1], letters: 'XMKECAWLJDB' },
  { name: 'local company', pattern: /^\d{9}[A-Z]$/, weights: [10, 8, 6, 4, 9, 7, 5, 3, 1], letters: 'ZKCMDNERGWH' },
  {
    name: 'other entity',
    pattern: /^[RST]\d{2}[A-Z]{2}\d{4}[A-Z]$/,
    weights: [4, 3, 5, 3, 10, 2, 2, 5, 7],
    letters: 'GHJKLABCDEF',
  },
];
/** In the third format, the value of a character is its position in this text. */
const CHARACTERS = 'ABCDEFGHJKLMNPQRSTUVWX0123456789';

function nameFormat(number: string | null): string | null {
  return (number !== null && FORMATS.find(({ pattern }) => pattern.test(number))?.name) || null;
}

/** The check letter of a number without its last character; null for a number in another format. */
function findCheckLetter(digits: string): string | null {
  const format = FORMATS.find(({ pattern }) => pattern.test(`${digits}A`));
  if (format === undefined) return null;
  const { name, weights, letters } = format;
  const characters = name === 'other entity' ? CHARACTERS : '0123456789';
  const sum = weights.reduce((total, weight, index) => total + weight * characters.indexOf(digits[index] ?? ''), 0);
  return letters[sum % 11] ?? null;
}

function isValidNumber(number: string): boolean {
  return findCheckLetter(number.slice(0, -1)) === number.at(-1);
}

export const sg = defineRegister({
  id: 'sg',
  name: 'ACRA Information on Corporate Entities',
  nativeName: 'ACRA Information on Corporate Entities',
  publisher: 'Accounting and Corporate Regulatory Authority (ACRA)',
  licence: 'Singapore Open Data Licence 1.0',
  attribution: 'Contains information from ACRA, data.gov.sg, Singapore Open Data Licence 1.0',
  sourceUrl: 'https://data.gov.sg/datasets/d_3f960c10fed6145404ca7b821f263b87/view',
  updates: 'monthly',
  fetch: {
    kind: 'api',
    temporary: true,
    requests: Array.from(lists.labels('data set'), ([letter, id]) => ({
      url: `https://api-open.data.gov.sg/v1/public/api/datasets/${id}/poll-download`,
      name: `ACRAInformationonCorporateEntities${letter}.csv`,
    })),
    paths: [{ keys: ['data', 'url'] }],
    size: { min: 300_000_000, max: 3_000_000_000 },
    readIn: 'pulsarpoint/companycollect, companies/analysis/singapore, and public importers that list the same ids',
  },
  files: ["ACRA Information on Corporate Entities ('A').csv … ('Others').csv"],
  minimumRows: 1_500_000,
  numberColumns: ['uen'],
  sources: [
    {
      name: 'corporate entities',
      csv: CSV,
      required: ['uen', 'entity_name', 'entity_status_description'],
      match: 'folded',
      map: (cell, context) => mapEntity(omitMissing(cell), context),
    },
    {
      name: 'entities with UEN',
      csv: CSV,
      required: ['uen', 'entity_name', 'uen_status_desc'],
      match: 'folded',
      map: (cell, context) => mapSimple(omitMissing(cell), context),
    },
  ],
  numbers: FORMATS.map(({ pattern }) => ({ kind: 'UEN', form: pattern, check: isValidNumber })),
  // Firms are identified by their UEN, as companies are.
  recordParties: (party) => readRecordParty(party, linkByNumber(party, 'sg', /./)),
});
