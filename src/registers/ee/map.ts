/** Maps a company of either file to a record. */
import { fold } from '../../core/fold.ts';
import type { EntityStatus, MapContext, MappedRecord, Registration, Rejection } from '../contract.ts';
import { NO_DETAILS } from '../contract.ts';
import { compact, readDate, readText } from '../parsing.ts';
import type { LegalFormOf, RegistryOf } from '../vocabulary.ts';
import { readAddress } from './address.ts';
import type { Company } from './company.ts';
import { readDetails } from './details.ts';
import { isValidNumber } from './number.ts';
import { BY_CODE, BY_TEXT } from './statuses.ts';

export function mapCompany(company: Company, context: MapContext<null>): MappedRecord | Rejection {
  const name = readText(company.name);
  if (name === null) return { rejected: 'no name' };
  const number = readText(company.number);
  const registeredAt = readDay(company, 'registeredAt', context);
  const endedAt = readDay(company, 'deletedAt', context);
  const code = readText(company.statusCode.toUpperCase());
  const label = readText(company.statusText) ?? BY_CODE.get(code ?? '')?.label ?? null;
  const { activities, statusSince, ...details } =
    company.details === null ? CSV_DETAILS : readDetails(company.details, code, context);
  return {
    number,
    canonicalName: name,
    status: readStatus(company, context),
    legalForm: readLegalForm(company),
    registeredAt,
    registrations: [
      ...(number === null
        ? []
        : [
            {
              authority: 'RIK',
              type: 'national' as const,
              number,
              numberValid: isValidNumber(number),
              status: label,
              ...(code !== null && { statusCode: code }),
              registeredAt,
              endedAt,
            },
          ]),
      ...listVat(company),
    ],
    activities,
    registry: compact({
      status: compact({ code, label, since: statusSince }),
      endedAt,
      legalFormSubtype: readText(company.legalFormSubtype),
      address: readAddress(company.address),
      link: readText(company.link),
      ...details,
    }) satisfies RegistryOf,
  };
}

const CSV_DETAILS = { activities: [], statusSince: null };

/** The code decides. The text is used if the code is missing or unknown: some statuses are known by their text only. */
function readStatus({ statusCode, statusText, source }: Company, context: MapContext<null>): EntityStatus {
  const status = BY_CODE.get(statusCode.trim().toUpperCase())?.status ?? BY_TEXT.get(fold(statusText));
  if (status !== undefined) return status;
  context.reportUnknown('status', source.status, [statusCode, statusText].filter((part) => part !== '').join(' '));
  return 'unknown';
}

/** The register writes legal forms as text, so there is no list of them. */
function readLegalForm({ legalForm, legalFormCode }: Company): LegalFormOf | null {
  const form = compact({ code: readText(legalFormCode), label: readText(legalForm) });
  return form.code === undefined && form.label === undefined ? null : form;
}

function listVat({ vatNumber }: Company): Registration[] {
  const number = readText(vatNumber);
  if (number === null) return [];
  const authority = 'Maksu- ja Tolliamet';
  return [{ authority, type: 'vat', number, ...NO_DETAILS }];
}

function readDay(company: Company, field: 'registeredAt' | 'deletedAt', context: MapContext<null>): string | null {
  const written = company[field];
  if (written.trim() === '') return null;
  const day = readDate(written.trim());
  if (day === null) context.report(company.source[field], written, 'not a date');
  return day;
}
