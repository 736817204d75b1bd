import { formatCount } from '../../base/format-count.ts';
import { isFormName } from './forms.ts';
import type { Candidates, MatchAnswer, MatchQuery, Reason } from './matching.ts';
import type { Name, Word } from './name.ts';
import type { Scored } from './score.ts';
import { CALIBRATION, type Feature, LEAST_SCORE, MATCH_MARGIN, MATCH_SCORE, NONE_SCORE, weights } from './weights.ts';

const DEFAULT_LIMIT = 5;

/**
 * Turns sums of weights into probabilities. The candidates exclude each other, and "none of them" is always possible with odds of 1. So the
 * probabilities of all candidates add up to less than 1, and companies with equal names divide their probability.
 */
function rate(scored: readonly Scored[], found: Candidates) {
  const best = oddsOf(Math.max(...scored.map(({ sum }) => sum)));
  const ranked = scored
    .filter(({ sum }) => oddsOf(sum) >= LEAST_SCORE * best)
    .sort((a, b) => b.sum - a.sum || compareText(a.candidate.id, b.candidate.id));
  const distinct = removeDuplicates(ranked);
  const countedOdds = ({ sum }: Scored) => oddsOf(sum) * countedShare(oddsOf(sum) / best);
  const counted = distinct.filter((one) => countedOdds(one) > 0);
  const unseen = countUnseen(counted, found);
  let all = 1;
  for (const one of counted) all += countedOdds(one);
  for (const [one, count] of unseen) all += count * oddsOf(one.nameSum);
  const likely = ranked.filter((one) => oddsOf(one.sum) >= LEAST_SCORE * all && hasSomething(one));
  return { likely, distinct, unseen, probability: (one: Scored) => countedOdds(one) / all };
}

/**
 * Chooses the answer. The candidates of one country include companies for which the candidates of all countries have no room. Such companies
 * must not make a company less certain than a query without a country does: its probability is at least that among the common candidates.
 */
export function decide(query: MatchQuery, scored: readonly Scored[], found: Candidates): MatchAnswer {
  const { likely, distinct, unseen, probability: own } = rate(scored, found);
  const common = scored.filter(({ candidate }) => candidate.isAnywhere);
  const least = common.length < scored.length ? rate(common, found).probability : own;
  const probability = (one: Scored | undefined) =>
    one === undefined ? 0 : Math.max(own(one), one.candidate.isAnywhere ? least(one) : 0);
  const [first, second] = distinct;
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
    candidates: likely.slice(0, query.limit ?? DEFAULT_LIMIT).map((one) => ({
      entity: one.candidate.entity,
      score: Math.max(1, Math.round(probability(one) * 1000)) / 1000,
      match: isMatch && one === first,
      reasons: describeReasons(one, found),
    })),
    bounded: found.bounded,
  };
}

/**
 * The part of its odds with which a candidate counts, by its share of the best candidate's odds. The number of unlikely candidates depends
 * on how many were compared, so many unlikely candidates together must not outweigh a likely one.
 */
function countedShare(share: number): number {
  return Math.min(1, Math.max(0, (share - UNLIKELY_SHARE) / (LIKELY_SHARE - UNLIKELY_SHARE)));
}

const [UNLIKELY_SHARE, LIKELY_SHARE] = [0.01, 0.03];

const isSameName = ({ asked, known }: Scored) => asked.joined === known.joined;

/** The probability of a candidate as if it were the only one: many weak candidates are no answer, but many companies of one name are. */
function aloneProbability({ sum }: Scored): number {
  return 1 - 1 / (1 + oddsOf(sum));
}

/** Whether any word or a number agrees. */
function hasSomething({ comparison, evidence }: Scored): boolean {
  return comparison.alignment.pairs.length > 0 || evidence.some(({ feature }) => feature === 'number');
}

/** The odds of a candidate with this sum of weights against "none of them". */
export function oddsOf(sum: number): number {
  return Math.exp(Math.min(MAX_LOG_ODDS, sum * CALIBRATION.slope + CALIBRATION.shift));
}

/** The maximum exponent. Differences above this limit have no meaning. */
const MAX_LOG_ODDS = 30;

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A company may be in a national register and in the Global LEI Index with one number. These records do not compete. */
function removeDuplicates(ranked: readonly Scored[]): Scored[] {
  const seen = new Set<string>();
  return ranked.filter(({ candidate: { countryCode, numbers } }) => {
    const keys = numbers.filter((number) => number.length > 4).map((number) => `${countryCode} ${number}`);
    const isNew = !keys.some((key) => seen.has(key));
    for (const key of keys) seen.add(key);
    return isNew;
  });
}

