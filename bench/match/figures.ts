import type { MatchAnswer, Matcher, MatchQuery } from '../../src/search/match/matching.ts';

/** What a line of the scoreboard says about one half of a data set, or both. */
export interface Halves {
  readonly tuning: number;
  readonly heldOut: number;
  readonly all: number;
}

/** A score and whether it was right. */
export interface Judged {
  readonly score: number;
  readonly right: boolean;
  readonly heldOut: boolean;
}

export const requester = { account: 'bench', deadline: Number.POSITIVE_INFINITY };

export async function ask(matcher: Matcher, query: MatchQuery): Promise<MatchAnswer> {
  const { answer } = await matcher.match(query, requester);
  return answer;
}

export function split<T extends { readonly heldOut: boolean }>(
  items: readonly T[],
  measure: (items: readonly T[]) => number,
): Halves {
  return {
    tuning: measure(items.filter((item) => !item.heldOut)),
    heldOut: measure(items.filter((item) => item.heldOut)),
    all: measure(items),
  };
}

export function shareOf<T>(items: readonly T[], test: (item: T) => boolean): number {
  return items.length === 0 ? 0 : items.filter(test).length / items.length;
}

/** The best F1 of any threshold. */
export function bestF1(items: readonly Judged[]): number {
  return Math.max(
    0,
    ...cuts(items).map(({ precision, recall }) => (2 * precision * recall) / (precision + recall || 1)),
  );
}

export function f1At(items: readonly Judged[], threshold: number): number {
  const taken = items.filter(({ score }) => score >= threshold);
  const right = taken.filter((item) => item.right).length;
  return (2 * right) / Math.max(1, taken.length + items.filter((item) => item.right).length);
}

export function recallAtPrecision(items: readonly Judged[], wanted: number): number {
  return Math.max(0, ...cuts(items).flatMap(({ precision, recall }) => (precision >= wanted ? recall : [])));
}

/** Precision and recall at every threshold between two scores. */
function cuts(items: readonly Judged[]): { readonly precision: number; readonly recall: number }[] {
  const ranked = [...items].sort((a, b) => b.score - a.score);
  const total = items.filter(({ right }) => right).length;
  let right = 0;
  return ranked.flatMap((item, at) => {
    if (item.right) right++;
    return ranked[at + 1]?.score === item.score
      ? []
      : { precision: right / (at + 1), recall: right / Math.max(1, total) };
  });
}

const BINS = 10;

/** Expected calibration error: how far scores are from the share that is right, on average over ten ranges of scores. */
export function calibrationError(items: readonly Judged[]): number {
  const bins = Array.from({ length: BINS }, () => ({ scores: 0, right: 0 }));
  for (const { score, right } of items) {
    const bin = bins[Math.min(BINS - 1, Math.floor(score * BINS))] as { scores: number; right: number };
    bin.scores += score;
    if (right) bin.right++;
  }
  return bins.reduce((sum, { scores, right }) => sum + Math.abs(scores - right), 0) / Math.max(1, items.length);
}
