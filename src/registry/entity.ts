import { toSummary } from '../core/entity-summary.ts';
import type { StoredPart } from './imports/store.ts';
import { describeProvenance, type Publication } from './provenance.ts';
import { renderRelated, type StoredRecord } from './records.ts';
import { renderSourceData } from './source-data.ts';

/** Columns that hold JSON are copied as they are: parsing and writing them again would give the same text. */
export function renderEntity(
  { entity: stored, related }: StoredRecord,
  register: Publication | undefined,
  parts: readonly StoredPart[],
): string {
  const summary = JSON.stringify(toSummary(stored));
  return (
    `${summary.slice(0, -1)},"registry":${stored.registry}` +
    `,"sourceData":${renderSourceData(stored.sourceData, stored.columns)}` +
    `,"registrations":${stored.registrations}` +
    `,"related":${renderRelated(related)}` +
    `,"provenance":${JSON.stringify(register === undefined ? null : describeProvenance(register, stored, parts))}}`
  );
}
