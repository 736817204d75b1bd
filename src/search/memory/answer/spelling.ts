import { fold } from '../../../core/fold.ts';
import type { SearchIndex } from '../search-index.ts';
import { createWords, firstNotBelow } from './words.ts';

/**
 * Corrects a query that finds nothing: each word that no name contains is replaced by the most similar word of the vocabulary, of
 * two equally similar ones by the more frequent. Undefined if there is nothing to replace, or no similar word for one of them.
 */
export function correctSpelling(index: SearchIndex, q: string): string | undefined {
  const terms = fold(q.toWellFormed()).split(' ');
  if (terms.length > MAX_TERMS) return undefined;
  const words = createWords(index.arrays);
  const budget = { steps: MAX_STEPS };
  const corrected: string[] = [];
  for (const term of terms) {
    const bytes = Buffer.from(term);
    const [from, to] = words.findSuffixes(bytes);
    const known = from < to ? term : findSimilar(index, bytes, [...term].length, budget);
    if (known === undefined) return undefined;
    corrected.push(known);
  }
  return corrected.some((word, at) => word !== terms[at]) ? corrected.join(' ') : undefined;
}

const MAX_TERMS = 8;
/** Bounds the work per query, because it blocks the event loop. Words beyond it are not found. */
const MAX_STEPS = 50_000;
const MAX_BYTES = 24;

interface Budget {
  steps: number;
}

/** The most similar word. Words with the same first letter come first, because that letter is seldom mistyped. */
function findSimilar(index: SearchIndex, word: Uint8Array, length: number, budget: Budget): string | undefined {
  if (length < 3 || word.length > MAX_BYTES) return undefined;
  const { vocabularyText: text, vocabularyStarts: starts } = index.arrays;
  const limit = word.length === length && length < 6 ? 1 : 2;
  const first = findFirst(text, starts, word[0] as number);
  const next = findFirst(text, starts, (word[0] as number) + 1);
  const item =
    searchRange(index, word, limit, [first, next], budget) ??
    searchRange(index, word, limit, [0, first], budget) ??
    searchRange(index, word, limit, [next, starts.length - 1], budget);
  if (item === undefined) return undefined;
  return Buffer.from(text.slice(starts[item], (starts[item + 1] as number) - 1)).toString();
}

/** The first word of the vocabulary whose first byte is at least `byte`. */
function findFirst(text: Uint8Array, starts: ArrayLike<number>, byte: number): number {
  return firstNotBelow(starts.length - 1, (item) => (text[starts[item] as number] as number) < byte);
}

/**
 * Compares the word with a range of the sorted vocabulary. Words that share their first bytes share the first rows of the distance
 * table; and once a row has no value within the limit, all words that start like this one are skipped. Distances count bytes: in Latin
 * script these are letters; a letter of another script has two or three, so there one letter may differ.
 */
function searchRange(
  { arrays }: SearchIndex,
  word: Uint8Array,
  limit: number,
  [from, to]: readonly [number, number],
  budget: Budget,
): number | undefined {
  const { vocabularyText: text, vocabularyStarts: starts, wordDocsStarts } = arrays;
  const rows: number[][] = [Array.from({ length: word.length + 1 }, (_, column) => column)];
  const path: number[] = [];
  let best: { readonly item: number; readonly distance: number; readonly frequency: number } | undefined;
  for (let item = from; item < to && budget.steps > 0; budget.steps--) {
    const start = starts[item] as number;
    // A zero byte follows each word.
    const size = (starts[item + 1] as number) - 1 - start;
    let depth = 0;
    while (depth < path.length && depth < size && path[depth] === text[start + depth]) depth++;
    path.length = depth;
    let isPossible = true;
    while (isPossible && depth < size) {
      path.push(text[start + depth] as number);
      depth++;
      budget.steps--;
      rows[depth] = nextRow(rows, path, word);
      isPossible = Math.min(...(rows[depth] as number[])) <= limit;
    }
    const distance = isPossible ? ((rows[depth] as number[])[word.length] as number) : limit + 1;
    if (distance <= limit) {
      const frequency = (wordDocsStarts[item + 1] as number) - (wordDocsStarts[item] as number);
      const isBetter = best === undefined || distance < best.distance;
      if (isBetter || (distance === best?.distance && frequency > best.frequency)) best = { item, distance, frequency };
    }
    item = isPossible ? item + 1 : skipPrefix(text, starts, item, path);
  }
  return best?.item;
}

/** Edit distances from the path to each beginning of the word. Neighbours that are swapped count as one edit. */
function nextRow(rows: readonly number[][], path: readonly number[], word: Uint8Array): number[] {
  const depth = path.length;
  const above = rows[depth - 1] as number[];
  const row = [depth];
  for (let column = 1; column <= word.length; column++) {
    const isSame = path[depth - 1] === word[column - 1];
    const replaced = (above[column - 1] as number) + (isSame ? 0 : 1);
    let distance = Math.min(replaced, (above[column] as number) + 1, (row[column - 1] as number) + 1);
    const isSwapped =
      depth > 1 && column > 1 && path[depth - 1] === word[column - 2] && path[depth - 2] === word[column - 1];
    if (isSwapped) distance = Math.min(distance, (rows[depth - 2]?.[column - 2] as number) + 1);
    row.push(distance);
  }
  return row;
}

/** The first word after `item` that does not start with the path, by steps that double and then by halves. */
function skipPrefix(text: Uint8Array, starts: ArrayLike<number>, item: number, path: readonly number[]): number {
  const count = starts.length - 1;
  const shares = (other: number) => path.every((byte, at) => text[(starts[other] as number) + at] === byte);
  let low = item;
  let step = 1;
  while (low + step < count && shares(low + step)) {
    low += step;
    step *= 2;
  }
  let high = Math.min(count, low + step);
  while (low + 1 < high) {
    const middle = (low + high) >>> 1;
    if (shares(middle)) low = middle;
    else high = middle;
  }
  return high;
}
