import type { Candidates } from './matching.ts';
import type { Word } from './name.ts';
import { SMOOTHING } from './weights.ts';

/** How rare words are, by their frequency in the index. */
export interface Rarity {
  /** The rarity of a word, from 0 (in all names) to 1 (unique). */
  weigh(word: Word): number;
  /** The share of companies that have the word. */
  share(word: Word): number;
  /** The number of companies that have the word. */
  count(word: Word): number;
}

export function createRarity(found: Candidates): Rarity {
  const total = found.entities + SMOOTHING;
  const scale = 1 / Math.log(total / LEAST);
  const known = new Map<string, { readonly share: number; readonly weight: number }>();
  const look = ({ folded, text }: Word) => {
    let one = known.get(folded);
    if (one === undefined) {
      const count = found.frequency(folded);
      const share = ((count === 0 && text !== folded ? found.frequency(text) : count) + LEAST) / total;
      one = { share, weight: Math.max(0, -Math.log(share) * scale) };
      known.set(folded, one);
    }
    return one;
  };
  return {
    share: (word) => look(word).share,
    weigh: (word) => look(word).weight,
    count: (word) => Math.round(look(word).share * total - LEAST),
  };
}

/** A word that no company has counts like a word of half a company. */
const LEAST = 0.5;
