import { fold } from '../core/fold.ts';
import type { AskedName, Candidate } from '../matching/candidates.ts';
import { readVatNumber } from '../registers/vat-numbers.ts';
import { createEditCounter, MAX_COMPARED } from './memory/match/edit-distance.ts';
import { splitWords } from './memory/match/other-name-words.ts';

/** The candidates with a number that is asked for, then the others by the weights of the words they share with the asked name, with a discount for similar words, as in memory. */
export function rankNames<T extends { readonly candidate: Candidate }>(
  asked: AskedName,
  found: readonly T[],
  weigh: (word: string) => number,
): T[] {
  const texts = [...new Set([...asked.words, ...asked.joined])].map((text) => text.slice(0, MAX_COMPARED));
  const terms = texts.map((text) => ({ text, isNear: compareWith(Buffer.from(text)), weight: weigh(text), weigh }));
  const scores = found.map((one) => {
    const { names } = one.candidate;
    if (hasNumber(one.candidate, asked.numbers)) return { one, score: Number.POSITIVE_INFINITY, fit: 0 };
    const scored = names.map(({ text }) => scoreName(splitWords(fold(text)), terms));
    return {
      one,
      score: Math.max(...scored.map(({ score }) => score)),
      fit: Math.max(...scored.map(({ fit }) => fit)),
    };
  });
  const good = scores.filter(({ score, fit }) => score > 0 || fit > 0).sort((a, b) => b.score - a.score);
  const fitting = good.toSorted((a, b) => b.fit - a.fit).slice(0, MAX_FITTING);
  const alternating = good.flatMap((one, at) => [one, ...fitting.slice(at, at + 1)]);
  return [...new Set(alternating)].map(({ one }) => one);
}

/** So many names come early because they have few other words: short names inside a long query. */
const MAX_FITTING = 12;

function hasNumber({ entity, numbers }: Candidate, asked: readonly string[]): boolean {
  return asked.some((number) => {
    const vat = readVatNumber(number);
    return numbers.includes(number) || (vat?.country === entity.countryCode && numbers.includes(vat.number));
  });
}

interface WeighedTerm {
  readonly text: string;
  readonly isNear: (word: Uint8Array) => boolean;
  readonly weight: number;
  readonly weigh: (word: string) => number;
}

function compareWith(bytes: Uint8Array): WeighedTerm['isNear'] {
  const edits = bytes.length < MIN_TWO_EDITS ? 1 : 2;
  const countEdits = createEditCounter(bytes.subarray(0, MAX_COMPARED), edits);
  return (word) => countEdits(word, 0, word.length) <= edits;
}

function scoreName(words: readonly string[], terms: readonly WeighedTerm[]): { score: number; fit: number } {
  const encoded = words.map((word) => Buffer.from(word));
  let matched = 0;
  const sum = terms.reduce((total, term) => {
    const share = shareOf(term, words, encoded);
    if (share > 0) matched++;
    return total + term.weight * share;
  }, 0);
  const covered = Math.min(1, matched / Math.max(1, words.length));
  return { score: sum - OTHER_COST * Math.max(0, words.length - terms.length), fit: sum * covered ** 2 };
}

/** How much of the weight of a term a name with these words has, from 0 to 1. */
function shareOf(
  { text, isNear, weight, weigh }: WeighedTerm,
  words: readonly string[],
  encoded: readonly Uint8Array[],
): number {
  if (words.includes(text)) return 1;
  if (text.length >= MIN_START && words.some((word) => word.startsWith(text))) return SIMILAR_SHARE;
  const near = text.length < MIN_SIMILAR ? undefined : words[encoded.findIndex(isNear)];
  // A misspelt word is rare, but says no more than the word that is meant.
  if (near !== undefined) return SIMILAR_SHARE * Math.min(1, weigh(near) / weight);
  // Words that it is joined from.
  const parts = words.filter((word) => word.length > 1 && (text.startsWith(word) || text.endsWith(word)));
  const share = parts.reduce((length, word) => length + word.length, 0) / text.length;
  if (share >= MIN_JOINED_SHARE) return Math.min(share, SIMILAR_SHARE);
  const start = Math.max(0, ...words.map((word) => countSame(word, text)));
  return start < MIN_SIMILAR ? 0 : (SIMILAR_SHARE * start) / text.length;
}

/** How many letters from the start on are the same. */
function countSame(a: string, b: string): number {
  let count = 0;
  while (count < a.length && a[count] === b[count]) count++;
  return count;
}

const [MIN_START, MIN_SIMILAR] = [3, 4];
const MIN_TWO_EDITS = 8;
const SIMILAR_SHARE = 0.7;
const MIN_JOINED_SHARE = 0.5;
const OTHER_COST = 0.3;
