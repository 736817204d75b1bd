import type { Register } from '../registers/contract.ts';

/** Where a record comes from: the file with its current content. */
export interface Provenance {
  readonly register: string;
  readonly publisher: string;
  readonly file: string;
  readonly hash: string;
  readonly row: number;
  readonly importedAt: string;
  readonly sourceUrl: string;
  readonly licence: string;
  /** Whether the company is invented. */
  readonly synthetic: boolean;
}

export interface FileOrigin {
  readonly name: string;
  readonly hash: string;
  readonly importedAt: number;
  readonly synthetic: boolean;
}

/** A synthetic record must not look like an official one, so publisher and licence say that it is synthetic. */
export function describeProvenance(register: Register, file: FileOrigin, row: number): Provenance {
  return {
    register: register.id,
    publisher: file.synthetic ? 'Firmament (synthetic sample, invented companies)' : register.publisher,
    file: file.name,
    hash: file.hash,
    row,
    importedAt: new Date(file.importedAt).toISOString(),
    sourceUrl: register.sourceUrl,
    licence: file.synthetic ? 'Synthetic sample in the format of the register; not its data' : register.licence,
    synthetic: file.synthetic,
  };
}
