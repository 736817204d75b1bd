import type { Candidate, CandidateName, Candidates } from './candidates.ts';
import { type Comparison, compareNames } from './compare.ts';
import { compareEvidence, type Evidence } from './evidence.ts';
import type { MatchQuery } from './matching.ts';
import { type Name, type NamePart, readNames } from './name.ts';
import { createRarity } from './rarity.ts';
import { type Feature, type Features, GATE_LIMIT, weights } from './weights.ts';

/** A candidate with everything that was found out about it. */
export interface Scored {
  readonly candidate: Candidate;
  /** The name of the company that fits best, and how. */
  readonly name: CandidateName;
  readonly asked: Name;
  readonly known: Name;
  readonly comparison: Comparison;
  readonly evidence: readonly Evidence[];
  /** Sums of the weights: of the name, and of everything. */
  readonly nameSum: number;
  readonly sum: number;
}

/** Names of one company that are compared: some have had dozens. */
const MAX_NAMES = 30;

/** Scores candidates of one query. The query's name is read once per country, because legal forms depend on it. */
export function createScorer(query: MatchQuery, found: Candidates): (candidate: Candidate) => Scored | undefined {
  const rarity = createRarity(found);
  const readings = new Map<string, Name[]>();
  const readAsked = (country: string) => {
    const known = readings.get(country) ?? readNames(query.name, country === '' ? undefined : country);
    readings.set(country, known);
    return known;
  };
  const compare = (names: readonly CandidateName[], country: string) => {
    let best: Compared | undefined;
    for (const name of names.slice(0, MAX_NAMES)) {
      for (const known of readNames(name.text, country === '' ? undefined : country)) {
        for (const asked of readAsked(country)) {
          // Two names without what is in their brackets say nothing.
          if (asked.part === 'other' && known.part === 'other') continue;
          const comparison = compareNames(asked, known, country, rarity);
          markKind(comparison.features, name.kind, asked.part, known.part);
          const sum = sumUp(comparison.features);
          const nameSum = comparison.gate === 'numbers differ' ? lowerAtGate(sum) : sum;
          if (best === undefined || nameSum > best.nameSum) best = { name, asked, known, comparison, nameSum };
        }
      }
    }
    return best;
  };
  /** By country and names, because many companies have the same. */
  const compared = new Map<string, Compared | undefined>();
  return (candidate) => {
    const { names, countryCode } = candidate;
    let key = countryCode;
    for (const { kind, text } of names) key += `\n${kind} ${text}`;
    if (!compared.has(key)) compared.set(key, compare(names, countryCode));
    const best = compared.get(key);
    if (best === undefined) return undefined;
    const evidence = compareEvidence(query, candidate);
    const sum = evidence.reduce((total, { feature }) => total + weights[feature], best.nameSum);
    return { ...best, candidate, evidence, sum };
  };
}

type Compared = Omit<Scored, 'evidence' | 'sum' | 'candidate'>;

function markKind(features: Features, kind: CandidateName['kind'], asked: NamePart, known: NamePart): void {
  if (kind !== 'current') features[kind] = 1;
  if (asked === 'other' || known === 'other') features.partOther = 1;
  else if (asked === 'legal' || known === 'legal') features.part = 1;
}

function sumUp(features: Features): number {
  let sum = 0;
  for (const feature in features) sum += weights[feature as Feature] * (features[feature as Feature] ?? 0);
  return sum;
}

/** Names that fail a gate keep their order among each other. */
function lowerAtGate(sum: number): number {
  return Math.min(sum, GATE_LIMIT + Math.min(0, sum - GATE_SPAN) / GATE_SPAN);
}

/** More than the sum of any name. */
const GATE_SPAN = 10;
