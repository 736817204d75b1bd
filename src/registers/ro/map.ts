import type { Cell, JoinedRows, Json, MapContext, MappedRecord, Registration, Rejection } from '../contract.ts';
import { noRows } from '../contract.ts';
import { compact, readDay, readText, splitWords, weighDigits } from '../parsing.ts';
import { activityKey, type Codes, decideStatus, readOldStatus } from './codes.ts';

export const COLUMNS = splitWords(
  'DENUMIRE CUI COD_INMATRICULARE DATA_INMATRICULARE EUID FORMA_JURIDICA ADR_TARA ADR_JUDET ADR_LOCALITATE ADR_DEN_STRADA ' +
    'ADR_NR_STRADA ADR_BLOC ADR_SCARA ADR_ETAJ ADR_APARTAMENT ADR_COD_POSTAL ADR_SECTOR ADR_COMPLETARE WEB TARA_FIRMA_MAMA',
);
export const STATUSES = splitWords('COD_INMATRICULARE COD');
export const ACTIVITIES = splitWords('COD_INMATRICULARE COD_CAEN_AUTORIZAT VER_CAEN_AUTORIZAT');
export const REPRESENTATIVES = splitWords(
  'COD_INMATRICULARE PERSOANA_IMPUTERNICITA CALITATE DATA_NASTERE LOCALITATE_NASTERE JUDET_NASTERE TARA_NASTERE LOCALITATE ' +
    'JUDET TARA',
);
export const BRANCHES = splitWords('COD_INMATRICULARE TIP_UNITATE DENUMIRE_SUCURSALA EUID COD_FISCAL TARA');

export function mapCompany(
  cell: Cell,
  context: MapContext<Codes>,
  rows: JoinedRows = noRows,
): MappedRecord | Rejection {
  const codes = rows('OD_STARE_FIRMA').map((row) => row('COD').trim());
  const { status, statuses, unknown } = decideStatus(codes, context.codes);
  for (const code of unknown) context.report('OD_STARE_FIRMA.COD', code, 'unknown status');
  const activities = listActivities(rows, context.codes);
  return makeRecord(cell, context, {
    status,
    rawStatus: readText(codes.join(', ')),
    legalForm: readText(cell('FORMA_JURIDICA')),
    registeredAt: readDay('DATA_INMATRICULARE', cell, context),
    activities: activities.map(({ code, label }) => ({ type: 'unlicensed', code, label: label ?? null })),
    registry: {
      statuses: statuses.map((entry) => compact(entry)),
      address: readAddress(cell),
      website: readText(cell('WEB')),
      parentCountry: readText(cell('TARA_FIRMA_MAMA')),
      authorizedActivities: activities,
      representatives: rows('OD_REPREZENTANTI_LEGALI').map((row) =>
        compact({
          name: readText(row('PERSOANA_IMPUTERNICITA')),
          role: readText(row('CALITATE')),
          city: readText(row('LOCALITATE')),
          region: readText(row('JUDET')),
          country: readText(row('TARA')),
        }),
      ),
      foreignBranches: rows('OD_SUCURSALE_ALTE_STATE_MEMBRE').map((row) =>
        compact({
          name: readText(row('DENUMIRE_SUCURSALA')),
          type: readText(row('TIP_UNITATE')),
          euid: readText(row('EUID')),
          taxNumber: readText(row('COD_FISCAL')),
          country: readText(row('TARA')),
        }),
      ),
    },
  });
}

/**
 * The layouts of 2015 and 2018: one file, one status, and either the complete address as one text or only city and
 * region.
 */
export function mapOldCompany(cell: Cell, context: MapContext<Codes>): MappedRecord | Rejection {
  return makeRecord(cell, context, {
    status: readOldStatus(cell('STARE_FIRMA'), context.codes),
    rawStatus: readText(cell('STARE_FIRMA')),
    legalForm: null,
    registeredAt: null,
    activities: [],
    registry: {
      address: compact({
        text: cell('ADRESA').trim(),
        city: cell('LOCALITATE').trim(),
        region: cell('JUDET').trim(),
      }),
    },
  });
}

