import type { Candidates } from './candidates.ts';
import type { Word } from './name.ts';
import { SMOOTHING } from './weights.ts';

/** How rare words are, from the index. */
export interface Rarity {
  /** From 0 (everywhere) to 1 (unique). */
  weigh(word: Word): number;
  /** The share of companies that have the word. */
  share(word: Word): number;
  /** How many companies have the word. */
  count(word: Word): number;
}

export function createRarity(found: Candidates): Rarity {
  const total = found.entities + SMOOTHING;
  const scale = 1 / Math.log(total / LEAST);
  const shares = new Map<string, number>();
  const share = ({ folded, text }: Word) => {
    let known = shares.get(folded);
    if (known === undefined) {
      const count = found.frequency(folded);
      known = ((count === 0 && text !== folded ? found.frequency(text) : count) + LEAST) / total;
      shares.set(folded, known);
    }
    return known;
  };
  return {
    share,
    weigh: (word) => Math.max(0, -Math.log(share(word)) * scale),
    count: (word) => Math.round(share(word) * total - LEAST),
  };
}

/** A word that no company has counts as half a company. */
const LEAST = 0.5;
