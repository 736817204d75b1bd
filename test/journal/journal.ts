import { randomUUID } from 'node:crypto';
import type { Db, Queries, Value } from '../../src/base/db/db.ts';
import { describeVersion } from '../../src/base/version.ts';
import type { ChangedDetail } from '../../src/registry/journal/details.ts';
import { removeEntries } from '../../src/registry/journal/store.ts';
import { raiseGeneration, takeFileNumbers } from '../../src/registry/records/imports/store.ts';

/** A change as the journal has it. */
export interface JournalChange {
  readonly type: 'loaded' | 'added' | 'changed' | 'delisted' | 'relisted';
  readonly country: string;
  readonly register: string;
  readonly entityId?: string | null;
  readonly fields?: readonly string[];
  readonly before?: readonly (string | null)[];
  readonly after?: readonly (string | null)[];
  readonly details?: readonly ChangedDetail[];
}

export interface JournalImport {
  readonly register: string;
  readonly publishedAt: number;
  readonly changes: readonly JournalChange[];
}

const COLUMNS = [
  'batch',
  'position',
  'type',
  'entity_id',
  'country_code',
  'register',
  'fields',
  'name_before',
  'status_before',
  'legal_form_before',
  'registered_before',
  'name_after',
  'status_after',
  'legal_form_after',
  'registered_after',
  'details',
];
const NOTHING = [null, null, null, null];

/**
 * Publishes an import in the order in which imports do: it takes a number, writes its changes, takes the generation last and
 * commits. Returns the new version.
 */
export async function publishChanges(db: Db, { register, publishedAt, changes }: JournalImport): Promise<string> {
  const batch = await takeFileNumbers(db, 1);
  return db.transaction(async (tx) => {
    await tx.bulkLoad(
      'changes',
      COLUMNS,
      changes.map((change, position) => toRow(batch, position, change)),
    );
    const generation = await raiseGeneration(tx, publishedAt);
    const loaded = changes.some(({ type }) => type === 'loaded') ? 1 : 0;
    const mixed = changes.some((change) => change.register !== register) ? 1 : 0;
    await tx.run(
      `INSERT INTO journal (generation, published_at, register, batch, changes, loaded, mixed)
        VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [generation, publishedAt, register, batch, changes.length, loaded, mixed],
    );
    return describeVersion(generation, publishedAt);
  });
}

function toRow(batch: number, position: number, change: JournalChange): Value[] {
  const { type, country, register, fields = [], before = NOTHING, after = NOTHING, details } = change;
  const entityId = type === 'loaded' ? null : (change.entityId ?? randomUUID());
  const written = details === undefined ? null : JSON.stringify(details);
  return [batch, position, type, entityId, country, register, JSON.stringify(fields), ...before, ...after, written];
}

/** Removes the oldest imports, as pruning begins: their changes are invisible from then on. */
export async function pruneBefore(db: Queries, generation: number): Promise<void> {
  await removeEntries(db, generation);
}

/** Makes the journal empty, as it is after its migration. */
export async function emptyJournal(db: Db): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.run('DELETE FROM changes');
    await tx.run('DELETE FROM journal');
    await tx.run(`INSERT INTO journal (generation, published_at, register, batch, changes, loaded, mixed)
      SELECT generation, coalesce(published_at, 0), '', 0, 0, 0, 0 FROM generation`);
  });
}
