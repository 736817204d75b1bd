import type { NumberFragment } from '../../../base/search-keys.ts';
import { readGaps } from '../encodings.ts';
import type { MatchArrays } from '../search-index.ts';
import type { Match, Test } from '../sets.ts';
import { positionOf } from '../shared-arrays.ts';
import { intersectLists } from './lists.ts';
import { compareStart, firstNotBelow } from './words.ts';

type NumberArrays = Pick<
  MatchArrays,
  'numberText' | 'numberStarts' | 'numberSteps' | 'grams' | 'gramDocs' | 'gramDocsStarts'
>;

const [TAB, NEWLINE] = [0x09, 0x0a];

/**
 * Finds documents with the fragment in a registration number. Every four consecutive bytes of a number, and the last three, are a
 * gram with a posting list. A fragment of up to four bytes is the beginning of a range of grams or, if it is shorter than three bytes,
 * inside a gram at the end of a number. The lists of these grams are the answer. For a longer fragment, the lists of its two rarest grams
 * are intersected, and each document in both lists is checked.
 */
export function matchNumber(arrays: NumberArrays, { text, asWritten }: NumberFragment): Match {
  const bytes = Buffer.from(text);
  const contains = (doc: number) => containsNumber(arrays, doc, bytes, asWritten);
  if (bytes.length > 4) return { ...matchLonger(arrays, bytes), check: contains };
  // A document with separators in its numbers also has the grams of these numbers without separators.
  return { ...matchGrams(arrays, bytes), check: asWritten ? contains : undefined };
}

/** Finds the documents that pass the filter and have exactly this number, with or without separators. */
export function matchWholeNumber(arrays: NumberArrays, number: string, filter: Test): Match {
  const bytes = Buffer.from(number);
  const check = (doc: number) => filter(doc) && hasNumber(arrays, doc, bytes);
  return { ...(bytes.length > 4 ? matchLonger : matchGrams)(arrays, bytes), check };
}

function matchGrams(arrays: NumberArrays, bytes: Uint8Array): Match {
  const { grams, gramDocs, gramDocsStarts } = arrays;
  const found = bytes.length < 3 ? findEnds(grams, bytes) : [];
  const lowest = gramAt(bytes, 0, bytes.length);
  const highest = lowest + 2 ** (8 * (4 - bytes.length)) - 1;
  let gram = firstNotBelow(grams.length, (item) => (grams[item] as number) < lowest);
  for (; (grams[gram] ?? Number.POSITIVE_INFINITY) <= highest; gram++) found.push(gram);
  const startOf = (number: number) => gramDocsStarts[number] as number;
  const docs = new Uint32Array(found.reduce((sum, number) => sum + startOf(number + 1) - startOf(number), 0));
  const ranges: number[] = [];
  let cost = 0;
  for (const number of found) {
    ranges.push(cost);
    cost = readGaps(gramDocs, startOf(number), startOf(number + 1), docs, cost);
    ranges.push(cost);
  }
  return { ranges, docs, cost };
}

/** By `grams`: the positions of the grams at the end of registration numbers, found when first needed. */
const ends = new WeakMap<Uint32Array, readonly number[]>();

/** The grams at the end of numbers that contain the bytes, but not at their beginning. */
function findEnds(grams: Uint32Array, bytes: Uint8Array): number[] {
  const padded = ends.getOrInsertComputed(grams, () =>
    Array.from(grams.keys()).filter((number) => isPadded(grams[number] as number)),
  );
  const first = 32 - 8 * bytes.length;
  const fragment = gramAt(bytes, 0, bytes.length) >>> first;
  const isAt = (gram: number, shift: number) => ((gram >>> shift) & (2 ** (8 * bytes.length) - 1)) === fragment;
  return padded.filter((number) => {
    const gram = grams[number] as number;
    return !isAt(gram, first) && (isAt(gram, first - 8) || (first > 16 && isAt(gram, first - 16)));
  });
}

/** Whether a gram is at the end of a number. */
export function isPadded(gram: number): boolean {
  return (gram & 0xff) === 0;
}

/** Finds the documents that have the two rarest grams of the bytes. */
function matchLonger(arrays: NumberArrays, bytes: Uint8Array): Match {
  let rarest = NO_UNITS;
  let next = NO_UNITS;
  const end = Math.min(bytes.length - 4, MAX_GRAMS);
  for (let at = 0; at <= end; at++) {
    const list = listOfGram(arrays, gramAt(bytes, at, at + 4));
    // Most fragments of names have a gram that no number has.
    if (list.length === 0) return { ranges: [], docs: new Uint32Array(0), cost: 0 };
    if (at === 0 || list.length < rarest.length) [rarest, next] = [list, rarest];
    else if (at === 1 || list.length < next.length) next = list;
  }
  const docs = intersectLists(readDocs(rarest), readDocs(next));
  return { ranges: docs.length === 0 ? [] : [0, docs.length], docs, cost: docs.length };
}

/** The number of grams to look up for a long fragment. Some are enough to find candidates, because each document is checked. */
const MAX_GRAMS = 200;
const NO_UNITS: Uint16Array = new Uint16Array(0);

function listOfGram({ grams, gramDocs, gramDocsStarts }: NumberArrays, gram: number): Uint16Array {
  const at = firstNotBelow(grams.length, (item) => (grams[item] as number) < gram);
  if (grams[at] !== gram) return NO_UNITS;
  return gramDocs.subarray(gramDocsStarts[at], gramDocsStarts[at + 1]);
}

function readDocs(units: Uint16Array): Uint32Array {
  const docs = new Uint32Array(units.length);
  return docs.subarray(0, readGaps(units, 0, units.length, docs, 0));
}

/** Whether a number of the document contains the bytes. `asWritten` ignores the forms without separators, which follow a tab (`numberKeys`). */
function containsNumber(
  { numberText, numberStarts, numberSteps }: NumberArrays,
  doc: number,
  bytes: Uint8Array,
  asWritten: boolean,
): boolean {
  const last = positionOf(numberStarts, numberSteps, doc + 1) - bytes.length;
  let skipped = false;
  for (let at = positionOf(numberStarts, numberSteps, doc); at <= last; at++) {
    if (asWritten) {
      const byte = numberText[at];
      if (byte === TAB) skipped = true;
      else if (byte === NEWLINE) skipped = false;
    }
    if (!skipped && compareStart(numberText, at, bytes) === 0) return true;
  }
  return false;
}

function hasNumber({ numberText, numberStarts, numberSteps }: NumberArrays, doc: number, bytes: Uint8Array): boolean {
  const first = positionOf(numberStarts, numberSteps, doc);
  const end = positionOf(numberStarts, numberSteps, doc + 1);
  const isEdge = (at: number) => at < first || at >= end || numberText[at] === TAB || numberText[at] === NEWLINE;
  for (let at = first; at <= end - bytes.length; at++) {
    if (isEdge(at - 1) && isEdge(at + bytes.length) && compareStart(numberText, at, bytes) === 0) return true;
  }
  return false;
}

/** Encodes up to four bytes as one number, big-endian and padded with zeros, so that grams sort as text. */
export function gramAt(bytes: Uint8Array, from: number, to: number): number {
  let gram = 0;
  for (let at = from; at < from + 4; at++) gram = gram * 256 + (at < to ? (bytes[at] as number) : 0);
  return gram;
}
