import { type StoredSummary, toSummary } from '../core/entity-summary.ts';
import type { Queries } from '../db/db.ts';
import { findEntities, findRelated, type StoredEntity } from './store.ts';

/** A record, and the records of the same company in other registers. */
export interface StoredRecord {
  readonly entity: StoredEntity;
  readonly related: readonly StoredSummary[];
}

export interface FoundRecords {
  /** The version of the data (`core/version.ts`). */
  readonly version: string;
  readonly records: readonly StoredRecord[];
}

/**
 * The longest column that is read and rendered on the event loop, with room for a batch of 64 such records. Official
 * records have a few kilobytes; one in ten thousand is longer.
 */
const MAX_INLINE_BYTES = 32 * 1024;

/** An import would have to commit between the two statements each time. */
const MAX_TRIES = 3;

/**
 * Finds records by id. Only records that can have a related one cost a second statement: those that others link to, and
 * those of the registers in `linking`. It must see the same version of the data as the first one; otherwise both are
 * repeated.
 */
export async function findRecords(
  db: Queries,
  ids: readonly string[],
  size: number,
  linking: ReadonlySet<string>,
): Promise<FoundRecords> {
  for (let tries = 1; ; tries++) {
    const { version, entities } = await findEntities(db, ids, size, MAX_INLINE_BYTES);
    const connected = entities.filter(({ isLinked, register }) => isLinked === 1 || linking.has(register ?? ''));
    if (connected.length === 0) return { version, records: entities.map((entity) => ({ entity, related: [] })) };
    const found = await findRelated(
      db,
      connected.map(({ id }) => id),
      size,
    );
    if (found.version !== version && tries < MAX_TRIES) continue;
    const related = Map.groupBy(found.related, ({ relatedTo }) => relatedTo);
    return { version, records: entities.map((entity) => ({ entity, related: related.get(entity.id) ?? [] })) };
  }
}

/** Whether a column was too long to be read. None of them is ever stored as an empty text. */
export function isCut({ registry, registrations, sourceData, origins }: StoredEntity): boolean {
  return registry === '' || registrations === '' || sourceData === '' || origins === '';
}

export function renderRelated(related: readonly StoredSummary[]): string {
  return related.length === 0 ? '[]' : JSON.stringify(related.map(toSummary));
}
