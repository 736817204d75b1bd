import type { Queries, Reads } from '../../base/db/db.ts';
import { readOneVersion } from '../../base/db/version.ts';
import { describeSummary, type EntitySummary, toSummary } from '../../base/entity-summary.ts';
import { classifyRegistry, deriveSummary, readActivities } from '../../registers/classifications/activities.ts';
import { addElf, deriveForm } from '../../registers/classifications/elf.ts';
import type { RegistryOf } from '../../registers/vocabulary.ts';
import { findFiles, findParts } from './imports/store.ts';
import { createProvenanceWriter, type Publication, type SourceFile, type WriteProvenance } from './provenance.ts';
import { createSourceDataWriter, type Layout, type WriteSourceData } from './source-data.ts';
import {
  type FoundEntities,
  findLayouts,
  findRegistriesWith,
  findRelated,
  longTexts,
  type RelatedSummary,
  type StoredEntity,
} from './store.ts';

/** A record with everything that the record refers to, and the records of the same company in other registers. */
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

const NO_RELATED: readonly RelatedSummary[] = [];

type FindEntities<Key> = (db: Reads, keys: readonly Key[]) => Promise<FoundEntities>;

/**
 * One statement finds the records. Further statements follow only for files and layouts that are read for the first time,
 * and for records that can have related records: linked records, and records of the registers in `linking`. All statements must
 * see the same version of the data; otherwise they are repeated. The records are in the order of what `find` returns.
 */
export function createRecordFinder<Key>(linking: ReadonlySet<string>, find: FindEntities<Key>) {
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

  return (db: Reads, keys: readonly Key[]) => readOneVersion(() => tryToFind(db, keys));
}

function idOf({ id }: StoredEntity): string {
  return id;
}

/** Whether a column was too long to be read. These columns are never stored as an empty text. */
export function isCut(entity: StoredEntity): boolean {
  return longTexts.some((name) => entity[name] === '');
}

/** All links so far connect records of the same company. */
function renderRelated(related: readonly RelatedSummary[]): string {
  if (related.length === 0) return '[]';
  const shown = related.map((one) => {
    const summary = toSummary(one, deriveSummary(readActivities(one.registry), one));
    return { ...summary, relation: 'same_company' satisfies Relation };
  });
  return JSON.stringify(shown);
}

