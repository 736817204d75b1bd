/** Maps a company of either file to a record. */
import type { EntityStatus, Json, MapContext, MappedRecord, Registration, Rejection } from '../contract.ts';
import { compact, readDate, readText } from '../parsing.ts';
import type { Company, CompanyAddress } from './company.ts';
import { listActivities, readDetails } from './details.ts';
import { isValidNumber } from './number.ts';
import { BY_CODE, BY_TEXT } from './statuses.ts';

export function mapCompany(company: Company, context: MapContext<null>): MappedRecord | Rejection {
  const name = readText(company.name);
  if (name === null) return { rejected: 'no name' };
  const number = readText(company.number);
  const vatNumber = readText(company.vatNumber);
  const registeredAt = readDay(company, 'registeredAt', context);
  const deletedAt = readDay(company, 'deletedAt', context);
  const registry = compact({
    numberValid: number === null ? null : isValidNumber(number),
    vatNumber,
    legalFormCode: readText(company.legalFormCode),
    legalFormSubtype: readText(company.legalFormSubtype),
    statusCode: readText(company.statusCode),
    deletedAt,
    address: readAddress(company.address),
    link: readText(company.link),
    ...(company.details === null ? {} : readDetails(company.details, context)),
  });
  return {
    number,
    canonicalName: name,
    status: readStatus(company, context),
    legalForm: readText(company.legalForm),
    registeredAt,
    registrations: [
      ...listNational(company, number, registeredAt, deletedAt),
      ...(vatNumber === null ? [] : [makeVat(vatNumber)]),
    ],
    activities: company.details === null ? [] : listActivities(company.details),
    registry: registry as Readonly<Record<string, Json>>,
  };
}

/** The code decides. The text is used if the code is missing or unknown: some statuses are known by their text only. */
function readStatus({ statusCode, statusText, source }: Company, context: MapContext<null>): EntityStatus {
  const status = BY_CODE.get(statusCode.trim()) ?? BY_TEXT.get(statusText.trim().toLowerCase());
  if (status !== undefined) return status;
  context.report(source.status, [statusCode, statusText].filter((part) => part !== '').join(' '), 'unknown status');
  return 'unknown';
}

function listNational(
  { statusText, statusCode }: Company,
  number: string | null,
  registeredAt: string | null,
  endedAt: string | null,
): Registration[] {
  if (number === null) return [];
  const status = readText(statusText) ?? readText(statusCode);
  return [{ authority: 'RIK', type: 'national', number, status, registeredAt, endedAt }];
}

function makeVat(number: string): Registration {
  const authority = 'Maksu- ja Tolliamet';
  return { authority, type: 'vat', number, status: null, registeredAt: null, endedAt: null };
}

/** The place goes from small to large: `Pirita linnaosa, Tallinn, Harju maakond`. Places without a district omit it. */
function readAddress(address: CompanyAddress) {
  const parts = address.place.split(',').map((part) => part.trim());
  const region = parts.at(-1)?.endsWith(' maakond') ? (parts.pop() ?? null) : null;
  return compact({
    street: readText(address.street),
    locality: parts.length > 1 ? parts.slice(0, -1).join(', ') : null,
    city: parts.at(-1) ?? null,
    region,
    postCode: readText(address.postCode),
    placeCode: readText(address.placeCode),
    countryCode: readText(address.country),
    full: readText(address.full),
    text: readText(address.text),
    addressId: readText(address.addressId),
    objectId: readText(address.objectId),
  });
}

function readDay(company: Company, field: 'registeredAt' | 'deletedAt', context: MapContext<null>): string | null {
  const written = company[field];
  if (written.trim() === '') return null;
  const day = readDate(written.trim());
  if (day === null) context.report(company.source[field], written, 'not a date');
  return day;
}
