import type { EntitySummary } from '../../base/entity-summary.ts';
import type { Deadline } from '../../base/system/deadline.ts';

/**
 * Finds the company that somebody means by a name: exact, misspelt, shortened, in another script, with or without its legal form. This
 * folder owns how names are parsed (`name.ts`), compared and scored, and all weights (`weights.ts`). It does not own the source of
 * candidates (the engines of `search/` implement `CandidateSource`), or how an answer is charged and sent.
 */
export interface Matcher {
  /** Throws `service_unavailable` until search is ready. */
  match(query: MatchQuery, requester: Requester): Promise<MatchReply>;
}

/** The account and the deadline of a request. ClickHouse runs a bounded number of statements per account. */
export interface Requester {
  readonly account: string;
  readonly deadline: Deadline;
  /** Whether the client has gone, so that the answer cannot be sent. */
  isGone?(): boolean;
}

export interface MatchQuery {
  readonly name: string;
  /** Upper case. */
  readonly country?: string | undefined;
  /** A registration number, VAT number or LEI. */
  readonly registrationNumber?: string | undefined;
  readonly city?: string | undefined;
  readonly postcode?: string | undefined;
  readonly legalForm?: string | undefined;
  /** `2019`, `2019-05` or `2019-05-31`. */
  readonly registeredAt?: string | undefined;
  readonly status?: string | undefined;
  /** The maximum number of candidates to return; 5 by default. */
  readonly limit?: number | undefined;
}

export interface MatchReply {
  /** The version of the data. */
  readonly version: string;
  readonly answer: MatchAnswer;
}

export interface MatchAnswer {
  readonly status: 'match' | 'ambiguous' | 'none';
  /** The reason for the status and, if the answer is ambiguous, what to add to the query. */
  readonly text: string;
  /** The candidates, the best first. */
  readonly candidates: readonly MatchCandidate[];
  /** Whether the limit of work was reached, so that a candidate may be missing. */
  readonly bounded: boolean;
}

export interface MatchCandidate {
  readonly entity: EntitySummary;
  /** The probability that this is the company that was meant, from 0 to 1, with three decimals. */
  readonly score: number;
  /** Whether the company can be accepted without a review. True for at most one candidate. */
  readonly match: boolean;
  readonly reasons: readonly Reason[];
}

export interface Reason {
  /** What was compared: see `weights.ts`. */
  readonly feature: string;
  /** What was found, such as the word, the number or the legal form. */
  readonly value: string;
  /** How strongly the reason counts for (above 0) or against (below 0) this company, in units of log odds. */
  readonly weight: number;
  /** The reason in words. */
  readonly text: string;
}

/** A source of candidates: the index in memory (`search/memory/match/`) or ClickHouse (`search/clickhouse/candidates.ts`). */
export interface CandidateSource {
  /** Finds candidates with bounded work. All parts of the reply come from one version of the data. */
  find(asked: AskedName, requester: Requester): Candidates | Promise<Candidates>;
}

/** The name to look up. Words are folded (`base/fold.ts`) and without punctuation. */
export interface AskedName {
  /** The words of the name without its legal form, in order. */
  readonly words: readonly string[];
  /** Other spellings to look up as words: in another script, or joined, such as "vanderbilt" for "van der bilt". The likeliest come first. */
  readonly joined: readonly string[];
  /** Folded numbers of companies, without separators. */
  readonly numbers: readonly string[];
  /** Upper case. Only companies of this country are candidates, each marked if a query without the country finds it too. */
  readonly country: string | undefined;
  /** At most this many candidates are returned. */
  readonly limit: number;
}

export interface Candidates {
  readonly version: string;
  readonly candidates: readonly Candidate[];
  /** Whether the limit of work was reached. */
  readonly bounded: boolean;
  /** The number of companies in all countries: a query's country must not make a word more or less rare. */
  readonly entities: number;
  /** The number of companies with this folded word in their current name. Known for all words of the query and of the candidates. */
  frequency(word: string): number;
  /** The number of companies with the folded current name of this candidate, including the candidate. */
  sameName(candidate: Candidate): number;
}

export interface Candidate {
  /** The id of the entity. */
  readonly id: string;
  /** May take longer to read than all other fields. */
  readonly entity: EntitySummary;
  readonly countryCode: string;
  /** The current name comes first. */
  readonly names: readonly CandidateName[];
  /** All registration numbers, folded, without separators. */
  readonly numbers: readonly string[];
  /** Whether a query without a country also finds the company. */
  readonly isAnywhere: boolean;
  postcode: string | null;
}

export interface CandidateName {
  readonly text: string;
  readonly kind: 'current' | 'former' | 'other';
}
