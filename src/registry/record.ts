import { hash } from 'node:crypto';
import { fold } from '../core/fold.ts';
import { nameUuid } from '../core/ids.ts';
import type { Value } from '../db/db.ts';
import type { MappedRecord, Register } from '../registers/contract.ts';

/** A record ready to be stored: its id, what it says, and a hash over all of that. */
export interface PreparedRecord {
  readonly id: string;
  readonly contentHash: string;
  /** In the order of `entityColumns`, but for what only the import knows: `updated_at` and `file_id`. */
  readonly values: readonly Value[];
  readonly place: number;
}

/** The source row as `source-data.ts` keeps it; a tree has no layout. */
export interface StoredSource {
  readonly layout: number | null;
  readonly text: string;
}

/**
 * Identity is `countryCode/register/number`. A row without a number is known by its name, date and legal form: the best
 * there is, and reported.
 */
export function prepareRecord(
  register: Register,
  record: MappedRecord,
  source: StoredSource,
  place: number,
): PreparedRecord {
  const { number, canonicalName, status, legalForm, registeredAt } = record;
  const key = number ?? JSON.stringify([canonicalName, registeredAt, legalForm]);
  const name = storable(canonicalName);
  const values = [
    register.id,
    register.country,
    name,
    storable(fold(canonicalName)),
    status,
    legalForm === null ? null : storable(legalForm),
    registeredAt,
    JSON.stringify(record.registrations),
    JSON.stringify(record.activities),
    JSON.stringify(record.registry),
    source.layout,
    source.text,
  ];
  return {
    id: nameUuid(`${register.country}/${register.id}/${key}`),
    // A separator that no value holds: JSON escapes it, and `storable` replaces it.
    contentHash: hash('sha256', values.join('\0'), 'base64url').slice(0, 22),
    values,
    place,
  };
}

/** PostgreSQL cannot store U+0000 and UTF-8 no lone surrogate; the source's own text is kept, escaped, in JSON. */
function storable(text: string): string {
  return text.isWellFormed() && !text.includes('\0') ? text : text.toWellFormed().replaceAll('\0', '\ufffd');
}
