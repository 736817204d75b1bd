import { toSummary } from '../core/entity-summary.ts';
import type { Register } from '../registers/contract.ts';
import { describeProvenance, type Provenance } from './provenance.ts';
import { renderSourceData } from './source-data.ts';
import type { StoredEntity } from './store.ts';

/** A full record as it is sent. */
export interface EntityText {
  /** Which data it comes from (`core/version.ts`). */
  readonly version: string;
  /** EntityDetail as JSON. */
  readonly text: string;
}

/** What is stored as JSON goes into the text as it is: parsing it would only give the same text at a higher price. */
export function renderEntity(stored: StoredEntity, register: Register | undefined): string {
  const summary = JSON.stringify(toSummary(stored));
  return (
    `${summary.slice(0, -1)},"registry":${stored.registry}` +
    `,"sourceData":${renderSourceData(stored.sourceData, stored.columns)}` +
    `,"registrations":${stored.registrations}` +
    `,"provenance":${JSON.stringify(provenanceOf(stored, register))}}`
  );
}

/** Null when the register was removed from the program, or the file from the store: better nothing than half of it. */
function provenanceOf(stored: StoredEntity, register: Register | undefined): Provenance | null {
  const { fileName: name, fileHash: hash, fileImportedAt: importedAt, fileSynthetic, place } = stored;
  if (register === undefined || name === null || hash === null || importedAt === null) return null;
  return describeProvenance(register, { name, hash, importedAt, synthetic: fileSynthetic === 1 }, place);
}
