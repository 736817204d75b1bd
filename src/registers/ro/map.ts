import type { Activity, Cell, JoinedRows, MapContext, MappedRecord, Registration, Rejection } from '../contract.ts';
import { NO_DETAILS, noRows } from '../contract.ts';
import { compact, joinFilled, readDay, readText } from '../parsing.ts';
import type { RegistryOf } from '../vocabulary.ts';
import { activityKey, type Codes, decideStatus, readOldStatus } from './codes.ts';
import { isPersonalNumber, isValidTaxNumber } from './number.ts';
import { listBranches, listRepresentatives, readAddress, splitSector } from './registry.ts';

type Context = MapContext<Codes>;

export function mapCompany(cell: Cell, context: Context, rows: JoinedRows = noRows): MappedRecord | Rejection {
  const codes = rows('OD_STARE_FIRMA').map((row) => row('COD').trim());
  const { status, deciding, statuses, unknown } = decideStatus(codes, context.codes);
  for (const code of unknown) {
    const isListed = context.codes.statuses.has(code);
    context.reportUnknown(isListed ? 'listedStatus' : 'status', 'OD_STARE_FIRMA.COD', code);
  }
  const form = readText(cell('FORMA_JURIDICA'));
  return makeRecord(cell, context, {
    status,
    registration: {
      status: readText(statuses.flatMap(({ label }) => label ?? []).join(', ')),
      ...compact({ statusCode: codes.join(', ') }),
      registeredAt: readDay('DATA_INMATRICULARE', cell, context),
    },
    legalForm: form === null ? null : { code: form },
    activities: listActivities(rows, context),
    registry: compact({
      status: deciding,
      statuses: [...statuses],
      address: readAddress(cell),
      contacts: compact({ websites: [readText(cell('WEB'))].filter((website) => website !== null) }),
      parentCountry: readText(cell('TARA_FIRMA_MAMA')),
      parties: listRepresentatives(rows),
      establishments: listBranches(rows),
    }),
  });
}

/** The layouts of 2015 and 2018: one file, one status, and the address as one text or only city and region. */
export function mapOldCompany(cell: Cell, context: Context): MappedRecord | Rejection {
  const written = readText(cell('STARE_FIRMA'));
  const status = written === null ? 'unknown' : readOldStatus(written, context.codes);
  if (status === null) context.reportUnknown('status', 'STARE_FIRMA', written ?? '');
  const isCode = /^\d+$/.test(written ?? '');
  const label = isCode ? (context.codes.statuses.get(written ?? '') ?? null) : written;
  const code = isCode ? written : null;
  const [place, region] = [readText(cell('LOCALITATE')), readText(cell('JUDET'))];
  const text = readText(cell('ADRESA')) ?? readText(joinFilled([place, region], ', '));
  return makeRecord(cell, context, {
    status: status ?? 'unknown',
    registration: { status: label, ...compact({ statusCode: code }), registeredAt: null },
    legalForm: null,
    activities: [],
    registry: compact({
      status: compact({ code, label }),
      address: text === null ? null : { text, ...compact({ ...splitSector(place), region }) },
    }),
  });
}

interface Read extends Pick<MappedRecord, 'status' | 'legalForm' | 'activities'> {
  readonly registration: Pick<Registration, 'status' | 'statusCode' | 'registeredAt'>;
  readonly registry: RegistryOf;
}

function makeRecord(cell: Cell, context: Context, { registration, ...read }: Read): MappedRecord | Rejection {
  const canonicalName = cell('DENUMIRE').trim();
  if (canonicalName === '') return { rejected: 'no name' };
  const number = readText(cell('COD_INMATRICULARE'));
  const euid = readText(cell('EUID'));
  const registrations: Registration[] = [];
  if (number !== null)
    registrations.push({ authority: 'ONRC', type: 'national', number, ...registration, endedAt: null });
  const tax = readTaxNumber(cell, context);
  if (tax !== null) registrations.push(tax);
  if (euid !== null) registrations.push({ authority: 'BRIS', type: 'euid', number: euid, ...NO_DETAILS });
  return { number, canonicalName, registeredAt: registration.registeredAt, registrations, ...read };
}

/** `0` means that the company has no fiscal code. A personal number identifies the owner, not the company. */
function readTaxNumber(cell: Cell, context: Context): Registration | null {
  const number = readText(cell('CUI'));
  if (number === null || number === '0' || isPersonalNumber(number)) return null;
  if (!/^\d+$/.test(number)) context.report('CUI', number, 'not a fiscal code');
  return { authority: 'ANAF', type: 'tax', number, numberValid: isValidTaxNumber(number), ...NO_DETAILS };
}

/** Each code and edition once. A code without its label in N_CAEN is reported. */
function listActivities(rows: JoinedRows, context: Context): Activity[] {
  const found = new Map<string, Activity>();
  for (const row of rows('OD_CAEN_AUTORIZAT')) {
    const [code, edition] = [row('COD_CAEN_AUTORIZAT').trim(), row('VER_CAEN_AUTORIZAT').trim()];
    const key = activityKey(code, edition);
    if (code === '' || found.has(key)) continue;
    const label = context.codes.activities.get(key) ?? null;
    if (label === null && context.codes.hasActivities)
      context.reportUnknown('activity', 'OD_CAEN_AUTORIZAT.COD_CAEN_AUTORIZAT', `${code} (version ${edition})`);
    found.set(key, { type: 'unlicensed', code, label, scheme: 'CAEN', ...compact({ edition }) });
  }
  return [...found.values()];
}
