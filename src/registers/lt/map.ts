import type { Cell, EntityStatus, Json, MapContext, MappedRecord, Rejection } from '../contract.ts';
import { compact, readDay, readLegalForm, readText } from '../parsing.ts';
import type { LegalFormOf } from '../vocabulary.ts';
import { readAddress } from './address.ts';
import { DEREGISTERED, findStatus } from './codes.ts';
import { hasValidCheckDigit } from './number.ts';

type Context = MapContext<null>;

/** A row of the file of registered entities. */
export function mapEntity(cell: Cell, context: Context): MappedRecord | Rejection {
  return makeRecord(cell, context, {
    ...readStatus('stat_kodas', 'stat_pavadinimas', cell, context),
    statusSince: readDay('stat_data_nuo', cell, context),
    endedAt: null,
    ...readShared(cell, context),
  });
}

/** A row of the file of deregistered entities, which has no status. */
export function mapEnded(cell: Cell, context: Context): MappedRecord | Rejection {
  const endedAt = readDay('isreg_data', cell, context);
  return makeRecord(cell, context, {
    status: 'dissolved',
    statusCode: DEREGISTERED.code,
    statusLabel: DEREGISTERED.label,
    statusSince: endedAt,
    endedAt,
    ...readShared(cell, context),
  });
}

/** The columns that both files have. */
function readShared(cell: Cell, context: Context) {
  return {
    legalForm: readLegalForm('form_kodas', 'form_pavadinimas', cell, context),
    registeredAt: readDay('ja_reg_data', cell, context),
    address: cell('adresas'),
    national: { exportedAt: readDay('formavimo_data', cell, context) },
  };
}

/** Form and status of an API record are ids in other tables, unless the request selected their names too. */
export function mapApiRow(cell: Cell, context: Context): MappedRecord | Rejection {
  const endedAt = readDay('isreg_data', cell, context);
  // A record with only an id has no status that could be counted as unknown.
  const hasStatus = API_STATUS.some((column) => cell(column).trim() !== '');
  const read = hasStatus ? readStatus(...API_STATUS, cell, context) : NO_STATUS;
  const form = compact({ code: cell('forma.kodas').trim(), label: cell('forma.pavadinimas').trim() });
  return makeRecord(cell, context, {
    ...read,
    ...(cell('isreg_data').trim() !== '' && { status: 'dissolved' }),
    statusSince: readDay('stat_data', cell, context),
    legalForm: form.label === undefined ? null : form,
    registeredAt: readDay('reg_data', cell, context),
    endedAt,
    address: readText(cell('pilnas_adresas')) ?? cell('adresas'),
    national: {
      apiId: readText(cell('_id')),
      legalFormId: readText(cell('forma._id')),
      statusId: readText(cell('statusas._id')),
      addressId: readText(cell('adresas._id')),
    },
  });
}

const API_STATUS = ['statusas.kodas', 'statusas.pavadinimas'] as const;
const NO_STATUS = { status: 'unknown', statusCode: '', statusLabel: null } as const;

function readStatus(codeColumn: string, textColumn: string, cell: Cell, context: Context) {
  const [code, label] = [cell(codeColumn).trim(), readText(cell(textColumn))];
  const found = findStatus(code, label ?? '');
  if (found === undefined)
    context.reportUnknown('status', code === '' ? textColumn : codeColumn, code === '' ? (label ?? '') : code);
  return {
    status: found?.status ?? 'unknown',
    statusCode: code === '' ? (found?.code ?? '') : code,
    statusLabel: label,
  };
}

export function mapApiRecord(record: { readonly [key: string]: Json }, context: Context) {
  return mapApiRow((path) => {
    let value: Json | undefined = record[path];
    if (value === undefined) {
      value = record;
      for (const key of path.split('.')) value = (value as { readonly [key: string]: Json } | null | undefined)?.[key];
    }
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  }, context);
}

interface Read {
  readonly status: EntityStatus;
  readonly statusCode: string;
  readonly statusLabel: string | null;
  readonly statusSince: string | null;
  readonly legalForm: LegalFormOf | null;
  readonly registeredAt: string | null;
  readonly endedAt: string | null;
  readonly address: string;
  readonly national: { readonly [name: string]: string | null };
}

const AUTHORITY = 'Registrų centras';

function makeRecord(cell: Cell, context: Context, read: Read): MappedRecord | Rejection {
  const canonicalName = cell('ja_pavadinimas').trim();
  if (canonicalName === '') return { rejected: 'no name' };
  const { status, statusCode, statusLabel, legalForm, registeredAt, endedAt } = read;
  const number = readText(cell('ja_kodas'));
  return {
    number,
    canonicalName,
    status,
    legalForm,
    registeredAt,
    registrations:
      number === null
        ? []
        : [
            {
              authority: AUTHORITY,
              type: 'national',
              number,
              ...compact({ numberValid: readCheckDigit(number, context) }),
              status: statusLabel,
              ...compact({ statusCode }),
              registeredAt,
              endedAt,
            },
          ],
    activities: [],
    registry: {
      ...compact({
        status: compact({ code: statusCode, label: statusLabel, since: read.statusSince }),
        endedAt,
        address: readAddress(read.address.trim()),
      }),
      ...compact(read.national),
    },
  };
}

function readCheckDigit(number: string, context: Context): boolean | null {
  if (!/^\d+$/.test(number)) context.report('ja_kodas', number, 'not a registration number');
  return hasValidCheckDigit(number);
}
