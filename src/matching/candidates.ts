import type { EntitySummary } from '../core/entity-summary.ts';
import type { Requester } from './matching.ts';

/** Where candidates come from: the index in memory (`search/memory/match/`) or SQL (`search/match-lookups.ts`, in PostgreSQL or ClickHouse). The scorer ranks all alike. */
export interface CandidateSource {
  /** Work per query is bounded. All parts of the reply come from one version of the data. */
  find(asked: AskedName, requester: Requester): Candidates | Promise<Candidates>;
}

/** What is looked for. Words are folded (`core/fold.ts`), without punctuation. */
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
  /** Which bounds were reached, for measurements. */
  readonly bounds?: Iterable<string>;
  /** How many companies of the country that was asked for (or of all countries) there are. */
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
