import type { Cell, EntityStatus, MapContext, MappedRecord, Registration, Rejection } from '../contract.ts';
import { NO_DETAILS } from '../contract.ts';
import { compact, readDay, readLegalForm, readText, splitWords } from '../parsing.ts';
import type { RegistryOf } from '../vocabulary.ts';
import { readAddress } from './address.ts';
import { hasValidCheckDigit } from './number.ts';

export const COLUMNS = splitWords(
  'regcode sepa name name_before_quotes name_in_quotes name_after_quotes without_quotes regtype regtype_text type ' +
    'type_text registered terminated closed address index addressid region city atvk reregistration_term',
);

const AUTHORITY = 'Uzņēmumu reģistrs';

const FLAGS: ReadonlyMap<string, boolean | null> = new Map([
  ['0', false],
  ['1', true],
  ['', null],
]);
/** Letters in `closed`. */
const ENDINGS: ReadonlyMap<string | null, string> = new Map([
  ['L', 'Likvidēts'],
  ['R', 'Reorganizēts'],
]);
const ONE_LETTER = /^\p{L}$/u;

export function mapEntity(cell: Cell, context: MapContext<unknown>): MappedRecord | Rejection {
  const canonicalName = cell('name').trim();
  if (canonicalName === '') return { rejected: 'no name' };
  const number = readText(cell('regcode'));
  const registeredAt = readDay('registered', cell, context);
  const endedAt = readDay('terminated', cell, context);
  const closed = readText(cell('closed').toUpperCase());
  const registry: RegistryOf = compact({
    status: compact({ code: closed, label: ENDINGS.get(closed) }),
    endedAt,
    registerCode: cell('regtype').trim(),
    registerName: cell('regtype_text').trim(),
    nameParts: compact({
      beforeQuotes: cell('name_before_quotes').trim(),
      inQuotes: cell('name_in_quotes').trim(),
      afterQuotes: cell('name_after_quotes').trim(),
    }),
    nameWithoutQuotes: readFlag('without_quotes', cell, context),
    address: readAddress(cell, context),
    reregistrationTerm: readDay('reregistration_term', cell, context),
  });
  return {
    number,
    canonicalName,
    status: readStatus(closed, cell, context),
    legalForm: readLegalForm('type', 'type_text', cell, context),
    registeredAt,
    registrations: listRegistrations(cell, context, { closed, registeredAt, endedAt }),
    activities: [],
    registry,
  };
}

interface Details {
  readonly closed: string | null;
  readonly registeredAt: string | null;
  readonly endedAt: string | null;
}

/** The register's own number and the identifier of the creditor of a SEPA direct debit. */
function listRegistrations(cell: Cell, context: MapContext<unknown>, details: Details): Registration[] {
  const [number, sepa] = [readText(cell('regcode')), readText(cell('sepa'))];
  const { closed, registeredAt, endedAt } = details;
  const found: Registration[] = [];
  if (number !== null) {
    const numberValid = readCheckDigit(number, context);
    found.push({
      authority: AUTHORITY,
      type: 'national',
      number,
      ...(numberValid !== null && { numberValid }),
      status: ENDINGS.get(closed) ?? null,
      ...(closed !== null && { statusCode: closed }),
      registeredAt,
      endedAt,
    });
  }
  if (sepa !== null) found.push({ authority: 'SEPA', type: 'other', number: sepa, ...NO_DETAILS });
  return found;
}

/** Active rows have a single space in `closed`. Any letter means dissolved; a letter that is not known is reported. */
function readStatus(closed: string | null, cell: Cell, context: MapContext<unknown>): EntityStatus {
  if (closed !== null && !ENDINGS.has(closed)) context.reportUnknown('status', 'closed', closed);
  if (cell('terminated').trim() !== '') return 'dissolved';
  if (closed === null) return 'active';
  return ONE_LETTER.test(closed) ? 'dissolved' : 'unknown';
}

function readCheckDigit(number: string, context: MapContext<unknown>): boolean | null {
  if (!/^\d+$/.test(number)) context.report('regcode', number, 'not a registration number');
  return hasValidCheckDigit(number);
}

function readFlag(column: string, cell: Cell, context: MapContext<unknown>): boolean | null {
  const text = cell(column).trim();
  const flag = FLAGS.get(text);
  if (flag === undefined) context.report(column, text, 'neither 0 nor 1');
  return flag ?? null;
}
