import { contentColumns } from '../../records/store.ts';
import type { PreparedLink, PreparedRecord } from './record.ts';

/** Records as a thread sends them: few objects and strings, because each of them in a message costs time. */
export interface PackedRecords {
  /** The id and the content hash of each record. */
  readonly keys: readonly string[];
  /** The content of each record, which is already in one piece of memory because it was hashed. */
  readonly texts: readonly string[];
  /** The place of each record, and where its values end in the content. The buffer is transferred, not copied. */
  readonly numbers: Float64Array<ArrayBuffer>;
  readonly origins: readonly (string | undefined)[];
  readonly links: readonly (PreparedLink | null)[];
}

const ID_LENGTH = 36;
const NUMBERS = 1 + contentColumns.length;

export function packRecords(records: readonly PreparedRecord[]): PackedRecords {
  const numbers = new Float64Array(records.length * NUMBERS);
  for (const [index, { place, content }] of records.entries()) {
    const first = index * NUMBERS;
    numbers[first] = place;
    for (let column = 0; column < contentColumns.length; column++)
      numbers[first + 1 + column] = content.ends[content.firstEnd + column] as number;
  }
  return {
    keys: records.map(({ id, contentHash }) => id + contentHash),
    texts: records.map(({ content }) => content.text),
    numbers,
    origins: records.map(({ origins }) => origins),
    links: records.map(({ link }) => link),
  };
}

export function unpackRecords({ keys, texts, numbers, origins, links }: PackedRecords): PreparedRecord[] {
  return keys.map((key, index) => ({
    id: key.slice(0, ID_LENGTH),
    place: numbers[index * NUMBERS] as number,
    origins: origins[index],
    content: { text: texts[index] as string, ends: numbers, firstEnd: index * NUMBERS + 1 },
    contentHash: key.slice(ID_LENGTH),
    link: links[index] ?? null,
  }));
}