type Read = Pick<MappedRecord, 'status' | 'legalForm' | 'registeredAt' | 'activities'> & {
  readonly rawStatus: string | null;
  readonly registry: Readonly<Record<string, Json>>;
};

function makeRecord(cell: Cell, context: MapContext<Codes>, read: Read): MappedRecord | Rejection {
  const canonicalName = cell('DENUMIRE').trim();
  if (canonicalName === '') return { rejected: 'no name' };
  const { rawStatus, registry, ...rest } = read;
  const number = readText(cell('COD_INMATRICULARE'));
  const taxNumber = readTaxNumber(cell('CUI'));
  const taxNumberValid = taxNumber === null ? null : isValidTaxNumber(taxNumber);
  if (taxNumber !== null && !/^\d+$/.test(taxNumber)) context.report('CUI', taxNumber, 'not a fiscal code');
  const registration = { status: null, registeredAt: null, endedAt: null };
  const registrations: Registration[] = [];
  if (number !== null) {
    const { registeredAt } = read;
    registrations.push({
      ...registration,
      authority: 'ONRC',
      type: 'national',
      number,
      status: rawStatus,
      registeredAt,
    });
  }
  if (taxNumber !== null) registrations.push({ ...registration, authority: 'ANAF', type: 'tax', number: taxNumber });
  const euid = readText(cell('EUID'));
  if (euid !== null) registrations.push({ ...registration, authority: 'BRIS', type: 'euid', number: euid });
  return {
    ...rest,
    number,
    canonicalName,
    registrations,
    registry: compact({ taxNumber, taxNumberValid, ...registry }) as Readonly<Record<string, Json>>,
  };
}

type AuthorizedActivity = { code: string; version?: string; label?: string };

function listActivities(rows: JoinedRows, { activities }: Codes): AuthorizedActivity[] {
  const found = new Map<string, AuthorizedActivity>();
  for (const row of rows('OD_CAEN_AUTORIZAT')) {
    const [code, version] = [row('COD_CAEN_AUTORIZAT').trim(), row('VER_CAEN_AUTORIZAT').trim()];
    const key = activityKey(code, version);
    if (code !== '') found.set(key, { code, ...compact({ version, label: activities.get(key) ?? null }) });
  }
  return [...found.values()];
}

function readAddress(cell: Cell) {
  return compact({
    street: cell('ADR_DEN_STRADA').trim(),
    number: cell('ADR_NR_STRADA').trim(),
    block: cell('ADR_BLOC').trim(),
    staircase: cell('ADR_SCARA').trim(),
    floor: cell('ADR_ETAJ').trim(),
    apartment: cell('ADR_APARTAMENT').trim(),
    postCode: cell('ADR_COD_POSTAL').trim(),
    sector: cell('ADR_SECTOR').trim(),
    city: cell('ADR_LOCALITATE').trim(),
    region: cell('ADR_JUDET').trim(),
    country: cell('ADR_TARA').trim(),
    details: cell('ADR_COMPLETARE').trim(),
  });
}

/** `0` means that the company has no fiscal code. */
function readTaxNumber(text: string): string | null {
  const number = text.trim();
  return number === '' || number === '0' ? null : number;
}

const WEIGHTS = [7, 5, 3, 2, 1, 7, 5, 3, 2];

/** The digits before the check digit are aligned with the nine weights from the right. */
export function findTaxCheckDigit(digits: string): number | null {
  const sum = weighDigits(digits.padStart(WEIGHTS.length, '0'), WEIGHTS);
  return sum === null ? null : ((sum * 10) % 11) % 10;
}

function isValidTaxNumber(number: string): boolean {
  return number.length >= 2 && String(findTaxCheckDigit(number.slice(0, -1))) === number.at(-1);
}
