import { hash } from 'node:crypto';
import { tablesVersion } from '../../classifications/isic.ts';
import { readArrays, writeArrays } from './array-file.ts';
import {
  arrayTypes,
  countBytes,
  createTexts,
  type IndexArrays,
  indexParts,
  type SearchIndex,
  type Strings,
  type TextsAs,
} from './search-index.ts';
import { TextList } from './shared-arrays.ts';

/**
 * The index as a file (`array-file.ts`), so that a restart loads it instead of building it.
 *
 * The format is derived from the names and types of all parts, so that a file with another set of columns is never
 * loaded; nor is one with codes of other tables of classifications. Raise the number when a part keeps its name and type but its content means something else.
 */
const FORMAT = describeFormat({ ...indexParts, classifications: tablesVersion }, 1);

export function describeFormat(parts: typeof indexParts, meaning: number): string {
  return `${meaning}-${hash('sha256', JSON.stringify(Object.entries(parts).sort())).slice(0, 16)}`;
}

interface Description {
  readonly version: string;
  readonly entities: number;
  readonly texts: TextsAs<Strings>;
}

export async function saveIndex(file: string, { version, entities, texts, arrays }: SearchIndex): Promise<void> {
  const named = Object.keys(arrayTypes).map((name) => [name, arrays[name as keyof IndexArrays]] as const);
  // As JSON, the texts are strings.
  const description = { version, entities, texts };
  await writeArrays(file, FORMAT, { description, arrays: Object.fromEntries(named) });
}

/** The index in the file, if it is complete and, if a version is given, was built from that version of the data. */
export async function loadIndex(file: string, version?: string): Promise<SearchIndex | undefined> {
  const isWanted = (found: Description) => version === undefined || found.version === version;
  const content = await readArrays<Description>(file, FORMAT, isWanted);
  if (content === undefined) return undefined;
  const arrays = content.arrays as unknown as IndexArrays;
  const texts = createTexts(content.description.texts, TextList.from);
  return { ...content.description, texts, arrays, bytes: countBytes(arrays) };
}
