/** The numbers of an entity: its own, its VAT number, and its number in the register of another country. */
import { NO_DETAILS, type Registration } from '../contract.ts';
import { text } from './fields.ts';
import { isValidNumber } from './number.ts';
import type { Registry } from './registry.ts';
import type { Row } from './row.ts';
import type { Flag } from './status.ts';

const readForeignNumber = text('registreringsnummerIHjemlandet');

export function listRegistrations(
  row: Row,
  number: string | null,
  registeredAt: string | null,
  { endedAt, vatRegistered, vatRegisteredAt, foreign }: Registry,
  flag: Flag | null,
): Registration[] {
  const found: Registration[] = [];
  if (number !== null) {
    const national = { authority: 'Brønnøysundregistrene', type: 'national', number } as const;
    found.push({
      ...national,
      numberValid: isValidNumber(number),
      status: flag?.label ?? null,
      ...(flag !== null && { statusCode: flag.code }),
      registeredAt,
      endedAt: endedAt ?? null,
    });
  }
  if (number !== null && vatRegistered) {
    const vat = { authority: 'Skatteetaten', type: 'vat', number: `NO${number}MVA` } as const;
    found.push({ ...vat, ...NO_DETAILS, registeredAt: vatRegisteredAt ?? null });
  }
  const foreignNumber = readForeignNumber(row);
  if (foreignNumber !== null) {
    const authority = foreign?.registerName ?? foreign?.lawCountry ?? 'unknown';
    found.push({ authority, type: 'foreign', number: foreignNumber, ...NO_DETAILS });
  }
  return found;
}
