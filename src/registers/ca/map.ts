/** One row is one corporation. The active and inactive files have the same columns. */
import { fold } from '../../core/fold.ts';
import { composeAddress, ENGLISH_STYLE } from '../address.ts';
import type { Cell, EntityStatus, MapContext, MappedRecord, Rejection } from '../contract.ts';
import { NO_DETAILS } from '../contract.ts';
import { findCountryCode } from '../country-code.ts';
import { compact, readDay, readText, readTexts, readWhole } from '../parsing.ts';
import type { RegistryOf } from '../vocabulary.ts';

type Context = MapContext<null>;

const AUTHORITY = 'Corporations Canada';
const TAX_AUTHORITY = 'Canada Revenue Agency';

export const COLUMNS = [
  ...['Corporation number', 'Business number (BN)', 'Corporate name - form 1', 'Corporate name - form 2'],
  ...['Governing legislation', 'Status', 'Status Detail', 'Anniversary date', 'Year of last annual filing'],
  ...['Date of last annual meeting', 'Street', 'Street 2', 'City/town', 'Province/territory', 'Country'],
  ...['Postal code', 'Minimum number of directors', 'Maximum number of directors'],
] as const;

export function mapCorporation(cell: Cell, context: Context): MappedRecord | Rejection {
  const names = [readText(cell('Corporate name - form 1')), readText(cell('Corporate name - form 2'))];
  const [canonicalName = null, otherName = null] = names.filter((name) => name !== null);
  if (canonicalName === null) return { rejected: 'no name' };
  const number = readNumber(cell, context);
  const businessNumber = readText(cell('Business number (BN)').replaceAll(' ', ''));
  const detail = readText(cell('Status Detail'));
  const label = detail ?? readText(cell('Status'));
  return {
    number,
    canonicalName,
    status: readStatus(cell, context),
    // The file has no kind of corporation, only the act that governs it.
    legalForm: null,
    // The file has no date of incorporation: the anniversary date is that of the annual return.
    registeredAt: null,
    registrations: [
      ...(number === null
        ? []
        : [{ authority: AUTHORITY, type: 'national' as const, number, ...NO_DETAILS, status: label }]),
      ...(businessNumber === null
        ? []
        : [{ authority: TAX_AUTHORITY, type: 'tax' as const, number: businessNumber, ...NO_DETAILS }]),
    ],
    activities: [],
    registry: compact({
      otherNames: otherName === null ? null : [{ name: otherName }],
      governingLegislation: readText(cell('Governing legislation')),
      status: compact({ label }),
      dissolutionPending: /dissolution pending/i.test(detail ?? '') ? true : null,
      anniversaryDate: readDay('Anniversary date', cell, context),
      lastAnnualFiling: readWhole('Year of last annual filing', cell, context),
      lastAnnualMeeting: readDay('Date of last annual meeting', cell, context),
      address: readAddress(cell),
      directorLimits: compact({
        minimum: readWhole('Minimum number of directors', cell, context),
        maximum: readWhole('Maximum number of directors', cell, context),
      }),
    }) satisfies RegistryOf,
  };
}

const LANGUAGES = ['en', 'fr'];

/** The file writes countries as two-letter codes. Other texts are kept as the name of the country. */
function readAddress(cell: Cell) {
  const [country, postCode] = [cell('Country').trim(), cell('Postal code').trim()];
  const named = /^[A-Z]{2}$/.test(country)
    ? { countryCode: country }
    : { country, countryCode: findCountryCode(country, LANGUAGES) };
  const parts = {
    lines: readTexts(['Street', 'Street 2'], cell),
    city: readText(cell('City/town')),
    region: readText(cell('Province/territory')),
  };
  // Some post codes lack the space in the middle.
  const spaced = postCode.replace(/^([A-Z]\d[A-Z])(\d[A-Z]\d)$/, '$1 $2');
  const text = composeAddress(
    { ...parts, postCode: spaced, country: country === 'CA' ? null : country },
    ENGLISH_STYLE,
  );
  return composeAddress({ ...parts, postCode, text: text?.text ?? null, ...named }, ENGLISH_STYLE);
}

/** Up to seven digits without leading zeros. Some tools write a dash before the last one (`123456-7`). */
function readNumber(cell: Cell, context: Context): string | null {
  const text = readText(cell('Corporation number'));
  if (text === null) return null;
  const number = text.replaceAll('-', '');
  if (/^\d{1,8}$/.test(number)) return number;
  context.report('Corporation number', text, 'not a corporation number');
  return text;
}

/**
 * All texts of the register, in lower case. A corporation that was discontinued continues under another law, such as
 * that of a province. One that was amalgamated has become part of another corporation.
 */
const STATUSES: ReadonlyMap<string, EntityStatus> = new Map([
  ['active', 'active'],
  ['active - intent to dissolve filed', 'active'],
  ['active - dissolution pending (non-compliance)', 'active'],
  ['active - discontinuance pending', 'active'],
  ['inactive', 'inactive'],
  ['inactive - amalgamated', 'dissolved'],
  ['inactive - discontinued', 'inactive'],
  ['dissolved', 'dissolved'],
]);

/** The detail decides; the file of spring 2026 does not have it. */
function readStatus(cell: Cell, context: Context): EntityStatus {
  for (const column of ['Status Detail', 'Status']) {
    const text = cell(column).trim();
    const status = STATUSES.get(fold(text));
    if (status !== undefined) return status;
    if (text !== '') context.reportUnknown('status', column, text);
  }
  return 'unknown';
}