/** Counts companies with the name of a candidate that are not among the candidates, because there are too many. */
function countUnseen(counted: readonly Scored[], found: Candidates): Map<Scored, number> {
  const current = counted.slice(0, MAX_GROUPS).filter(({ name }) => name.kind === 'current');
  const groups = Map.groupBy(current, ({ known }) => known.key);
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

/** Advises what to add to the query. */
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

/** Describes all evidence in words. The weights of the reasons add up to the sum from which the score is computed. */
function describeReasons(scored: Scored, found: Candidates): Reason[] {
  const { comparison, name, evidence, nameSum } = scored;
  const { features } = comparison;
  const together = (...names: Feature[]) => names.reduce((sum, one) => sum + (features[one] ?? 0) * weights[one], 0);
  const reasons: Reason[] = [];
  const add = (feature: string, value: string, weight: number, text: string) => {
    if (Math.abs(weight) >= 0.005) reasons.push({ feature, value, weight: Math.round(weight * 100) / 100, text });
  };
  const agreeing = writeWords(comparison.alignment.pairs.flatMap(({ known }) => known));
  add(
    'name',
    agreeing,
    together('start', 'equal', 'sameWords', 'rarity', 'lead'),
    describeAgreement(scored, found, agreeing),
  );
  for (const [feature, write] of Object.entries(TEXTS)) {
    const one = feature as Feature;
    // Most features are missing, and writing their texts would take longer than comparing the names.
    if (!features[one]) continue;
    const value = one === 'former' || one === 'other' ? name.text : describeValue(one, scored);
    add(one, value, together(one), write(value));
  }
  if (comparison.gate === 'numbers differ')
    add(
      'gate',
      comparison.gate,
      nameSum - Object.keys(features).reduce((sum, one) => sum + together(one as Feature), 0),
      'The numbers in the names differ',
    );
  for (const { feature, value, text } of evidence) add(feature, value, weights[feature], text);
  return reasons;
}

/** The texts of the features besides the agreement of the names, in the order of the reasons. */
const TEXTS: Readonly<Partial<Record<Feature, (value: string) => string>>> = {
  askedAlone: (value) => `The company's name lacks “${value}”`,
  knownAlone: (value) => `The company's name also has “${value}”`,
  askedRare: (value) => `“${value}” is distinctive`,
  knownRare: (value) => `“${value}” is distinctive`,
  bothAlone: () => 'Each name has words that the other lacks',
  bothWhole: () => 'Both names have a legal form, so neither is shortened',
  spelling: (value) => `The same in another script: ${value}`,
  typo: (value) => `Spelled differently: ${value}`,
  knownTypo: (value) => `Both spellings are words of other companies: ${value}`,
  shortTypo: (value) => `Another letter in a short word: ${value}`,
  startTypo: (value) => `Another first letter: ${value}`,
  shortened: (value) => `Shortened: ${value}`,
  related: (value) => `Related words: ${value}`,
  initials: (value) => `Initials: ${value}`,
  joined: (value) => `Joined or split: ${value}`,
  common: () => 'One of the names has only common words, and the names differ',
  indistinct: () => 'No distinctive word agrees',
  order: () => 'The words are in another order',
  formEqual: () => 'The legal form is of the same class',
  formMissing: () => 'Only one of the names has a legal form',
  formOther: () => 'The legal form is of another class',
  formCountry: () => 'The legal form is of another country',
  placeAlone: () => 'Only one of the names has a country',
  placeOther: () => 'The names have different countries',
  numberAsked: () => "Your name has a number that the company's name lacks",
  numberKnown: () => "The company's name has a number that yours lacks",
  former: (value) => `A former name: ${value}`,
  other: (value) => `Another name of the company: ${value}`,
  part: () => 'The name before or after “trading as” agrees',
  partOther: () => 'Only a part of the name agrees',
};

function describeAgreement({ comparison }: Scored, found: Candidates, agreeing: string): string {
  if (agreeing === '') return 'No word agrees';
  const rarest = comparison.alignment.pairs
    .flatMap((pair) => pair.known.map(({ folded }) => ({ word: folded, count: found.frequency(folded) })))
    .sort((a, b) => a.count - b.count)[0];
  const how = comparison.features.equal ? 'The names are the same' : `“${agreeing}” agrees`;
  if (rarest === undefined || rarest.count === 0) return how;
  return `${how}; ${formatCount(rarest.count)} of ${formatCount(found.entities)} companies have “${rarest.word}”`;
}

function describeValue(feature: string, { comparison: { alignment }, asked, known }: Scored): string {
  if (feature === 'askedAlone' || feature === 'askedRare') return writeWords(alignment.aloneAsked);
  if (feature === 'knownAlone' || feature === 'knownRare') return writeWords(alignment.aloneKnown);
  const both = (write: (name: Name) => string | undefined) =>
    [asked, known].map((name) => write(name) || '–').join(' / ');
  if (feature.startsWith('form')) return both(({ forms }) => forms.map(({ spelling }) => spelling).join(' '));
  if (feature.startsWith('place')) return both(({ words }) => words.find(({ place }) => place !== undefined)?.text);
  if (feature.startsWith('number')) return both(({ numbers }) => numbers.join(' '));
  const kind = feature.endsWith('Typo') ? 'typo' : feature;
  const pairs = alignment.pairs.filter((pair) => pair.kind === kind);
  return pairs.map((pair) => `${writeWords(pair.asked)} / ${writeWords(pair.known)}`).join(', ');
}

function writeWords(words: readonly Word[]): string {
  return [...words]
    .sort((a, b) => a.at - b.at)
    .map(({ folded }) => folded)
    .join(' ')
    .slice(0, MAX_VALUE_LENGTH);
}

const MAX_VALUE_LENGTH = 100;
