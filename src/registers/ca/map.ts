/** One row is one corporation. The active and inactive files have the same columns. */
import type { Cell, EntityStatus, MapContext, MappedRecord, Rejection } from '../contract.ts';
import { compact, readDay, readText, readTexts, readWhole } from '../parsing.ts';

type Context = MapContext<null>;

const AUTHORITY = 'Corporations Canada';
const TAX_AUTHORITY = 'Canada Revenue Agency';

export const COLUMNS = [
  'Corporation number',
  'Business number (BN)',
  'Corporate name - form 1',
  'Corporate name - form 2',
  'Governing legislation',
  'Status',
  'Status Detail',
  'Anniversary date',
  'Year of last annual filing',
  'Date of last annual meeting',
  'Street',
  'Street 2',
  'City/town',
  'Province/territory',
  'Country',
  'Postal code',
  'Minimum number of directors',
  'Maximum number of directors',
] as const;

export function mapCorporation(cell: Cell, context: Context): MappedRecord | Rejection {
  const names = [readText(cell('Corporate name - form 1')), readText(cell('Corporate name - form 2'))];
  const [canonicalName = null, otherName = null] = names.filter((name) => name !== null);
  if (canonicalName === null) return { rejected: 'no name' };
  const number = readNumber(cell, context);
  const businessNumber = readText(cell('Business number (BN)').replaceAll(' ', ''));
  const status = readText(cell('Status'));
  const detail = readText(cell('Status Detail'));
  const noDates = { registeredAt: null, endedAt: null };
  return {
    number,
    canonicalName,
    status: readStatus(status, detail),
    legalForm: readText(cell('Governing legislation')),
    // The file has no date of incorporation: the anniversary date is that of the annual return.
    registeredAt: null,
    registrations: [
      ...(number === null
        ? []
        : [{ authority: AUTHORITY, type: 'national', number, status: detail ?? status, ...noDates }]),
      ...(businessNumber === null
        ? []
        : [{ authority: TAX_AUTHORITY, type: 'tax', number: businessNumber, status: null, ...noDates }]),
    ],
    activities: [],
    registry: compact({
      otherName,
      businessNumber,
      statusDetail: detail,
      dissolutionPending: /dissolution pending/i.test(detail ?? '') ? true : null,
      anniversaryDate: readDay('Anniversary date', cell, context),
      lastAnnualFiling: readWhole('Year of last annual filing', cell, context),
      lastAnnualMeeting: readDay('Date of last annual meeting', cell, context),
      address: compact({
        lines: readTexts(['Street', 'Street 2'], cell),
        city: readText(cell('City/town')),
        region: readText(cell('Province/territory')),
        country: readText(cell('Country')),
        postCode: readText(cell('Postal code')),
      }),
      directors: compact({
        minimum: readWhole('Minimum number of directors', cell, context),
        maximum: readWhole('Maximum number of directors', cell, context),
      }),
    }),
  };
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
 * The texts in the files of inactive corporations are not documented. Any that mentions dissolution or discontinuance
 * is `dissolved`; every other text that is not active is `inactive`, because these files list no active corporations.
 */
function readStatus(status: string | null, detail: string | null): EntityStatus {
  if (status === null) return 'unknown';
  if (/^active\b/i.test(status)) return 'active';
  return /dissol|discontinued/i.test(`${status} ${detail ?? ''}`) ? 'dissolved' : 'inactive';
}
