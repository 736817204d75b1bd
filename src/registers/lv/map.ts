import type { Cell, EntityStatus, MapContext, MappedRecord, Rejection } from '../contract.ts';
import { compact, readDay, readText, weighDigits } from '../parsing.ts';

const AUTHORITY = 'Uzņēmumu reģistrs';

export const WEIGHTS: readonly number[] = [9, 1, 4, 8, 3, 10, 2, 5, 7, 6, 1];
export const REMAINDER = 3;

const FLAGS: ReadonlyMap<string, boolean | null> = new Map([
  ['0', false],
  ['1', true],
  ['', null],
]);
const ONE_LETTER = /^\p{L}$/u;
const POST_CODE = /^(?:LV-)?(\d{4})$/;

export function mapEntity(cell: Cell, context: MapContext<null>): MappedRecord | Rejection {
  const canonicalName = cell('name').trim();
  if (canonicalName === '') return { rejected: 'no name' };
  const number = readText(cell('regcode'));
  const registeredAt = readDay('registered', cell, context);
  const endedAt = readDay('terminated', cell, context);
  const closed = readText(cell('closed'));
  const typeText = readText(cell('type_text'));
  const typeCode = readText(cell('type'));
  const registration = { authority: AUTHORITY, type: 'national', status: closed, registeredAt, endedAt };
  return {
    number,
    canonicalName,
    status: readStatus(closed, cell, context),
    legalForm: typeText ?? typeCode,
    registeredAt,
    registrations: number === null ? [] : [{ ...registration, number }],
    activities: [],
    registry: compact({
      numberValid: number === null ? null : checkNumber(number, context),
      legalFormCode: typeCode,
      registerCode: cell('regtype').trim(),
      registerName: cell('regtype_text').trim(),
      nameParts: compact({
        beforeQuotes: cell('name_before_quotes').trim(),
        inQuotes: cell('name_in_quotes').trim(),
        afterQuotes: cell('name_after_quotes').trim(),
      }),
      nameWithoutQuotes: readFlag('without_quotes', cell, context),
      terminatedAt: endedAt,
      address: compact({
        text: cell('address').trim(),
        postCode: readPostCode(cell, context),
        addressCode: readCode(cell('addressid')),
        regionCode: readCode(cell('region')),
        cityCode: readCode(cell('city')),
        territoryCode: readCode(cell('atvk')),
      }),
      sepaCreditorId: cell('sepa').trim(),
      reregistrationTerm: readDay('reregistration_term', cell, context),
    }),
  };
}

/** Active rows have a single space in `closed`. `L` is liquidated, `R` reorganised; any letter means dissolved. */
function readStatus(closed: string | null, cell: Cell, context: MapContext<null>): EntityStatus {
  if (closed !== null && !ONE_LETTER.test(closed)) {
    context.report('closed', closed, 'unknown status');
    if (cell('terminated').trim() === '') return 'unknown';
  }
  return closed !== null || cell('terminated').trim() !== '' ? 'dissolved' : 'active';
}

/** The check digit is known for eleven-digit numbers only. For other lengths the result is null. */
function checkNumber(number: string, context: MapContext<null>): boolean | null {
  const sum = weighDigits(number, WEIGHTS);
  if (sum !== null) return sum % 11 === REMAINDER;
  if (!/^\d+$/.test(number)) context.report('regcode', number, 'not a registration number');
  return null;
}

/** `1019` → `LV-1019`. */
function readPostCode(cell: Cell, context: MapContext<null>): string | null {
  const text = readCode(cell('index'));
  if (text === null) return null;
  const digits = POST_CODE.exec(text)?.[1];
  if (digits === undefined) context.report('index', text, 'not a postcode');
  return digits === undefined ? null : `LV-${digits}`;
}

/** In the columns that refer to the address register, `0` means that there is no code. */
function readCode(text: string): string | null {
  const code = text.trim();
  return code === '' || code === '0' ? null : code;
}

function readFlag(column: string, cell: Cell, context: MapContext<null>): boolean | null {
  const text = cell(column).trim();
  const flag = FLAGS.get(text);
  if (flag === undefined) context.report(column, text, 'neither 0 nor 1');
  return flag ?? null;
}
