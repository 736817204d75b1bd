import { gramAt } from '../answer/match-number.ts';
import { countUnits, writeGap } from '../encodings.ts';
import type { MatchArrays } from '../search-index.ts';
import { type Offsets, sharedShorts, shareNumbers } from '../shared-arrays.ts';
import { GrowingNumbers } from './growing-arrays.ts';
import { NumberTable } from './number-table.ts';
import { addUp } from './postings.ts';

/**
 * The grams of registration numbers: every four consecutive bytes, and the last three, or all of a shorter number, padded with zeros.
 * So a fragment of three or four bytes is the beginning of a gram wherever the fragment occurs. A shorter fragment is also the beginning of
 * a gram, or at the end of a number a part of the padded gram. `answer/match-number.ts` looks grams up. Numbers consist mostly of digits,
 * so there are about ten thousand common grams.
 */
type GramArrays = Pick<MatchArrays, 'grams' | 'gramDocs' | 'gramDocsStarts'>;

/** The smallest byte of folded text: smaller bytes are separators. */
const SPACE = 0x20;

/**
 * Makes two passes over the numbers: the first pass measures the list of each gram, the second writes the lists. Keeping the grams of the
 * first pass would save the look-ups of the second, but take four times the memory of the numbers.
 */
export function buildGrams(text: Uint8Array, starts: Offsets, docCount: number): GramArrays {
  const table = new NumberTable();
  const lengths = new GrowingNumbers();
  /** For each gram, the latest document that has it, plus one. */
  const latest = new GrowingNumbers();
  forEachGram(text, starts, docCount, (gram, doc) => {
    const number = table.add(gram);
    if (number === lengths.length) {
      lengths.push(0);
      latest.push(0);
    }
    const gap = doc + 1 - (latest.values[number] as number);
    if (gap === 0) return;
    latest.values[number] = doc + 1;
    lengths.values[number] = (lengths.values[number] as number) + countUnits(gap);
  });

  // Sorting the table renumbers the grams: from here on, the number of a gram is its rank.
  const unsorted = table.values();
  const grams = shareNumbers(Uint32Array.from(table.sort()));
  const sortedLengths = new Uint32Array(grams.length);
  for (const [number, gram] of unsorted.entries()) sortedLengths[table.add(gram)] = lengths.values[number] as number;
  const listStarts = addUp(sortedLengths);
  const docs = sharedShorts(listStarts[grams.length] as number);
  const next = listStarts.slice(0, grams.length);
  latest.values.fill(0);
  forEachGram(text, starts, docCount, (gram, doc) => {
    const number = table.add(gram);
    const gap = doc + 1 - (latest.values[number] as number);
    if (gap === 0) return;
    latest.values[number] = doc + 1;
    next[number] = writeGap(docs, next[number] as number, gap);
  });
  return { grams, gramDocs: docs, gramDocsStarts: listStarts };
}

function forEachGram(
  text: Uint8Array,
  starts: Offsets,
  docCount: number,
  take: (gram: number, doc: number) => void,
): void {
  for (let doc = 0; doc < docCount; doc++) {
    const end = starts[doc + 1] as number;
    // A document has several numbers, separated by line breaks and tabs (`numberKeys`). A gram never spans two of them.
    for (let from = starts[doc] as number; from < end; ) {
      let to = from;
      while (to < end && (text[to] as number) >= SPACE) to++;
      const last = Math.max(from, to - 3);
      if (to > from) for (let at = from; at <= last; at++) take(gramAt(text, at, to), doc);
      from = to + 1;
    }
  }
}
