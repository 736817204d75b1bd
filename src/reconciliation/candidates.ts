import type { EntitySummary } from '../core/entity-summary.ts';
import type { MatchCandidate } from '../matching/matching.ts';
import { nameCountry } from '../registry/country-names.ts';
import { COMPANY } from './properties.ts';

/** What became of one query. */
export interface Matched {
  readonly candidates: readonly MatchCandidate[];
  /** What is wrong with the query. It has no candidates and costs nothing. */
  readonly error?: string;
}

/** Scores are percentages. */
export function describeCandidate({ entity, score, match }: MatchCandidate) {
  return { ...describeEntity(entity), score: Math.round(score * 1_000) / 10, match, type: [COMPANY] };
}

export function describeEntity(entity: EntitySummary) {
  const { id, canonicalName: name, countryCode, registrationNumber, status, city } = entity;
  const parts = [nameCountry(countryCode).name, registrationNumber, city, status.replaceAll('_', ' ')];
  return { id, name, description: parts.filter((part) => part !== null && part !== '').join(' · ') };
}
