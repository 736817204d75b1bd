import type { Entry } from './reference.ts';
import { strip } from './sets.ts';

/** Finds the ids of the entries whose names are most similar to a name, the best first. */
export type Rival = (name: string) => readonly string[];

/**
 * The plainest way to match names, as a rival that every set is also asked of: names as vectors of their groups of three letters, the rarer
 * a group the longer its axis, compared by their angle.
 */
export function createTrigramRival(entries: readonly Entry[], limit = 5): Rival {
  const documents = entries.flatMap(({ id, name, former = [] }) =>
    [name, ...former].map((one) => ({ id, grams: countGrams(one) })),
  );
  const postings = new Map<string, { readonly at: number; readonly count: number }[]>();
  for (const [at, { grams }] of documents.entries())
    for (const [gram, count] of grams) postings.getOrInsertComputed(gram, () => []).push({ at, count });
  const weigh = (gram: string) => 1 + Math.log((1 + documents.length) / (1 + (postings.get(gram)?.length ?? 0)));
  const lengths = documents.map(({ grams }) =>
    Math.hypot(...Array.from(grams, ([gram, count]) => count * weigh(gram))),
  );
  return (name) => {
    const scores = new Map<number, number>();
    for (const [gram, asked] of countGrams(name)) {
      const weight = asked * weigh(gram) ** 2;
      for (const { at, count } of postings.get(gram) ?? []) scores.set(at, (scores.get(at) ?? 0) + weight * count);
    }
    const cosine = ([at, score]: [number, number]) => score / (lengths[at] as number);
    const best = [...scores].sort((a, b) => cosine(b) - cosine(a) || a[0] - b[0]).slice(0, 4 * limit);
    return [...new Set(best.map(([at]) => documents[at]?.id ?? ''))].slice(0, limit);
  };
}

function countGrams(name: string): Map<string, number> {
  const text = `  ${strip(name)} `;
  const counts = new Map<string, number>();
  for (let at = 0; at + 3 <= text.length; at++) {
    const gram = text.slice(at, at + 3);
    counts.set(gram, (counts.get(gram) ?? 0) + 1);
  }
  return counts;
}
