import type { EntitySummary } from '../../base/entity-summary.ts';
import type { Deadline } from '../../base/system/deadline.ts';

/**
 * Finds the company that somebody means by a name: as typed, misspelt, shortened, in another script, with or without its legal form.
 * This folder owns how names are read (`name.ts`), compared and scored, and the weights of everything that counts (`weights.ts`). It does
 * not own where candidates come from (`CandidateSource` is the port; `search/` fills it) or how an answer is charged and sent.
 */
export interface Matcher {
  /** Throws `service_unavailable` until search is ready. */
  match(query: MatchQuery, requester: Requester): Promise<MatchReply>;
}

/** Who asks, and until when: ClickHouse runs a bounded number of statements per account. */
export interface Requester {
  readonly account: string;
  readonly deadline: Deadline;
  /** Whether the answer cannot be sent any more. */
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
  /** How many candidates to return; 5 if not given. */
  readonly limit?: number | undefined;
}

export interface MatchReply {
  /** The version of the data. */
  readonly version: string;
  readonly answer: MatchAnswer;
}

export interface MatchAnswer {
  readonly status: 'match' | 'ambiguous' | 'none';
  /** Why: what to add if it is ambiguous. */
  readonly text: string;
  /** The best first. */
  readonly candidates: readonly MatchCandidate[];
  /** Whether the bound of work was reached, so that a candidate may be missing. */
  readonly bounded: boolean;
}

export interface MatchCandidate {
  readonly entity: EntitySummary;
  /** The probability that this is the company that was meant, from 0 to 1, with three decimals. */
  readonly score: number;
  /** Whether it is safe to take it without asking anybody. True for one candidate at most. */
  readonly match: boolean;
  readonly reasons: readonly Reason[];
}

export interface Reason {
  /** What was compared: see `weights.ts`. */
  readonly feature: string;
  /** What was found, such as the word, the number or the legal form. */
  readonly value: string;
  /** How much it counts for (above 0) or against (below 0) this company, in units of log odds. */
  readonly weight: number;
  /** In words. */
  readonly text: string;
}

/** Where candidates come from: the index in memory (`search/memory/match/`) or ClickHouse (`search/clickhouse/candidates.ts`). The scorer ranks all alike. */
export interface CandidateSource {
  /** Work per query is bounded. All parts of the reply come from one version of the data. */
  find(asked: AskedName, requester: Requester): Candidates | Promise<Candidates>;
}

/** What is looked for. Words are folded (`base/fold.ts`), without punctuation. */
export interface AskedName {
  /** The words of the name that are not a legal form, in their order. */
  readonly words: readonly string[];
  /** Other spellings that are looked up as words: in another script, and joined, as in "vanderbilt" for "van der bilt". The first ones are most likely. */
  readonly joined: readonly string[];
  /** Numbers of companies, without separators, folded. */
  readonly numbers: readonly string[];
  /** Upper case. Only companies of this country are candidates. */
  readonly country: string | undefined;
  /** At most this many candidates are returned. */
  readonly limit: number;
}

export interface Candidates {
  readonly version: string;
  readonly candidates: readonly Candidate[];
  /** Whether the bound of work was reached. */
  readonly bounded: boolean;
  /** How many companies there are in all countries: a country that is asked for must not make a word more or less rare. */
  readonly entities: number;
  /** How many of them have this folded word in their current name. Known for all words asked for and all words of the candidates. */
  frequency(word: string): number;
  /** How many have exactly the same folded current name as this candidate, this one included. */
  sameName(candidate: Candidate): number;
}

export interface Candidate {
  /** That of the entity. */
  readonly id: string;
  /** Reading it may take longer than the rest. */
  readonly entity: EntitySummary;
  readonly countryCode: string;
  /** The current name first. */
  readonly names: readonly CandidateName[];
  /** All registration numbers, folded, without separators. */
  readonly numbers: readonly string[];
  postcode: string | null;
}

export interface CandidateName {
  readonly text: string;
  readonly kind: 'current' | 'former' | 'other';
}
