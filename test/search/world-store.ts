import type { Db } from '../../src/base/db/db.ts';
import { sourceNames, summaryFields } from '../../src/base/entity-summary.ts';
import { prepareRecord } from '../../src/import/mapping/prepare.ts';
import type { Register } from '../../src/registers/contract.ts';
import { registers } from '../../src/registers/index.ts';
import { deleteAll, raiseGeneration } from '../../src/registry/records/imports/store.ts';
import { parseContent } from '../../src/registry/records/record-content.ts';
import { contentColumns, deleteEntities, insertEntities, type NewEntity } from '../../src/registry/records/store.ts';
import { prepareTools } from '../registers/mapping.ts';
import type { OracleRecord } from './oracle.ts';
import type { Change, WorldEntity } from './worlds.ts';

/** When the companies of a world are stored. */
export const NOW = Date.parse('2026-09-01T12:00:00.123Z');

export interface StoredEntity {
  readonly entity: WorldEntity;
  readonly record: OracleRecord;
}

/** Replaces the contents of the store with a world. */
export async function storeWorld(db: Db, entities: readonly WorldEntity[], now: number): Promise<StoredEntity[]> {
  const rows = new Map<string, Prepared>();
  for (const one of entities) {
    const prepared = prepare(one, now);
    if (!rows.has(prepared.record.id)) rows.set(prepared.record.id, prepared);
  }
  await db.transaction(async (tx) => {
    await deleteAll(tx);
    await insertEntities(tx, rowsOf(rows.values()));
    await raiseGeneration(tx, now);
  });
  return [...rows.values()];
}

/** Changes a stored world, in one transaction, as a re-import does. */
export async function changeWorld(
  db: Db,
  stored: readonly StoredEntity[],
  change: Change,
  now: number,
): Promise<StoredEntity[]> {
  const world = new Map<string, StoredEntity>(stored.map((one) => [one.record.id, one]));
  const renewed = new Map<string, Prepared>();
  const renew = (one: WorldEntity) => {
    const prepared = prepare(one, now);
    renewed.set(prepared.record.id, prepared);
  };
  const at = (position: number) => stored[position % stored.length]?.entity;
  for (const [position, record] of change.changed) {
    const old = at(position);
    if (old !== undefined) renew({ ...old, record: { ...record, number: old.record.number } });
  }
  for (const position of change.delisted) {
    const old = at(position);
    if (old !== undefined) renew({ ...old, record: { ...old.record, status: 'delisted' } });
  }
  for (const one of change.added) renew(one);
  const replaced = [...renewed.keys()].filter((id) => world.has(id));
  await db.transaction(async (tx) => {
    await deleteEntities(tx, replaced);
    await insertEntities(tx, rowsOf(renewed.values()));
    await raiseGeneration(tx, now);
  });
  for (const [id, one] of renewed) world.set(id, one);
  return [...world.values()];
}

export function recordsOf(stored: readonly StoredEntity[]): OracleRecord[] {
  return stored.map(({ record }) => record);
}

interface Prepared extends StoredEntity {
  readonly row: NewEntity;
}

/**
 * The oracle sees the summary as it is stored, which is what clients see, and numbers and activities as the source has
 * them.
 */
function prepare(one: WorldEntity, now: number): Prepared {
  const source = { layout: null, text: '{}' };
  const mapped = one.register === undefined ? one.record : { ...one.record, country: one.country };
  const { id, content, contentHash } = prepareRecord(prepareTools(registerOf(one)), mapped, source, 1);
  const values = parseContent(content);
  const summary = sourceNames.map((name) => [name, values[contentColumns.indexOf(summaryFields[name].column)]]);
  const { registrations, activities, legalForm } = one.record;
  const legalFormCode = legalForm?.code || null;
  const numbers = registrations.map((registration) => registration.number);
  const { previousNames = [], otherNames: others = [] } = one.record.registry as Readonly<
    Record<string, { name: string }[]>
  >;
  const otherNames = [...previousNames, ...others].map(({ name }) => name);
  const record = { id, ...Object.fromEntries(summary), updatedAt: now, numbers, otherNames, activities, legalFormCode };
  return { entity: one, record, row: { id, updatedAt: now, fileId: 1, place: 1, contentHash, content: values } };
}

function* rowsOf(prepared: Iterable<Prepared>): Generator<NewEntity> {
  for (const { row } of prepared) yield row;
}

function registerOf({ country, register: wanted }: WorldEntity): Register {
  const isWanted = (register: Register) =>
    wanted === undefined ? register.country === country : register.id === wanted;
  return registers.find(isWanted) as Register;
}
