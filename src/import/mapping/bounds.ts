import { MAX_NAME_LENGTH } from '../../base/entity-summary.ts';
import { formatCount } from '../../base/format-count.ts';
import type { MapContext, MappedRecord, Rejection } from '../../registers/contract.ts';

/**
 * Bounds on the fields that searches use and result lists show: a page of a hundred records, the search index and the
 * indexes of PostgreSQL (2,704 bytes per entry) rely on them. `sourceData` always has the complete value.
 */

/** Characters of a number, a legal form or a city. The longest official ones have about 100. */
const MAX_VALUE_LENGTH = 500;

/**
 * Cuts a name that is too long, and leaves out other values that are too long. Both are reported. Without its
 * registration number a record has no identity, so such a row is rejected.
 */
export function boundRecord(
  record: MappedRecord | Rejection,
  { report }: Pick<MapContext<unknown>, 'report'>,
): MappedRecord | Rejection {
  if ('rejected' in record || !hasLongValue(record)) return record;
  const { number, canonicalName, legalForm, registrations } = record;
  if (isLong(number)) return { rejected: describeLength('the registration number', MAX_VALUE_LENGTH) };
  const drop = (field: string, values: readonly (string | null | undefined)[]): boolean => {
    const long = values.find(isLong);
    if (long) report(field, long, describeLength('left out: it', MAX_VALUE_LENGTH));
    return long !== undefined;
  };
  if (canonicalName.length > MAX_NAME_LENGTH) {
    report('canonicalName', canonicalName, describeLength('cut: it', MAX_NAME_LENGTH));
  }
  return {
    ...record,
    canonicalName: canonicalName.slice(0, MAX_NAME_LENGTH),
    legalForm: drop('legalForm', [legalForm?.code, legalForm?.label]) ? null : legalForm,
    registrations: registrations.filter(({ number }) => !drop('registrations', [number])),
  };
}

function hasLongValue({ number, canonicalName, legalForm, registrations }: MappedRecord): boolean {
  if (canonicalName.length > MAX_NAME_LENGTH || isLong(number)) return true;
  if (legalForm !== null && (isLong(legalForm.code) || isLong(legalForm.label))) return true;
  for (const { number } of registrations) if (isLong(number)) return true;
  return false;
}

export function isLong(text: string | null | undefined): boolean {
  return typeof text === 'string' && text.length > MAX_VALUE_LENGTH;
}

function describeLength(what: string, limit: number): string {
  return `${what} has more than ${formatCount(limit)} characters`;
}
