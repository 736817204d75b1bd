import type { StoredRecord } from './records.ts';

/** The main row that a record was read from. `provenance` of the record has all of them. */
export interface RecordSource {
  readonly file: string;
  readonly hash: string;
  readonly row: number;
  /** The day that the file describes, `YYYY-MM-DD`; null if it does not say. */
  readonly asOf: string | null;
  /** Whether the company is invented. */
  readonly synthetic: boolean;
}

/** Undefined if the store no longer knows the file. */
export function describeSource({ entity, file: kept }: StoredRecord): RecordSource | undefined {
  if (kept === undefined) return undefined;
  const { name, hash, asOf, synthetic, parts } = kept.file;
  const isSynthetic = synthetic === 1 || parts.some((part) => part.synthetic === 1);
  return { file: name, hash, row: entity.place, asOf, synthetic: isSynthetic };
}
