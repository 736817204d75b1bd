import type { TableSource } from '../../src/registers/contract.ts';

const COLUMNS = 'number name site owner entity text since type kind no status legalForm activity'.split(' ');

/** The manifest of a register that a test defines, without its id, sources and codes. */
export const testManifest = {
  country: 'ZZ',
  name: 'Test register',
  nativeName: 'Test register',
  publisher: 'Test',
  licence: 'None',
  attribution: 'Test',
  sourceUrl: 'https://example.org',
  updates: 'unknown',
  fetch: { kind: 'manual', steps: [] },
  files: ['companies.csv'],
  minimumRows: 1,
  numberColumns: ['number'],
  // No cell of the tables in tests names a person.
  cells: new Map(
    ['companies', 'sites', 'details', 'people'].map((name) => [
      name,
      new Map(COLUMNS.map((column) => [column, 'neither' as const])),
    ]),
  ),
  generate: () => {
    throw new Error('not needed');
  },
} as const;

/** A CSV file that needs all its columns. */
export const table = (name: string, columns: readonly string[]) =>
  ({
    kind: 'table',
    name,
    csv: { delimiter: ',', quote: '"', encoding: 'utf-8' },
    columns,
    required: columns,
    match: 'trimmed',
  }) as const satisfies TableSource<unknown>;
