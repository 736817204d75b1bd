import type { Cell, EntityStatus, Json, MapContext, MappedRecord, Rejection } from '../contract.ts';
import { compact, findMod11CheckDigit, lookUpStatus, readDay, readText } from '../parsing.ts';
import { STATUSES } from './codes.ts';

export function mapEntity(cell: Cell, context: MapContext<null>): MappedRecord | Rejection {
  const code = cell('stat_kodas').trim();
  return makeRecord(cell, context, {
    status: lookUpStatus(STATUSES, 'stat_kodas', code, context),
    rawStatus: readText(cell('stat_pavadinimas')) ?? readText(code),
    legalForm: readText(cell('form_pavadinimas')) ?? readText(cell('form_kodas')),
    registeredAt: readDay('ja_reg_data', cell, context),
    endedAt: null,
    address: cell('adresas'),
    registry: {
      legalFormCode: readText(cell('form_kodas')),
      statusCode: readText(code),
      statusSince: readDay('stat_data_nuo', cell, context),
      exportedAt: readDay('formavimo_data', cell, context),
    },
  });
}

/**
 * An API record tells only whether and when the entity was deregistered. Its status is an id in another table, whose
 * columns are not known.
 */
export function mapApiRow(cell: Cell, context: MapContext<null>): MappedRecord | Rejection {
  const endedAt = readDay('isreg_data', cell, context);
  return makeRecord(cell, context, {
    status: cell('isreg_data').trim() === '' ? 'unknown' : 'dissolved',
    rawStatus: null,
    legalForm: null,
    registeredAt: readDay('reg_data', cell, context),
    endedAt,
    address: readText(cell('pilnas_adresas')) ?? cell('adresas'),
    registry: {
      apiId: readText(cell('_id')),
      legalFormId: readText(cell('forma._id')),
      statusId: readText(cell('statusas._id')),
      addressId: readText(cell('adresas._id')),
      statusSince: readDay('stat_data', cell, context),
      deregisteredAt: endedAt,
    },
  });
}

export function mapApiRecord(record: { readonly [key: string]: Json }, context: MapContext<null>) {
  return mapApiRow((path) => {
    let value: Json | undefined = record;
    for (const key of path.split('.')) value = (value as { readonly [key: string]: Json } | undefined)?.[key];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  }, context);
}

interface Read {
  readonly status: EntityStatus;
  readonly rawStatus: string | null;
  readonly legalForm: string | null;
  readonly registeredAt: string | null;
  readonly endedAt: string | null;
  readonly address: string;
  readonly registry: Readonly<Record<string, Json>>;
}

function makeRecord(cell: Cell, context: MapContext<null>, read: Read): MappedRecord | Rejection {
  const canonicalName = cell('ja_pavadinimas').trim();
  if (canonicalName === '') return { rejected: 'no name' };
  const { status, rawStatus, legalForm, registeredAt, endedAt } = read;
  const number = readText(cell('ja_kodas'));
  const numberValid = number === null ? null : checkNumber(number, context);
  const address = compact({ text: read.address.trim(), postCode: POST_CODE.exec(read.address)?.[0] });
  const registration = { authority: 'Registrų centras', type: 'national', status: rawStatus, registeredAt, endedAt };
  return {
    number,
    canonicalName,
    status,
    legalForm,
    registeredAt,
    registrations: number === null ? [] : [{ ...registration, number }],
    activities: [],
    registry: compact({ numberValid, ...read.registry, address }) as Readonly<Record<string, Json>>,
  };
}

const POST_CODE = /\bLT-\d{5}\b/;
const FIRST_WEIGHTS = [1, 2, 3, 4, 5, 6, 7, 8];
const SECOND_WEIGHTS = [3, 4, 5, 6, 7, 8, 9, 1];

export function findCheckDigit(digits: string): number | null {
  return findMod11CheckDigit(digits, FIRST_WEIGHTS, SECOND_WEIGHTS);
}

/** The check digit is known for nine-digit codes only. Old codes may have seven digits; for them the result is null. */
function checkNumber(number: string, context: MapContext<null>): boolean | null {
  if (/^\d{9}$/.test(number)) return String(findCheckDigit(number.slice(0, 8))) === number[8];
  if (!/^\d+$/.test(number)) context.report('ja_kodas', number, 'not a registration number');
  return null;
}
