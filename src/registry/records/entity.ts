import { describeSummary, type EntitySummary } from '../../base/entity-summary.ts';
import { classifyRegistry } from '../../registers/classifications/activities.ts';
import { addElf, deriveForm } from '../../registers/classifications/legal-form.ts';
import { findProvenanceWriter } from './kept-files.ts';
import type { Publication, WriteProvenance } from './provenance.ts';
import { renderRelated, type StoredRecord } from './records.ts';
import type { WriteSourceData } from './source-data.ts';

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

/** A record in parts, as they appear in its text. All but the summary are JSON. */
export interface EntityParts {
  readonly summary: EntitySummary;
  readonly registry: string;
  /** The length of the beginning of `registry` that many records share: complete fields, without the comma after them. */
  readonly headLength?: number;
  readonly sourceData: string;
  readonly registrations: string;
  readonly related: string;
  readonly partyCounts: string;
  readonly provenance: string;
}

/**
 * Columns that hold JSON are copied as they are: parsing and writing them again would give the same text. Only activities and the
 * legal form get their international codes.
 */
export function describeEntity(
  { entity, related }: Pick<StoredRecord, 'entity' | 'related'>,
  { writeSourceData, writeProvenance }: EntityWriters,
): EntityParts {
  const { summary, registry, sourceData, registrations, place, origins } = entity;
  const { text, headLength, isic } = classifyRegistry(registry);
  const shown = addElf(text, entity, related);
  return {
    summary: describeSummary(summary, { isic, ...deriveForm(entity) }),
    registry: shown,
    headLength: headLength === 0 ? 0 : headLength + shown.length - text.length,
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
