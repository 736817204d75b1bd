import { createSourceDataWriter } from '../../src/registry/records/source-data.ts';

/** `sourceData` of a record, from its columns in the store. A tree is stored as it is and has no column names. */
export function parseSourceData(stored: string, columns: string | null) {
  return JSON.parse(columns === null ? stored : createSourceDataWriter(columns)(stored));
}
