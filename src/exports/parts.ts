import type { BulkKey } from '../registry/bulk/bulk.ts';

/** A file to write: the ids of a country, in order. */
export interface Part {
  readonly path: string;
  readonly country: string;
  readonly ids: readonly string[];
}

/** Divides keys, which are in order of their countries, into files of at most `rowsPerFile` rows. */
export async function* planParts(
  keys: AsyncIterable<readonly BulkKey[]>,
  { rowsPerFile, extension }: { readonly rowsPerFile: number; readonly extension: string },
): AsyncGenerator<Part> {
  let country = '';
  let number = 0;
  let ids: string[] = [];
  const take = (): Part => {
    const name = `part-${String(number).padStart(4, '0')}.${extension}`;
    const part = { path: `entities/country=${country}/${name}`, country, ids };
    number++;
    ids = [];
    return part;
  };
  for await (const batch of keys) {
    for (const key of batch) {
      if (ids.length === rowsPerFile || (key.country !== country && ids.length > 0)) yield take();
      if (key.country !== country) {
        country = key.country;
        number = 0;
      }
      ids.push(key.id);
    }
  }
  if (ids.length > 0) yield take();
}
