import { describeSummary } from '../core/entity-summary.ts';
import type { WriteProvenance } from './provenance.ts';
import { renderRelated, type StoredRecord } from './records.ts';
import type { WriteSourceData } from './source-data.ts';

/** What the records of a file or a layout have in common. */
export interface EntityWriters {
  /** Undefined if the source is a tree. */
  readonly writeSourceData: WriteSourceData | undefined;
  /** Undefined if the register or the file is no longer known: incomplete provenance would be misleading. */
  readonly writeProvenance: WriteProvenance | undefined;
}

/** Columns that hold JSON are copied as they are: parsing and writing them again would give the same text. */
export function renderEntity(
  { entity, related }: Pick<StoredRecord, 'entity' | 'related'>,
  { writeSourceData, writeProvenance }: EntityWriters,
): string {
  const { summary, registry, sourceData, registrations, place, origins } = entity;
  return (
    `${JSON.stringify(describeSummary(summary)).slice(0, -1)},"registry":${registry}` +
    `,"sourceData":${writeSourceData === undefined ? sourceData : writeSourceData(sourceData)}` +
    `,"registrations":${registrations}` +
    `,"related":${renderRelated(related)}` +
    `,"provenance":${writeProvenance === undefined ? 'null' : writeProvenance(place, origins)}}`
  );
}
