import { numberFragment } from '../../../core/search-keys.ts';
import type { MatchArrays } from '../search-index.ts';
import { addRange, intersectLists, type Match } from './lists.ts';
import { compareStart, firstNotBelow } from './words.ts';

type NumberArrays = Pick<MatchArrays, 'numberText' | 'numberStarts' | 'grams' | 'gramDocs' | 'gramDocsStarts'>;

/**
 * Finds documents with the fragment in a registration number. Every four consecutive bytes of a number are a gram with
 * a posting list. A fragment of up to four bytes is the beginning of a range of grams, whose lists are the answer. For
 * a longer one, the lists of its two rarest grams are intersected, and each document in both is checked.
 */
export function matchNumber(arrays: NumberArrays, folded: string): Match {
  const bytes = Buffer.from(numberFragment(folded));
  return bytes.length <= 4 ? matchGrams(arrays, bytes) : matchLonger(arrays, bytes);
}

function matchGrams({ grams, gramDocs, gramDocsStarts }: NumberArrays, bytes: Uint8Array): Match {
  const lowest = gramAt(bytes, 0, bytes.length);
  const highest = lowest + 2 ** (8 * (4 - bytes.length)) - 1;
  const ranges: number[] = [];
  let cost = 0;
  let gram = firstNotBelow(grams.length, (item) => (grams[item] as number) < lowest);
  for (; (grams[gram] ?? Number.POSITIVE_INFINITY) <= highest; gram++) cost += addRange(ranges, gramDocsStarts, gram);
  return { ranges, docs: gramDocs, cost };
}

function matchLonger(arrays: NumberArrays, bytes: Uint8Array): Match {
  const { numberText, numberStarts } = arrays;
  const lists = Array.from({ length: bytes.length - 3 }, (_, at) => listOfGram(arrays, gramAt(bytes, at, at + 4)));
  const [rarest, next] = lists.sort((a, b) => a.length - b.length) as [Uint32Array, Uint32Array];
  const docs = intersectLists(rarest, next);
  const check = (doc: number) => {
    const last = (numberStarts[doc + 1] as number) - bytes.length;
    for (let at = numberStarts[doc] as number; at <= last; at++) {
      if (compareStart(numberText, at, bytes) === 0) return true;
    }
    return false;
  };
  return { ranges: docs.length === 0 ? [] : [0, docs.length], docs, cost: docs.length, check };
}

function listOfGram({ grams, gramDocs, gramDocsStarts }: NumberArrays, gram: number): Uint32Array {
  const at = firstNotBelow(grams.length, (item) => (grams[item] as number) < gram);
  if (grams[at] !== gram) return new Uint32Array(0);
  return gramDocs.subarray(gramDocsStarts[at], gramDocsStarts[at + 1]);
}

/**
 * The bytes from `from` to `to`, at most four, as one number: big-endian and padded with zeros, so that grams sort as
 * text.
 */
export function gramAt(bytes: Uint8Array, from: number, to: number): number {
  let gram = 0;
  for (let at = from; at < from + 4; at++) gram = gram * 256 + (at < to ? (bytes[at] as number) : 0);
  return gram;
}
