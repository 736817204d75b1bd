import type { EntitySummary } from '../core/entity-summary.ts';
import type { Deadline } from '../system/deadline.ts';

/**
 * Finds the company that somebody means by a name: as typed, misspelt, shortened, in another script, with or without its legal form.
 * This folder owns how names are read (`name.ts`), compared and scored, and the weights of everything that counts (`weights.ts`). It does
 * not own where candidates come from (`candidates.ts` is the port; `search/` fills it) or how an answer is charged and sent.
 */
export interface Matcher {
  /** One answer per query, in their order, all from one version of the data. Throws `service_unavailable` until search is ready. */
  match(queries: readonly MatchQuery[], requester: Requester): Promise<MatchReply>;
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
  readonly version: string;
  readonly answers: readonly MatchAnswer[];
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
