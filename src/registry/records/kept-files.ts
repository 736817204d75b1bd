import type { Reads } from '../../base/db/db.ts';
import { findFiles, findParts } from './imports/store.ts';
import { createProvenanceWriter, type Publication, type SourceFile, type WriteProvenance } from './provenance.ts';
import { createSourceDataWriter, type Layout, type WriteSourceData } from './source-data.ts';
import { findLayouts, type StoredEntity } from './store.ts';

/**
 * The files and layouts that records refer to. Millions of records share a few of them, so they are read once and kept,
 * together with the texts that all their records have in common.
 *
 * They are kept for one version of the data. Another version may have other files under the same ids, because a store
 * can be replaced by a backup.
 */
interface KeptFiles {
  /** The version of the data. */
  readonly version: string;
  /** Ids that the store does not have are undefined. */
  readonly files: Map<number, KeptFile | undefined>;
  readonly layouts: Map<number, KeptLayout | undefined>;
}

export interface KeptFile {
  readonly file: SourceFile;
  /** How the provenance of the file is written, for each register. */
  readonly writers: Map<string, WriteProvenance>;
}

export interface KeptLayout {
  readonly columns: Layout['columns'];
  readonly write: WriteSourceData;
}

/** Returns the files and layouts of some entities, or undefined if the data has another version by now. */
type FindKeptFiles = (db: Reads, version: string, entities: readonly StoredEntity[]) => Promise<KeptFiles | undefined>;

/** Far more files than the records of a store come from. Bounds memory. */
const MAX_KEPT = 10_000;

export function createKeptFileFinder(): FindKeptFiles {
  let kept: KeptFiles = { version: '', files: new Map(), layouts: new Map() };

  return async (db, version, entities) => {
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
export function findProvenanceWriter({ file, writers }: KeptFile, register: Publication): WriteProvenance {
  let write = writers.get(register.id);
  if (write === undefined) {
    write = createProvenanceWriter(register, file);
    writers.set(register.id, write);
  }
  return write;
}
