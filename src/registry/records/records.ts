import type { Queries, Reads } from '../../base/db/db.ts';
import { findVersion, readOneVersion } from '../../base/db/version.ts';
import { describeSummary, type EntitySummary, toSummary } from '../../base/entity-summary.ts';
import { classifyRegistry, deriveSummary, readActivities } from '../../registers/classifications/activities.ts';
import { addElf, deriveForm } from '../../registers/classifications/elf.ts';
import type { Register } from '../../registers/contract.ts';
import type { RegistryOf } from '../../registers/vocabulary.ts';
import { listFiles, listParts, type StoredFile, type StoredPart } from './imports/store.ts';
import { createSourceDataWriter, type Layout, type WriteSourceData } from './source-data.ts';
import * as store from './store.ts';

/** A record with everything that the record refers to, and the records of the same company in other registers. */
export interface StoredRecord {
  readonly entity: store.StoredEntity;
  /** Undefined if the store does not have the file. */
  readonly file: KeptFile | undefined;
  /** Undefined if the source is a tree. */
  readonly layout: KeptLayout | undefined;
  readonly related: readonly store.RelatedSummary[];
}

export type SourceFile = StoredFile & { readonly parts: readonly StoredPart[] };

interface KeptFile extends SourceFile {
  /** Undefined if the register is no longer known: incomplete provenance would be misleading. */
  readonly writeProvenance: ReturnType<typeof createProvenanceWriter> | undefined;
}

interface KeptLayout {
  readonly columns: Layout['columns'];
  readonly write: WriteSourceData;
}

/** What finding and rendering the records of a register needs. */
export interface RecordRegister extends Publication {
  /** Whether its records name records of other registers. */
  readonly links?: boolean | undefined;
}

const NO_RELATED: readonly store.RelatedSummary[] = [];

/**
 * One statement finds the records. Further statements follow only for files and layouts that are read for the first time, and for records that can have
 * related records. All statements must see the same version of the data; otherwise they are repeated. The order is that of what `find` returns.
 */
export function createRecordFinder<Key>(
  registers: ReadonlyMap<string, RecordRegister>,
  find: (db: Reads, keys: readonly Key[]) => Promise<store.FoundEntities>,
) {
  const findKept = createKeptFileFinder(registers);
  const mayBeRelated = ({ isLinked, register }: store.StoredEntity) =>
    isLinked === 1 || registers.get(register)?.links === true;

  async function tryToFind(db: Reads, keys: readonly Key[]) {
    const { version, entities } = await find(db, keys);
    const kept = await findKept(db, version, entities);
    if (kept === undefined) return undefined;
    const connected = entities.filter(mayBeRelated).map(({ id }) => id);
    const found = connected.length === 0 ? undefined : await store.findRelated(db, connected);
    if (found !== undefined && found.version !== version) return undefined;
    const related = found && Map.groupBy(found.rows, ({ relatedTo }) => relatedTo);
    const records = entities.map(
      (entity): StoredRecord => ({
        entity,
        file: kept.files.get(entity.fileId),
        layout: entity.layout === null ? undefined : kept.layouts.get(entity.layout),
        related: related?.get(entity.id) ?? NO_RELATED,
      }),
    );
    return { version, records };
  }

  return (db: Reads, keys: readonly Key[]) => readOneVersion(() => tryToFind(db, keys));
}

/** Whether a column was too long to be read. These columns are never stored as an empty text. */
export function isCut(entity: store.StoredEntity): boolean {
  return store.longTexts.some((name) => entity[name] === '');
}

/** All links so far connect records of the same company. */
function renderRelated(related: readonly store.RelatedSummary[]): string {
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
  readonly synthetic: boolean;
}

export function describeMainRow({ entity, file }: StoredRecord): MainRow | undefined {
  if (file === undefined) return undefined;
  const { name, hash, asOf, synthetic, parts } = file;
  const isSynthetic = synthetic === 1 || parts.some((part) => part.synthetic === 1);
  return { file: name, hash, row: entity.place, asOf, synthetic: isSynthetic };
}

