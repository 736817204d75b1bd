import type { Reads } from '../../base/db/db.ts';
import { readOneVersion } from '../../base/db/version.ts';
import { toSummary } from '../../base/entity-summary.ts';
import { deriveSummary, readActivities } from '../../registers/classifications/activities.ts';
import { createKeptFileFinder, type KeptFile, type KeptLayout } from './kept-files.ts';
import {
  createEntityFinder,
  type FoundEntities,
  findRelated,
  longTexts,
  type PartyCounts,
  type RelatedSummary,
  type StoredEntity,
} from './store.ts';

/** A record with everything it refers to, and the records of the same company in other registers. */
export interface StoredRecord {
  readonly entity: StoredEntity;
  /** Undefined if the store does not have the file. */
  readonly file: KeptFile | undefined;
  /** Undefined if the source is a tree. */
  readonly layout: KeptLayout | undefined;
  readonly related: readonly RelatedSummary[];
}

interface FoundRecords {
  /** The version of the data (`base/version.ts`). */
  readonly version: string;
  readonly records: readonly StoredRecord[];
}

/** The longest column that is rendered on the event loop. One official record in ten thousand is longer. */
const MAX_INLINE_BYTES = 32 * 1024;

const NO_RELATED: readonly RelatedSummary[] = [];

/** Finds records by their keys, such as ids. */
type FindRecords<Key> = (db: Reads, keys: readonly Key[]) => Promise<FoundRecords>;

type FindEntities<Key> = (db: Reads, keys: readonly Key[]) => Promise<FoundEntities>;

/** Leaves out long columns. */
export function createShortFinder(counts: PartyCounts): FindEntities<string> {
  const find = createEntityFinder(counts);
  return (db, ids) => find(db, ids, MAX_INLINE_BYTES);
}

/**
 * One statement finds the records. Others follow only for files and layouts that are read for the first time, and for
 * records that can have a related one: those that others link to, and those of the registers in `linking`. All must see
 * the same version of the data; otherwise they are repeated. The records are in the order of what `find` returns.
 */
export function createRecordFinder<Key>(linking: ReadonlySet<string>, find: FindEntities<Key>): FindRecords<Key> {
  const findKept = createKeptFileFinder();

  async function tryToFind(db: Reads, keys: readonly Key[]): Promise<FoundRecords | undefined> {
    const { version, entities } = await find(db, keys);
    const kept = await findKept(db, version, entities);
    if (kept === undefined) return undefined;
    const connected = entities.filter(({ isLinked, register }) => isLinked === 1 || linking.has(register));
    const found = connected.length === 0 ? undefined : await findRelated(db, connected.map(idOf));
    if (found !== undefined && found.version !== version) return undefined;
    const related = found && Map.groupBy(found.rows, ({ relatedTo }) => relatedTo);
    const records = entities.map((entity) => ({
      entity,
      file: kept.files.get(entity.fileId),
      layout: entity.layout === null ? undefined : kept.layouts.get(entity.layout),
      related: related?.get(entity.id) ?? NO_RELATED,
    }));
    return { version, records };
  }

  return (db, keys) => readOneVersion(() => tryToFind(db, keys));
}

function idOf({ id }: StoredEntity): string {
  return id;
}

/** Whether a column was too long to be read. None of them is ever stored as an empty text. */
export function isCut(entity: StoredEntity): boolean {
  return longTexts.some((name) => entity[name] === '');
}

/** All links so far connect records of the same company. */
export function renderRelated(related: readonly RelatedSummary[]): string {
  if (related.length === 0) return '[]';
  const shown = related.map((one) => {
    const summary = toSummary(one, deriveSummary(readActivities(one.registry), one));
    return { ...summary, relation: 'same_company' satisfies Relation };
  });
  return JSON.stringify(shown);
}

/** The main row that a record was read from. `provenance` of the record has all of them. */
export interface MainRow {
  readonly file: string;
  readonly hash: string;
  readonly row: number;
  /** The day that the file describes, `YYYY-MM-DD`; null if it does not say. */
  readonly asOf: string | null;
  /** Whether the company is invented. */
  readonly synthetic: boolean;
}

/** Undefined if the store no longer knows the file. */
export function describeMainRow({ entity, file: kept }: StoredRecord): MainRow | undefined {
  if (kept === undefined) return undefined;
  const { name, hash, asOf, synthetic, parts } = kept.file;
  const isSynthetic = synthetic === 1 || parts.some((part) => part.synthetic === 1);
  return { file: name, hash, row: entity.place, asOf, synthetic: isSynthetic };
}

/** How two records are related, as `related` of a record shows it. New values may be added within v1. */
export const relationMeanings = { same_company: 'the same company in another register' } as const;

type Relation = keyof typeof relationMeanings;
