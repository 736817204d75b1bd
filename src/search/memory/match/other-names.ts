import { fold } from '../../../base/fold.ts';
import type { CandidateName } from '../../match/matching.ts';
import { FORMER, hashWord, splitWords } from '../../other-names.ts';
import { intersectLists } from '../answer/lists.ts';
import type { Steps } from '../answer/steps.ts';
import { firstNotBelow } from '../answer/words.ts';
import type { OtherNameArrays } from '../search-index.ts';
import type { Test } from '../sets.ts';
import type { Ranked, Term } from './part-finder.ts';
import type { Budget, Tally } from './tally.ts';

/** Words that each term may stand for, with the share of its weight that each counts for. */
export type Spellings = readonly (readonly (readonly [text: string, share: number])[])[];

/** Finds documents of one index by their former and further names. */
export function createOtherNames(arrays: OtherNameArrays) {
  const { otherNameDocs, otherNameText, otherNameStarts, otherNameHashes, otherNamePositions } = arrays;

  /** The positions of the names that have the word. */
  function findWord(text: string): Uint32Array {
    const hash = hashWord(text);
    const from = firstNotBelow(otherNameHashes.length, (at) => (otherNameHashes[at] as number) < hash);
    const to = firstNotBelow(otherNameHashes.length, (at) => (otherNameHashes[at] as number) <= hash, from);
    return otherNamePositions.subarray(from, to);
  }

  function readLines(position: number): string[] {
    const bytes = otherNameText.slice(otherNameStarts[position], otherNameStarts[position + 1]);
    return Buffer.from(bytes.buffer).toString().split('\n');
  }

  function* rank(
    terms: readonly Term[],
    spellings: Spellings,
    tally: Tally,
    accepts: Test,
    budget: Budget,
  ): Steps<Ranked[]> {
    const weights = new Map<string, Weighed>();
    const lists: (Weighed & { readonly positions: Uint32Array })[] = [];
    for (const [term, asked] of terms.entries()) {
      for (const [text, share] of spellings[term] as Spellings[number]) {
        const weighed = { term, weight: asked.weight * share };
        const positions = findWord(text);
        if (positions.length === 0 || weights.has(text)) continue;
        weights.set(text, weighed);
        lists.push({ ...weighed, positions });
      }
    }
    lists.sort((a, b) => a.positions.length - b.positions.length);
    tally.clear();
    for (const [at, { term, weight, positions }] of lists.entries()) {
      // Of a long list, only names that also have a rarer word are taken, if there is a rarer word.
      const others = lists.slice(0, at).filter((other) => other.term !== term);
      const isShort = positions.length <= SHORT || others.length === 0;
      const found = isShort ? [positions] : others.map((other) => intersectLists(other.positions, positions));
      for (const list of found) {
        const read = Math.min(list.length, budget.postings, MAX_READ);
        budget.postings -= read;
        if (read < list.length) budget.isBounded = true;
        for (let item = 0; item < read; item++) tally.add(list[item] as number, term, weight);
      }
      yield;
    }
    const best = tally.takeBest(MAX_RANKED, MAX_RANKED);
    return best.flatMap((position) => {
      const doc = otherNameDocs[position] as number;
      const compared = compareNames(readLines(position), terms, weights);
      return accepts(doc) ? { doc, fit: compared.score, ...compared } : [];
    });
  }

  function compareNames(
    lines: readonly string[],
    terms: readonly Term[],
    weights: ReadonlyMap<string, Weighed>,
  ): Pick<Ranked, 'score' | 'isComplete'> {
    let best = { score: 0, isComplete: false };
    for (const line of lines) {
      const found = new Map<number, number>();
      for (const word of splitWords(fold(line.slice(1)))) {
        const { term = -1, weight = 0 } = weights.get(word) ?? {};
        found.set(term, Math.max(found.get(term) ?? 0, weight));
      }
      const score = SHARE * [...found.values()].reduce((sum, weight) => sum + weight, 0);
      const isComplete = terms.every(({ weight, isOptional }, term) => isOptional || found.get(term) === weight);
      if (score > best.score) best = { score, isComplete };
    }
    return best;
  }

  return {
    /** False only if no name has it. */
    hasWord: (word: string) => findWord(word).length > 0,
    rank,
    read(doc: number): CandidateName[] {
      const position = firstNotBelow(otherNameDocs.length, (at) => (otherNameDocs[at] as number) < doc);
      if (otherNameDocs[position] !== doc) return [];
      return readLines(position).map((line) => ({
        text: line.slice(1),
        kind: line.startsWith(FORMER) ? 'former' : 'other',
      }));
    },
  };
}

interface Weighed {
  readonly term: number;
  readonly weight: number;
}

const SHORT = 1_000;
const MAX_READ = 5_000;
const MAX_RANKED = 15;
/** Current names come first. */
const SHARE = 0.95;
