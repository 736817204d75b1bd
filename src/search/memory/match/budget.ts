/** What a query may still read: documents in lists, and words of the vocabulary that may be similar. */
export interface Budget {
  postings: number;
  words: number;
  /** Whether it was not enough. */
  bounded: boolean;
}

export type Limits = Readonly<Pick<Budget, 'postings' | 'words'>>;

export const LIMITS: Limits = { postings: 200_000, words: 2_000_000 };
