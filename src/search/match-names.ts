import { fold } from '../core/fold.ts';
import type { AskedName, Candidate } from '../matching/candidates.ts';
import { readVatNumber } from '../registers/vat-numbers.ts';
import { createEditCounter, MAX_COMPARED } from './memory/match/edit-distance.ts';
import { splitWords } from './memory/match/other-name-words.ts';

/** The candidates with a number that is asked for, then the others by the weights of the words they share with the asked name, with a discount for similar words. */
export function rankNames<T extends { readonly candidate: Candidate }>(
  asked: AskedName,
  found: readonly T[],
  weigh: (word: string) => number,
): T[] {
  const texts = [...new Set([...asked.words, ...asked.joined])].map((text) => text.slice(0, MAX_COMPARED));
  const terms = texts.map((text) => ({ text, isNear: compareWith(Buffer.from(text)), weight: weigh(text) }));
  const scores = found.map((one) => {
    const { names } = one.candidate;
    if (hasNumber(one.candidate, asked.numbers)) return { one, score: Number.POSITIVE_INFINITY };
    return { one, score: Math.max(...names.map(({ text }) => scoreName(splitWords(fold(text)), terms))) };
  });
  return scores
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ one }) => one);
}

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
}

function compareWith(bytes: Uint8Array): WeighedTerm['isNear'] {
  const edits = bytes.length < MIN_TWO_EDITS ? 1 : 2;
  const countEdits = createEditCounter(bytes.subarray(0, MAX_COMPARED), edits);
  return (word) => countEdits(word, 0, word.length) <= edits;
}

function scoreName(words: readonly string[], terms: readonly WeighedTerm[]): number {
  const encoded = words.map((word) => Buffer.from(word));
  const sum = terms.reduce((total, { text, isNear, weight }) => {
    if (words.includes(text)) return total + weight;
    const isLonger = text.length >= MIN_SIMILAR && words.some((word) => word.startsWith(text));
    if (isLonger) return total + weight * SIMILAR_SHARE;
    if (text.length >= MIN_SIMILAR && encoded.some(isNear)) return total + weight * SIMILAR_SHARE;
    // Words that it is joined from.
    const parts = words.filter((word) => word.length > 1 && (text.startsWith(word) || text.endsWith(word)));
    const share = parts.reduce((length, word) => length + word.length, 0) / text.length;
    return share >= MIN_JOINED_SHARE ? total + weight * Math.min(share, SIMILAR_SHARE) : total;
  }, 0);
  return sum - OTHER_COST * Math.max(0, words.length - terms.length);
}

const MIN_SIMILAR = 4;
const MIN_TWO_EDITS = 8;
const SIMILAR_SHARE = 0.7;
const MIN_JOINED_SHARE = 0.5;
const OTHER_COST = 0.3;
