import type { PreparedLink, PreparedRecord } from './record.ts';
import { HASH_LENGTH } from './record-content.ts';
import { contentColumns } from './store.ts';

/**
 * Records as a mapping thread sends them: one string and a few numbers per record, because a message costs time for every
 * object, key and string in it.
 */
export interface PackedRecords {
  /** Of each record: its id, its content hash and its content. */
  readonly texts: readonly string[];
  /** Of each record: its place and the ends in its content. The buffer is transferred, not copied. */
  readonly numbers: Float64Array<ArrayBuffer>;
  readonly origins: readonly (string | undefined)[];
  readonly links: readonly (PreparedLink | null)[];
}

const ID_LENGTH = 36;
const START = ID_LENGTH + HASH_LENGTH;
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
    texts: records.map(({ id, contentHash, content }) => id + contentHash + content.text),
    numbers,
    origins: records.map(({ origins }) => origins),
    links: records.map(({ link }) => link),
  };
}

export function unpackRecords({ texts, numbers, origins, links }: PackedRecords): PreparedRecord[] {
  return texts.map((text, index) => ({
    id: text.slice(0, ID_LENGTH),
    place: numbers[index * NUMBERS] as number,
    origins: origins[index],
    content: { text, start: START, ends: numbers, firstEnd: index * NUMBERS + 1 },
    contentHash: text.slice(ID_LENGTH, START),
    link: links[index] ?? null,
  }));
}
