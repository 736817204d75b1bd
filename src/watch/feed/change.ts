import { describeVersion } from '../../base/version.ts';
import type { ChangedDetail } from '../../registry/journal/details.ts';
import { writeCursor } from './cursor.ts';
import type { StoredChange } from './store.ts';

export const changeTypes = ['added', 'changed', 'delisted', 'relisted', 'loaded'] as const;
type ChangeType = (typeof changeTypes)[number];

/** A change in the form that clients get. */
export interface Change {
  readonly cursor: string;
  readonly type: ChangeType;
  readonly occurredAt: string;
  readonly entityId: string | null;
  readonly countryCode: string;
  readonly register: string;
  readonly fields: readonly string[];
  readonly before: ChangedValues | null;
  readonly after: ChangedValues | null;
  /** The changes of other fields. Null if they are not known, or if nothing else changed. */
  readonly details: readonly ChangedDetail[] | null;
}

/** The normalized fields before or after a change. */
export interface ChangedValues {
  readonly canonicalName: string;
  readonly status: string;
  readonly legalForm: string | null;
  readonly registeredAt: string | null;
}

/** The changes of one import. */
export function toChanges(stored: readonly StoredChange[], generation: number, publishedAt: number): Change[] {
  const version = describeVersion(generation, publishedAt);
  const occurredAt = new Date(publishedAt).toISOString();
  return stored.map((change) => ({
    cursor: writeCursor({ version, seen: change.position + 1 }),
    type: change.type as ChangeType,
    occurredAt,
    entityId: change.entityId,
    countryCode: change.countryCode,
    register: change.register,
    fields: JSON.parse(change.fields),
    before: toValues(change.nameBefore, change.statusBefore, change.legalFormBefore, change.registeredBefore),
    after: toValues(change.nameAfter, change.statusAfter, change.legalFormAfter, change.registeredAfter),
    details: change.details === null ? null : JSON.parse(change.details),
  }));
}

/** Returns null if there was no entity: every entity has a name and a status. */
function toValues(
  canonicalName: string | null,
  status: string | null,
  legalForm: string | null,
  registeredAt: string | null,
): ChangedValues | null {
  return canonicalName === null || status === null ? null : { canonicalName, status, legalForm, registeredAt };
}
