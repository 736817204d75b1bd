import type { Dataset } from '../base/export-formats.ts';
import type { BulkKey, RowKey } from '../registry/records/bulk/bulk.ts';

/** A file to write: entities of a country, or parties of a register, in order. */
export interface ExportPart {
  readonly path: string;
  readonly country: string;
  readonly keys: readonly RowKey[];
  /** The number of rows from each register. */
  readonly rows: ReadonlyMap<string, number>;
}

export interface PartOptions {
  readonly dataset: Dataset;
  readonly rowsPerFile: number;
  readonly extension: string;
}

/** The key whose values have a folder each. The keys arrive in its order. */
const FOLDERS = { entities: 'country', parties: 'register' } as const satisfies Record<Dataset, keyof BulkKey>;

/** Divides keys into files of at most `rowsPerFile` rows. */
export async function* planParts(
  keys: AsyncIterable<readonly BulkKey[]>,
  { dataset, rowsPerFile, extension }: PartOptions,
): AsyncGenerator<ExportPart, undefined> {
  const folder = FOLDERS[dataset];
  let country = '';
  let current = '';
  let number = 0;
  let taken: RowKey[] = [];
  let rows = new Map<string, number>();
  const take = (): ExportPart => {
    const name = `part-${String(number).padStart(4, '0')}.${extension}`;
    const part = { path: `${dataset}/${folder}=${current}/${name}`, country, keys: taken, rows };
    number++;
    taken = [];
    rows = new Map();
    return part;
  };
  for await (const batch of keys) {
    for (const given of batch) {
      const { key, register, [folder]: next } = given;
      if (taken.length === rowsPerFile || (next !== current && taken.length > 0)) yield take();
      if (next !== current) {
        current = next;
        number = 0;
      }
      country = given.country;
      taken.push(key);
      rows.set(register, (rows.get(register) ?? 0) + 1);
    }
  }
  if (taken.length > 0) yield take();
}