/** The main row that a record was read from. `provenance` of the record has all rows. */
export interface MainRow {
  readonly file: string;
  readonly hash: string;
  readonly row: number;
  /** The day that the file describes, `YYYY-MM-DD`; null if unknown. */
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

/**
 * The files and layouts that records refer to. Millions of records share a few files and layouts, so these are read once and kept,
 * together with the texts that all their records have in common.
 *
 * Files and layouts are kept for one version of the data. Another version may have other files under the same ids, because a store
 * can be replaced by a backup.
 */
interface KeptFiles {
  /** The version of the data. */
  readonly version: string;
  /** Ids that the store does not have are undefined. */
  readonly files: Map<number, KeptFile | undefined>;
  readonly layouts: Map<number, KeptLayout | undefined>;
}

interface KeptFile {
  readonly file: SourceFile;
  /** How the provenance of the file is written, for each register. */
  readonly writers: Map<string, WriteProvenance>;
}

interface KeptLayout {
  readonly columns: Layout['columns'];
  readonly write: WriteSourceData;
}

/** Far more files than the records of a store come from. Bounds memory. */
const MAX_KEPT = 10_000;

function createKeptFileFinder() {
  let kept: KeptFiles = { version: '', files: new Map(), layouts: new Map() };

  /** Returns the files and layouts of some entities, or undefined if the data has another version by now. */
  return async (db: Reads, version: string, entities: readonly StoredEntity[]): Promise<KeptFiles | undefined> => {
    if (kept.version !== version || kept.files.size + kept.layouts.size > MAX_KEPT) {
      kept = { version, files: new Map(), layouts: new Map() };
    }
    const current = kept;
    const fileIds = new Set<number>();
    const layoutIds = new Set<number>();
    for (const { fileId, layout } of entities) {
      if (!current.files.has(fileId)) fileIds.add(fileId);
      if (layout !== null && !current.layouts.has(layout)) layoutIds.add(layout);
    }
    const isComplete =
      (fileIds.size === 0 || (await addFiles(db, current, [...fileIds]))) &&
      (layoutIds.size === 0 || (await addLayouts(db, current, [...layoutIds])));
    return isComplete ? current : undefined;
  };
}

/** Adds nothing and returns false if the data has another version by now. */
async function addFiles(db: Reads, { version, files }: KeptFiles, ids: readonly number[]): Promise<boolean> {
  const found = await findFiles(db, ids);
  const generations = [...new Set(found.rows.map(({ generation }) => generation))];
  const imported = generations.length === 0 ? undefined : await findParts(db, generations);
  if (found.version !== version || (imported !== undefined && imported.version !== version)) return false;
  const parts = Map.groupBy(imported?.rows ?? [], ({ generation }) => generation);
  for (const id of ids) files.set(id, undefined);
  for (const file of found.rows) {
    files.set(file.id, { file: { ...file, parts: parts.get(file.generation) ?? [] }, writers: new Map() });
  }
  return true;
}

async function addLayouts(db: Reads, { version, layouts }: KeptFiles, ids: readonly number[]): Promise<boolean> {
  const found = await findLayouts(db, ids);
  if (found.version !== version) return false;
  for (const id of ids) layouts.set(id, undefined);
  for (const { id, columns } of found.rows) layouts.set(id, { columns, write: createSourceDataWriter(columns) });
  return true;
}

/** The writer for records of this register that come from the file. */
function findProvenanceWriter({ file, writers }: KeptFile, register: Publication): WriteProvenance {
  let write = writers.get(register.id);
  if (write === undefined) {
    write = createProvenanceWriter(register, file);
    writers.set(register.id, write);
  }
  return write;
}

/** What the records of a file or a layout have in common. */
export interface EntityWriters {
  /** Undefined if the source is a tree. */
  readonly writeSourceData: WriteSourceData | undefined;
  /** Undefined if the register or the file is no longer known: incomplete provenance would be misleading. */
  readonly writeProvenance: WriteProvenance | undefined;
}

export function findWriters(
  { entity, layout, file }: StoredRecord,
  registers: ReadonlyMap<string, Publication>,
): EntityWriters {
  const register = registers.get(entity.register);
  return { writeSourceData: layout?.write, writeProvenance: register && file && findProvenanceWriter(file, register) };
}

/** The parts of a record, as they appear in its text. All parts except the summary are JSON. */
export interface EntityParts {
  readonly summary: EntitySummary;
  readonly registry: string;
  readonly sourceData: string;
  readonly registrations: string;
  readonly related: string;
  readonly partyCounts: string;
  readonly provenance: string;
}

/**
 * Columns that hold JSON are copied unchanged: parsing and writing the JSON again would give the same text. Only activities and the
 * legal form get their international codes.
 */
export function describeEntity(
  { entity, related }: Pick<StoredRecord, 'entity' | 'related'>,
  { writeSourceData, writeProvenance }: EntityWriters,
): EntityParts {
  const { summary, registry, sourceData, registrations, place, origins } = entity;
  const { text, isic } = classifyRegistry(registry);
  return {
    summary: describeSummary(summary, { isic, ...deriveForm(entity) }),
    registry: addElf(text, entity, related),
    sourceData: writeSourceData === undefined ? sourceData : writeSourceData(sourceData),
    registrations,
    related: renderRelated(related),
    partyCounts: entity.partyCounts ?? 'null',
    provenance: writeProvenance === undefined ? 'null' : writeProvenance(place, origins),
  };
}

export function joinParts(parts: EntityParts): string {
  const { summary, registry, sourceData, registrations, related, partyCounts, provenance } = parts;
  return (
    `${JSON.stringify(summary).slice(0, -1)},"registry":${registry},"sourceData":${sourceData}` +
    `,"registrations":${registrations},"related":${related},"partyCounts":${partyCounts},"provenance":${provenance}}`
  );
}

export function renderEntity(record: Pick<StoredRecord, 'entity' | 'related'>, writers: EntityWriters): string {
  return joinParts(describeEntity(record, writers));
}

/** Longer records are left out, because reading such records would block the event loop. The page of a record shows all its fields. */
const MAX_BYTES = 8 * 1024;

/** The latest former name of each of these records that has one, by id. */
export function findFormerNames(db: Queries, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  return findValues(db, 'previousNames', ids, ({ previousNames }) => {
    const [latest] = Array.isArray(previousNames) ? previousNames : [];
    return latest?.name;
  });
}

/** The postcode of the registered address of each of these records that has one, by id. */
export function findPostcodes(db: Queries, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  return findValues(db, 'postCode', ids, ({ address }) => address?.postCode);
}

/** `read` takes the value from a record that has the field at any depth. */
async function findValues(
  db: Queries,
  field: string,
  ids: readonly string[],
  read: (registry: RegistryOf) => unknown,
): Promise<ReadonlyMap<string, string>> {
  const values = new Map<string, string>();
  for (const { id, registry } of await findRegistriesWith(db, field, ids, MAX_BYTES)) {
    const value = read(JSON.parse(registry) as RegistryOf);
    if (typeof value === 'string') values.set(id, value);
  }
  return values;
}
