/** Singapore: ACRA's corporate entities in 27 files by first letter, or the simpler datasets of entities with a UEN. */
import { fold } from '../../base/fold.ts';
import { compileStyle } from '../address.ts';
import { type Activity, type Cell, defineRegister, type EntityStatus } from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { type Common, type Field, type State, tableFields } from '../fields.ts';
import { linkByNumber, readRecordParty } from '../mapped.ts';
import { compact, readDate, takeDistinct } from '../parsing.ts';
import { describeRecord, ownNumber, ownStatus, spread } from '../record.ts';
import type { AddressOf } from '../vocabulary.ts';

type SgField<Value> = Field<Cell, unknown, Value>;

const AUTHORITY = 'Accounting and Corporate Regulatory Authority';
const lists = readCodeLists('sg');

const { text, day, whole, amount, texts, replaced, concat, first, group, groupWith, listOf, names, status, address } =
  tableFields();
const numbered = (count: number, name: string) => Array.from({ length: count }, (_, index) => `${name}${index + 1}`);

const ENTITY = { name: text('entity_name'), number: text('uen') };
const readOwn = ownNumber(AUTHORITY, isValidNumber, 'last');
const nameOwnFormat = (_cell: Cell, _context: unknown, { number }: Common) => nameFormat(number);

/** Only the beginning counts: `Dissolved - Members Voluntary Winding Up` is not a company in liquidation. */
const findByBeginning = lists.patterns<EntityStatus>('status beginning');

function readStatus(column: string): SgField<State> {
  const read = status(
    column,
    { get: (text) => lists.meanings<EntityStatus>('status').get(text) ?? findByBeginning(text) },
    fold,
  );
  return (cell, ...rest) => (cell(column).trim() === '' ? null : read(cell, ...rest));
}

/** `144 ROBINSON ROAD #14-01, ROBINSON SQUARE, Singapore 068908`: the order of Singapore, in which the unit comes early. */
const STYLE = compileStyle('{number} {street} {unit}, {building}, {lines}, {city} {postCode}', 'kept');
const [readLevel, readUnit] = [text('level_no'), text('unit_no')];

function place(street: string, written: string): SgField<AddressOf> {
  // The files lose the leading zero of a six-digit code. Codes of four digits are those in use until 1995.
  const postCode = replaced(written, /^\d{5}$/, '0$&');
  const lines = ['other_address_line1', 'other_address_line2'];
  const readPlace = concat('', 'block', street, 'level_no', 'unit_no', 'building_name', ...lines, written);
  const isLocal = (...row: Parameters<typeof postCode>) =>
    /^LOCAL$/i.test(row[0]('address_type').trim() || (/^\d{6}$/.test(postCode(...row) ?? '') ? 'LOCAL' : ''));
  return address(
    group({
      lines: texts(...lines),
      building: text('building_name'),
      street: text(street),
      number: text('block'),
      // `#14-01`: level and unit as written on every letter in Singapore.
      unit(...row) {
        const [level, unit] = [readLevel(...row), readUnit(...row)];
        if (level && unit) return `#${level}-${unit}`;
        return level ? `Level ${level}` : unit && `Unit ${unit}`;
      },
      postCode,
      city: (...row) => (isLocal(...row) && readPlace(...row) !== null ? 'Singapore' : null),
      countryCode: (...row) => (isLocal(...row) ? 'SG' : null),
      level: readLevel,
      unitNumber: readUnit,
    }),
    STYLE,
  );
}

const AUDITORS = numbered(5, '_of_audit_firm').map((ending) =>
  groupWith(['role', 'name'], {
    role: () => 'auditor' as const,
    kind: () => 'organisation' as const,
    name: first(text(`name${ending}`), text(`uen${ending}`)),
    number: text(`uen${ending}`),
  }),
);

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
    address: place('street_name', 'postal_code'),
    accountsDue: day('account_due_date'),
    annualReturn: day('annual_return_date'),
    describedActivities: texts('primary_user_described_activity', 'secondary_user_described_activity'),
    officerCount: whole('no_of_officers'),
    chargeCount: whole('no_of_charges'),
    previousNames: names(texts(...numbered(15, 'former_entity_name'))),
    parties: listOf(...AUDITORS),
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
    address: place('reg_street_name', 'reg_postal_code'),
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

/** A secondary activity that repeats the primary one is left out. */
function listActivities(cell: Cell): Activity[] {
  const found = (['primary', 'secondary'] as const).flatMap((rank): Activity[] => {
    const [written, label] = [cell(`${rank}_ssic_code`).trim(), cell(`${rank}_ssic_description`).trim() || null];
    if (written === '' && label === null) return [];
    // Codes have five digits; like post codes, some have lost their leading zero.
    const code = written === '' ? null : written.replace(/^\d{4}$/, '0$&');
    const activity = { type: 'unlicensed', code, label, scheme: 'SSIC', main: rank === 'primary' } as const;
    return [written === (code ?? '') ? activity : { ...activity, written }];
  });
  return takeDistinct(found, ({ code, label }) => `${code} ${label}`);
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
  return FORMATS.find(({ pattern }) => pattern.test(number ?? ''))?.name ?? null;
}

function isValidNumber(number: string): boolean {
  const format = FORMATS.find(({ pattern }) => pattern.test(number));
  if (format === undefined) return false;
  const { name, weights, letters } = format;
  const characters = name === 'other entity' ? CHARACTERS : '0123456789';
  const sum = weights.reduce((total, weight, index) => total + weight * characters.indexOf(number[index] ?? ''), 0);
  return letters[sum % 11] === number.at(-1);
}

export const sg = defineRegister({
  id: 'sg',
  tables: {
    'corporate entities': { map: (cell, context) => mapEntity(omitMissing(cell), context) },
    'entities with UEN': { map: (cell, context) => mapSimple(omitMissing(cell), context) },
  },
  numbers: FORMATS.map(({ pattern }) => ({ kind: 'UEN', form: pattern, check: isValidNumber })),
  // Firms are identified by their UEN, as companies are.
  recordParties: (party) => readRecordParty(party, linkByNumber(party, 'sg', /./)),
});
