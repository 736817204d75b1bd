import { fold } from '../../../core/fold.ts';
import { runAtOnce } from '../answer/steps.ts';
import { createBudget } from './budget.ts';
import type { PartFinder } from './part-finder.ts';

/**
 * Corrects a query that finds nothing: each word that no name contains is replaced by the most similar word of the vocabulary, of
 * two equally similar ones by the more frequent. Undefined if there is nothing to replace, or no similar word for one of them.
 */
export function correctSpelling({ words, listOf, textOf }: PartFinder, q: string): string | undefined {
  const terms = fold(q.toWellFormed()).split(' ');
  if (terms.length > MAX_TERMS) return undefined;
  const budget = createBudget({ postings: 0, words: MAX_WORDS });
  // Words without a list are the most frequent ones.
  const frequency = (word: number) => listOf(word)?.length ?? Number.POSITIVE_INFINITY;
  const corrected: string[] = [];
  for (const term of terms) {
    const bytes = Buffer.from(term);
    if (words.isContained(bytes)) corrected.push(term);
    else {
      const similar = runAtOnce(words.findNear(bytes, budget));
      const [best] = similar.sort((a, b) => b.share - a.share || frequency(b.word) - frequency(a.word));
      if (best === undefined) return undefined;
      corrected.push(textOf(best.word));
    }
  }
  return corrected.some((word, at) => word !== terms[at]) ? corrected.join(' ') : undefined;
}

const MAX_TERMS = 8;
/** Bounds the work per query, because it blocks the event loop. */
const MAX_WORDS = 500_000;