/** How two records are related, as `related` of a record shows it. New values may be added within v1. */
export const relationMeanings = { same_company: 'the same company in another register' } as const;

type Relation = keyof typeof relationMeanings;

/** Far more files than the records of a store come from. Bounds memory. */
const MAX_KEPT = 10_000;

/**
 * Millions of records share a few files and layouts, so these are read once and kept, together with the texts that all their records have in common.
 * Another version of the data may have other files under the same ids, because a store can be replaced by a backup.
 */
function createKeptFileFinder(registers: ReadonlyMap<string, Publication>) {
  const start = (version: string) => ({
    version,
    // Ids that the store does not have are undefined.
    files: new Map<number, KeptFile | undefined>(),
    layouts: new Map<number, KeptLayout | undefined>(),
  });
  let kept = start('');

  /** Returns the files and layouts of some entities, or undefined if the data has another version by now. */
  return async (db: Reads, version: string, entities: readonly store.StoredEntity[]) => {
    if (kept.version !== version || kept.files.size + kept.layouts.size > MAX_KEPT) kept = start(version);
    const current = kept;
    const fileIds = new Set<number>();
    const layoutIds = new Set<number>();
    for (const { fileId, layout } of entities) {
      if (!current.files.has(fileId)) fileIds.add(fileId);
      if (layout !== null && !current.layouts.has(layout)) layoutIds.add(layout);
    }
    if (fileIds.size + layoutIds.size === 0) return current;
    const files = await listFiles(db, [...fileIds]);
    const imported = await listParts(db, [...new Set(files.map(({ generation }) => generation))]);
    const layouts = await store.listLayouts(db, [...layoutIds]);
    // Versions only follow each other, so equal versions before and after mean that all statements have seen this version.
    if ((await findVersion(db)) !== version) return undefined;
    const parts = Map.groupBy(imported, ({ generation }) => generation);
    for (const id of fileIds) current.files.set(id, undefined);
    for (const id of layoutIds) current.layouts.set(id, undefined);
    for (const stored of files) {
      const file = { ...stored, parts: parts.get(stored.generation) ?? [] };
      const register = registers.get(file.register);
      const writeProvenance = register && createProvenanceWriter(register, file);
      current.files.set(file.id, { ...file, writeProvenance });
    }
    for (const { id, columns } of layouts) {
      current.layouts.set(id, { columns, write: createSourceDataWriter(columns) });
    }
    return current;
  };
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

/** Columns that hold JSON are copied unchanged. Only activities and the legal form get their international codes. */
export function describeEntity({ entity, file, layout, related }: StoredRecord): EntityParts {
  const { summary, registry, sourceData, registrations, place, origins } = entity;
  const { text, isic } = classifyRegistry(registry);
  return {
    summary: describeSummary(summary, { isic, ...deriveForm(entity) }),
    registry: addElf(text, entity, related),
    sourceData: layout === undefined ? sourceData : layout.write(sourceData),
    registrations,
    related: renderRelated(related),
    partyCounts: entity.partyCounts ?? 'null',
    provenance: file?.writeProvenance?.(place, origins) ?? 'null',
  };
}

export function joinParts(parts: EntityParts): string {
  const { summary, registry, sourceData, registrations, related, partyCounts, provenance } = parts;
  return (
    `${JSON.stringify(summary).slice(0, -1)},"registry":${registry},"sourceData":${sourceData}` +
    `,"registrations":${registrations},"related":${related},"partyCounts":${partyCounts},"provenance":${provenance}}`
  );
}

export function renderEntity(record: StoredRecord): string {
  return joinParts(describeEntity(record));
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
async function findValues(db: Queries, field: string, ids: readonly string[], read: (registry: RegistryOf) => unknown) {
  const values = new Map<string, string>();
  for (const { id, registry } of await store.findRegistriesWith(db, field, ids, MAX_BYTES)) {
    const value = read(JSON.parse(registry) as RegistryOf);
    if (typeof value === 'string') values.set(id, value);
  }
  return values;
}

/**
 * Where a record comes from: the files with its current content. `file`, `hash` and `row` name the main file, `files` all
 * files with the rows. Only the rows differ between the records of a file, so all other texts are written once.
 */

/** The values of a register that the provenance of its records shows. */
export type Publication = Pick<Register, 'id' | 'publisher' | 'sourceUrl' | 'licence'>;

/** Whether only the operator knows where a file comes from: a file that was imported by hand must not be called the publisher's file. */
export function isSupplied({ synthetic, files }: { readonly synthetic?: unknown; readonly files?: unknown }): boolean {
  return synthetic !== true && Array.isArray(files) && files[0]?.url === null;
}

/** Returns a function that writes the provenance of a record as JSON. `place` is its row in the file; `origins` are as in `StoredEntity`. */
export function createProvenanceWriter(register: Publication, file: SourceFile) {
  const { parts } = file;
  const frames = { official: writeFrame(register, file, false), synthetic: writeFrame(register, file, true) };
  const partTexts = parts.map(writePart);
  const codes = parts.filter(({ content }) => content === 'codes');
  const codeTexts = codes.map((part) => `${writePart(part)}[]}`);
  const hasSynthetic = file.synthetic === 1 || codes.some((part) => part.synthetic === 1);
  const mainPart = parts.findIndex((part) => part.fileId === file.id && part.content === 'records');

  return (place: number, origins: string | null): string => {
    const mainRow = [{ part: mainPart, rows: [{ first: place, last: place }] }];
    // The parts that have rows of the record, with the main part first, and the code tables.
    const texts: string[] = [];
    let synthetic = hasSynthetic;
    for (const { part: number, rows: ranges } of origins === null ? mainRow : parseOrigins(origins)) {
      const part = parts[number];
      if (part === undefined) continue;
      synthetic ||= part.synthetic === 1;
      const rows = ranges.map(({ first, last }) => `{"first":${first},"last":${last}}`);
      texts.push(`${partTexts[number]}[${rows.join(',')}]}`);
    }
    texts.push(...codeTexts);
    const [start, end] = synthetic ? frames.synthetic : frames.official;
    return `${start}${place}${end}${texts.length === 0 ? 'null' : `[${texts.join(',')}]`}}`;
  };
}

/** A synthetic record must not look like an official record, so publisher and licence state that the record is synthetic. */
export const SYNTHETIC = {
  publisher: 'Firmament (synthetic sample, invented companies)',
  licence: 'Synthetic sample in the format of the register; not its data',
} as const;

function writeFrame(
  register: Publication,
  file: StoredFile,
  synthetic: boolean,
): readonly [start: string, end: string] {
  const { name, hash, asOf, importedAt, url } = file;
  const start = { register: register.id, publisher: (synthetic ? SYNTHETIC : register).publisher, file: name, hash };
  const end = {
    asOf,
    importedAt: new Date(importedAt).toISOString(),
    sourceUrl: url ?? register.sourceUrl,
    licence: (synthetic ? SYNTHETIC : register).licence,
    synthetic,
  };
  return [`${JSON.stringify(start).slice(0, -1)},"row":`, `,${JSON.stringify(end).slice(1, -1)},"files":`];
}

/** The part of the text before the rows. The entry is the name of the archive entry or sheet; null for the file itself. */
function writePart({ file, hash, url, entry, table }: StoredPart): string {
  return `${JSON.stringify({ file, hash, url, entry, table }).slice(0, -1)},"rows":`;
}

export type RowRange = Readonly<Record<'first' | 'last', number>>;

/**
 * Reads the rows that a record was read from, the part with the main row first: `0:184467;3:20-31,40` is row 184467 of part 0 and rows 20 to 31
 * and 40 of part 3. Publishers write the rows of a company together, so a few ranges hold thousands of rows.
 */
export function parseOrigins(text: string) {
  return text.split(';').map((origin): { readonly part: number; readonly rows: readonly RowRange[] } => {
    const [part = '', ranges = ''] = origin.split(':');
    const rows = ranges.split(',').map((range) => {
      const [first, last = first] = range.split('-').map(Number) as [number, number?];
      return { first, last };
    });
    return { part: Number(part), rows };
  });
}
