import type { MatchArrays } from '../search-index.ts';
import type { WordEdges } from './edges.ts';

/** Starting to read another list costs as much as reading this many documents. */
export const LIST_COST = 8;

type BridgeArrays = Pick<MatchArrays, 'bridgeTails' | 'bridgeTailsStarts' | 'bridgeGroups' | 'bridgeDocsStarts'>;

/**
 * Finds broad fragments across two words, with one or two characters on either side of the space. Longer ones need not
 * be stored: the matcher answers them from groups of bridges or checks the candidates of a shorter list.
 *
 * A fragment with two characters on both sides is one bridge. The others add up several bridges: heads with the same
 * first character are neighbours, so that only the sums of one such character are needed at a time.
 */
export function findAcrossWords(
  arrays: BridgeArrays,
  { heads, tails }: Pick<WordEdges, 'heads' | 'tails'>,
  threshold: number,
): string[] {
  const { bridgeTails, bridgeTailsStarts, bridgeGroups, bridgeDocsStarts } = arrays;
  const firsts = heads.map((head) => [...head][0] as string);
  const lasts = tails.map((tail) => [...tail].at(-1) as string);
  const lastTexts = [...new Set(lasts)];
  const lastNumbers = new Map(lastTexts.map((text, number) => [text, number]));
  const lastOf = Uint32Array.from(lasts, (text) => lastNumbers.get(text) as number);
  const found: string[] = [];
  const take = (end: string, start: string, cost: number) => {
    if (cost > threshold) found.push(`${end} ${start}`);
  };
  const lastToFirst = new Float64Array(lastTexts.length);
  const tailToFirst = new Float64Array(tails.length);
  const lastToHead = new Float64Array(lastTexts.length);

  for (const [head, start] of heads.entries()) {
    const first = firsts[head] as string;
    // A head of a single character is the fragment of its first character.
    const isWhole = start !== first;
    for (let at = bridgeTailsStarts[head] as number; at < (bridgeTailsStarts[head + 1] as number); at++) {
      const [from, to] = [bridgeGroups[at] as number, bridgeGroups[at + 1] as number];
      const cost = (bridgeDocsStarts[to] as number) - (bridgeDocsStarts[from] as number) + LIST_COST;
      const tail = bridgeTails[at] as number;
      const last = lastOf[tail] as number;
      increase(lastToFirst, last, cost);
      increase(lastToHead, last, cost);
      increase(tailToFirst, tail, cost);
      if (isWhole && tails[tail] !== lasts[tail]) take(tails[tail] as string, start, cost);
    }
    takeSums(lastToHead, (last, cost) => isWhole && take(lastTexts[last] as string, start, cost));
    if (firsts[head + 1] === first) continue;
    takeSums(lastToFirst, (last, cost) => take(lastTexts[last] as string, first, cost));
    takeSums(tailToFirst, (tail, cost) => tails[tail] !== lasts[tail] && take(tails[tail] as string, first, cost));
  }
  return found;
}

function increase(sums: Float64Array, at: number, cost: number): void {
  sums[at] = (sums[at] as number) + cost;
}

/** Passes the sums that are not 0 to `take`, and sets them to 0. */
function takeSums(sums: Float64Array, take: (number: number, sum: number) => unknown): void {
  for (let number = 0; number < sums.length; number++) {
    if (sums[number] !== 0) take(number, sums[number] as number);
  }
  sums.fill(0);
}
