import type { IndexArrays, IndexTexts } from './search-index.ts';

/** Posting lists whose documents hold a fragment, or may hold it. */
export interface Match {
  /** Indexes into `docs`: from, to, from, to … */
  readonly ranges: readonly number[];
  readonly docs: Uint32Array;
  /** Documents in the ranges, counted as often as they occur. */
  readonly cost: number;
  readonly check?: (doc: number) => boolean;
}

export type MatchArrays = Omit<
  IndexArrays,
  | 'ids'
  | 'nameText'
  | 'nameStarts'
  | keyof IndexTexts['columns']
  | `${string}Set`
  | `set${string}`
  | 'bits'
  | 'blockCounts'
>;

export type EdgeTexts = Pick<IndexTexts, 'heads' | 'tails'>;

/** Adds the list of a group; returns how long it is. */
export function addRange(ranges: number[], starts: Uint32Array, group: number): number {
  const from = starts[group] as number;
  const to = starts[group + 1] as number;
  if (to > from) ranges.push(from, to);
  return to - from;
}
