import type { Candidates } from './candidates.ts';
import { isFormName } from './forms.ts';
import type { MatchAnswer, MatchQuery } from './matching.ts';
import { describeReasons } from './reasons.ts';
import type { Scored } from './score.ts';
import { CALIBRATION, LEAST_SCORE, MATCH_MARGIN, MATCH_SCORE, NONE_SCORE } from './weights.ts';

const DEFAULT_LIMIT = 5;

/**
 * From sums of weights to probabilities and an answer. The candidates exclude each other, and "none of them" is always possible with odds
 * of 1. So the probabilities of all candidates add up to less than 1, and companies of the same name share theirs.
 */
export function decide(query: MatchQuery, scored: readonly Scored[], found: Candidates): MatchAnswer {
  const ranked = [...scored].sort((a, b) => b.sum - a.sum || compareText(a.candidate.entity.id, b.candidate.entity.id));
  const distinct = removeDuplicates(ranked);
  const unseen = countUnseen(distinct, found);
  let all = 1;
  for (const one of distinct) all += oddsOf(one.sum);
  for (const [one, count] of unseen) all += count * oddsOf(one.nameSum);
  const [first, second] = distinct;
  const probability = (one: Scored | undefined) => (one === undefined ? 0 : oddsOf(one.sum) / all);
  const isMatch =
    first !== undefined &&
    probability(first) >= MATCH_SCORE &&
    probability(first) - probability(second) >= MATCH_MARGIN &&
    ((first.comparison.isCertain() && (isSameName(first) || !isFormName(query.name))) ||
      first.evidence.some(({ feature }) => feature === 'number'));
  const status = isMatch
    ? 'match'
    : first !== undefined && aloneProbability(first) >= NONE_SCORE
      ? 'ambiguous'
      : 'none';
  return {
    status,
    text: describe(query, status, distinct, unseen.get(first as Scored) ?? 0, probability),
    candidates: ranked
      .filter((one) => probability(one) >= LEAST_SCORE && hasSomething(one))
      .slice(0, query.limit ?? DEFAULT_LIMIT)
      .map((one) => ({
        entity: one.candidate.entity,
        score: Math.round(probability(one) * 1000) / 1000,
        match: isMatch && one === first,
        reasons: describeReasons(one, found),
      })),
    bounded: found.bounded,
  };
}

const isSameName = ({ asked, known }: Scored) => asked.joined === known.joined;

/** As if it were the only candidate: many weak candidates are no answer, but companies of one name are. */
function aloneProbability({ sum }: Scored): number {
  return 1 - 1 / (1 + oddsOf(sum));
}

/** Whether anything agrees. */
function hasSomething({ comparison, evidence }: Scored): boolean {
  return comparison.alignment.pairs.length > 0 || evidence.some(({ feature }) => feature === 'number');
}

/** The odds of a candidate with this sum of weights against "none of them". */
export function oddsOf(sum: number): number {
  return Math.exp(Math.min(MAX_LOG_ODDS, sum * CALIBRATION.slope + CALIBRATION.shift));
}

/** Beyond this, differences in the exponent mean nothing. */
const MAX_LOG_ODDS = 30;

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A company may be in a national register and in the Global LEI Index, with the same number: these do not compete. */
function removeDuplicates(ranked: readonly Scored[]): Scored[] {
  const seen = new Set<string>();
  return ranked.filter(({ candidate: { countryCode, numbers } }) => {
    const keys = numbers.filter((number) => number.length > 4).map((number) => `${countryCode} ${number}`);
    const isNew = !keys.some((key) => seen.has(key));
    for (const key of keys) seen.add(key);
    return isNew;
  });
}

/** Companies with the name of a candidate that are not among the candidates, because there are too many. */
function countUnseen(distinct: readonly Scored[], found: Candidates): Map<Scored, number> {
  const groups = new Map<string, Scored[]>();
  for (const one of distinct.slice(0, MAX_GROUPS)) {
    if (one.name.kind === 'current') groups.set(one.known.key, [...(groups.get(one.known.key) ?? []), one]);
  }
  const unseen = new Map<Scored, number>();
  for (const group of groups.values()) {
    const [best] = group as [Scored, ...Scored[]];
    const missing = found.sameName(best.candidate) - group.length;
    if (missing > 0) unseen.set(best, missing);
  }
  return unseen;
}

const MAX_GROUPS = 20;

function describe(
  query: MatchQuery,
  status: MatchAnswer['status'],
  [first, ...others]: readonly Scored[],
  unseen: number,
  probability: (one: Scored) => number,
): string {
  if (first === undefined) return 'No company with a similar name was found';
  const name = first.candidate.entity.canonicalName;
  if (status === 'match') return `${name} is the company that fits`;
  if (status === 'none') return 'No company fits well enough: check the name, or add a number';
  const same = others.filter(
    (one) => one.known.joined === first.known.joined && first.nameSum - one.nameSum < SAME_NAME_GAP,
  );
  const count = same.length + 1 + unseen;
  const place = query.country === undefined ? '' : ` in ${nameCountry(query.country)}`;
  if (count > 1) return `${count} companies${place} have this name: ${advise(query)}`;
  const near = others.filter((one) => probability(one) > probability(first) / 4).length + 1;
  return near > 1
    ? `${near} companies are similarly likely: ${advise(query)}`
    : `${name} is likely, but not certain: ${advise(query)}`;
}

const SAME_NAME_GAP = 1;

/** What the query lacks. */
function advise({ country, registrationNumber, city, postcode }: MatchQuery): string {
  const lacking = [
    country ? '' : 'a country',
    registrationNumber ? '' : 'a number',
    city || postcode ? '' : 'a city',
  ].filter((one) => one !== '');
  if (lacking.length === 0) return 'choose one';
  return `add ${lacking.slice(0, -1).join(', ')}${lacking.length > 1 ? ' or ' : ''}${lacking.at(-1)}`;
}

const english = new Intl.DisplayNames(['en'], { type: 'region' });

function nameCountry(code: string): string {
  const name = /^[A-Z]{2}$/.test(code) ? (english.of(code) ?? code) : code;
  return /^(?:United|Netherlands|Philippines|Bahamas|Maldives)/.test(name) ? `the ${name}` : name;
}
