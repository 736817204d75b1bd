import type { BulkKey, RowKey } from '../records/bulk/bulk.ts';

/** A file to write: entities of a country, in order. */
export interface ExportPart {
  readonly path: string;
  readonly country: string;
  readonly keys: readonly RowKey[];
  /** How many of them each register has. */
  readonly rows: ReadonlyMap<string, number>;
}

export interface PartOptions {
  readonly rowsPerFile: number;
  readonly extension: string;
}

/** Divides keys, which are in order of their countries, into files of at most `rowsPerFile` rows. */
export async function* planParts(
  keys: AsyncIterable<readonly BulkKey[]>,
  { rowsPerFile, extension }: PartOptions,
): AsyncGenerator<ExportPart, undefined> {
  let country = '';
  let number = 0;
  let taken: RowKey[] = [];
  let rows = new Map<string, number>();
  const take = (): ExportPart => {
    const name = `part-${String(number).padStart(4, '0')}.${extension}`;
    const part = { path: `entities/country=${country}/${name}`, country, keys: taken, rows };
    number++;
    taken = [];
    rows = new Map();
    return part;
  };
  for await (const batch of keys) {
    for (const { key, register, country: next } of batch) {
      if (taken.length === rowsPerFile || (next !== country && taken.length > 0)) yield take();
      if (next !== country) {
        country = next;
        number = 0;
      }
      taken.push(key);
      rows.set(register, (rows.get(register) ?? 0) + 1);
    }
  }
  if (taken.length > 0) yield take();
}
