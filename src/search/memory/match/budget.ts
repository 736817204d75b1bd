/** What a query may still read: documents in lists, and words of the vocabulary that may be similar. */
export interface Budget {
  postings: number;
  words: number;
  /** What was not enough. */
  readonly bounds: Set<Bound>;
}

type Bound = 'asked words' | 'postings' | 'similar words' | 'documents';

export type BudgetLimits = Readonly<Pick<Budget, 'postings' | 'words'>>;

export const LIMITS: BudgetLimits = { postings: 200_000, words: 2_000_000 };

export function createBudget({ postings, words }: BudgetLimits): Budget {
  return { postings, words, bounds: new Set() };
}
