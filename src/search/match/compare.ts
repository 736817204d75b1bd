import { type Alignment, align, isSpelled, joinTexts, type Pair } from './align.ts';
import { typoBudget } from './distance.ts';
import type { Form } from './forms.ts';
import type { Name, Word } from './name.ts';
import { type Feature, type Features, RARE_COMPANIES, RARE_SHARE } from './weights.ts';

export interface Comparison {
  readonly features: Features;
  readonly alignment: Alignment;
  /** The reason why the names cannot be a match, whatever else agrees. */
  readonly gate: 'nothing distinctive' | 'numbers differ' | 'only common words' | undefined;
  /** Whether the name alone may be a match: see `isCertain`. Only called for the best candidate. */
  readonly isCertain: () => boolean;
}

/** Compares two names by their words, numbers, places and legal forms. */
export function compareNames(asked: Name, known: Name, country: string): Comparison {
  const alignment = align(asked, known);
  const features: Features = { start: 1 };
  const { agreeing, distinctive } = weighPairs(alignment, features);
  const askedAlone = weighAlone(alignment.aloneAsked);
  const knownAlone = weighAlone(alignment.aloneKnown);
  features.rarity = Math.min(1.5, agreeing);
  const isEqual = asked.joined === known.joined;
  if (isEqual) features.equal = 1;
  else if (
    alignment.aloneAsked.length + alignment.aloneKnown.length === 0 &&
    alignment.pairs.every(({ kind }) => kind === 'equal')
  )
    features.sameWords = 1;
  if (askedAlone > 0) features.askedAlone = askedAlone / (askedAlone + agreeing);
  if (knownAlone > 0) features.knownAlone = knownAlone / (knownAlone + agreeing);
  if (askedAlone > 0 && knownAlone > 0)
    features.bothAlone = Math.min(
      1,
      (2 * Math.min(askedAlone, knownAlone)) / (agreeing + Math.min(askedAlone, knownAlone)),
    );
  if (asked.forms.length > 0 && known.forms.length > 0 && askedAlone + knownAlone > 0) features.bothWhole = 1;
  if (alignment.aloneAsked.some(isDistinctive)) features.askedRare = 1;
  if (alignment.aloneKnown.some(isDistinctive)) features.knownRare = 1;
  compareEnds(asked, known, alignment, features);
  comparePlaces(asked, known, alignment, country, features);
  compareForms(asked.forms, known.forms, features);
  const numbers = compareNumbers(...listNumbers(asked, known, alignment));
  if (numbers === 'asked' || numbers === 'known') features[numbers === 'asked' ? 'numberAsked' : 'numberKnown'] = 1;
  const gate = findGate(asked, known, isEqual, distinctive, numbers);
  if (gate === 'only common words') features.common = 1;
  if (gate === 'nothing distinctive') features.indistinct = 1;
  const hasOtherForm = features.formOther !== undefined || features.formCountry !== undefined;
  const mayBeCertain = gate === undefined && !hasOtherForm;
  return {
    features,
    alignment,
    gate,
    isCertain: () => mayBeCertain && isCertain(asked, known, alignment),
  };
}

/** Compares the first distinctive words, which usually distinguish companies. */
function compareEnds(asked: Name, known: Name, { pairs }: Alignment, features: Features): void {
  const [a, b] = [asked.lead, known.lead];
  const first =
    pairs.find((pair) => includesAt(pair.asked, a) && includesAt(pair.known, b)) ??
    pairs.find((pair) => pair.asked[0].at === 0 && pair.known[0].at === 0 && a * b === 0);
  if (first !== undefined) features.lead = isSure(first) ? 1 : 0.5;
  else if (pairs.some((pair) => pair.kind === 'equal' && pair.asked[0].at === 0)) features.lead = FIRST_ASKED;
}

/** The value of `lead` if the first asked word is elsewhere in the company's name. */
const FIRST_ASKED = 0.7;

function includesAt(words: readonly Word[], position: number): boolean {
  return words.some(({ at }) => at === position);
}

/** Fewer initials may stand for too many names. */
const MIN_SURE_INITIALS = 4;

/** Whether a pair is certain. A related or shortened word, or a typo that is a word of other companies, is weaker evidence. */
function isSure({ kind, asked, known }: Pair): boolean {
  if (kind === 'typo') return asked[0].rarity.count === 0;
  if (kind === 'initials') return Math.max(asked.length, known.length) >= MIN_SURE_INITIALS;
  return kind === 'equal' || kind === 'spelling' || kind === 'joined';
}

/** Whether a word distinguishes companies. Countries and numbers are compared separately. */
function isDistinctive({ place, isNumber, rarity }: Word): boolean {
  return place === undefined && !isNumber && rarity.isDistinctive;
}

function weighAlone(words: readonly Word[]): number {
  let sum = 0;
  for (const { place, isNumber, rarity } of words) if (place === undefined && !isNumber) sum += rarity.weight;
  return sum;
}

/** The weights of all pairs, and of the pairs with a distinctive word. */
function weighPairs({ pairs }: Alignment, features: Features): { agreeing: number; distinctive: number } {
  let agreeing = 0;
  let distinctive = 0;
  const sums: Features = {};
  const add = (feature: Feature, weight: number) => {
    sums[feature] = (sums[feature] ?? 0) + weight;
  };
  let last = -1;
  for (const pair of pairs) {
    const { kind, asked, known } = pair;
    const weight = weighPair(pair);
    agreeing += weight;
    if (hasDistinctive(pair)) distinctive += weight;
    if (kind === 'equal') {
      if (known[0].at < last) add('order', weight);
      last = known[0].at;
    } else if (kind === 'typo') {
      const [[a], [b]] = [asked, known];
      add('typo', weight * pair.cost);
      if (a.rarity.count > 0) add('knownTypo', weight);
      if (Math.min(a.folded.length, b.folded.length) < SHORT_WORD) add('shortTypo', weight);
      if (a.folded[0] !== b.folded[0]) add('startTypo', weight);
    } else if (kind === 'initials')
      add(kind, weight * Math.min(1, FEW_INITIALS / Math.max(asked.length, known.length)));
    else add(kind, weight);
  }
  if (agreeing > 0)
    for (const feature in sums) features[feature as Feature] = (sums[feature as Feature] as number) / agreeing;
  return { agreeing, distinctive };
}

/** In shorter words, another letter usually makes another word. More initials than this are stronger evidence. */
const [SHORT_WORD, FEW_INITIALS] = [5, 3];

/** The weight of a pair by the rarity of the company's words, because a typo only seems rare. A frequent word is not short for a rare word. */
function weighPair({ kind, asked, known }: Pair): number {
  let sum = 0;
  for (const { rarity } of known) sum += rarity.weight;
  return kind === 'shortened' ? Math.min(sum, asked[0].rarity.weight) : sum;
}

function hasDistinctive({ kind, asked, known }: Pair): boolean {
  if (kind === 'related') return false;
  if (kind === 'joined' || known.length > 1) return true;
  return known[0].rarity.isDistinctive && (kind !== 'shortened' || asked[0].rarity.isDistinctive);
}

function findGate(
  asked: Name,
  known: Name,
  isEqual: boolean,
  distinctive: number,
  numbers: string,
): Comparison['gate'] {
  if (numbers === 'different') return 'numbers differ';
  const isWhole = asked.part !== 'other' && known.part !== 'other';
  if ((isEqual && isWhole) || distinctive > 0) return undefined;
  const isCommon = ({ words }: Name) => words.every((word) => !word.rarity.isDistinctive);
  return isCommon(asked) || isCommon(known) ? 'only common words' : 'nothing distinctive';
}

/** All numbers of both names, without numbers in letters that are misspelt or joined. */
function listNumbers(asked: Name, known: Name, { pairs }: Alignment): [readonly string[], readonly string[]] {
  const spelled = pairs.flatMap((pair) =>
    pair.kind === 'typo' || pair.kind === 'joined' ? [...pair.asked, ...pair.known].filter(isSpelled) : [],
  );
  if (spelled.length === 0) return [asked.numbers, known.numbers];
  const listOf = ({ words }: Name) =>
    words.flatMap((word) => (word.isNumber && !spelled.includes(word) ? [word.text] : []));
  return [listOf(asked), listOf(known)];
}

/** Compares numbers. `175 303` equals `175303`, and the order of numbers does not matter. */
function compareNumbers(asked: readonly string[], known: readonly string[]): 'equal' | 'asked' | 'known' | 'different' {
  if (asked.length === 0 && known.length === 0) return 'equal';
  if (asked.join('') === known.join('')) return 'equal';
  if ([...asked].sort().join(' ') === [...known].sort().join(' ')) return 'equal';
  if (asked.every((one) => known.includes(one))) return 'known';
  if (known.every((one) => asked.includes(one))) return 'asked';
  return 'different';
}

/** Compares countries in names. The company's own country is ignored: `Mendez Norge` in Norway may be registered as `Mendez`. */
function comparePlaces(
  asked: Name,
  known: Name,
  { aloneAsked, aloneKnown }: Alignment,
  country: string,
  features: Features,
): void {
  // Most names contain no country.
  if (!aloneAsked.some(isPlace) && !aloneKnown.some(isPlace)) return;
  const count = (alone: readonly Word[], { words }: Name) =>
    [...placesOf(alone).difference(placesOf(words))].filter((place) => place !== country).length;
  const askedMore = count(aloneAsked, known);
  const knownMore = count(aloneKnown, asked);
  if (askedMore > 0 && knownMore > 0) features.placeOther = 1;
  else if (askedMore + knownMore > 0) features.placeAlone = 1;
}

function isPlace({ place }: Word): boolean {
  return place !== undefined;
}

function placesOf(words: readonly Word[]): Set<string> {
  const places = new Set<string>();
  for (const { place } of words) if (place !== undefined) places.add(place);
  return places;
}

/** Compares legal forms by class. Forms such as company and corporation agree with most other forms. */
function compareForms(asked: readonly Form[], known: readonly Form[], features: Features): void {
  if (asked.length === 0 && known.length === 0) return;
  if (asked.length === 0 || known.length === 0) features.formMissing = 1;
  else Object.assign(features, compareForm(asked, known));
}

export function compareForm(asked: readonly Form[], known: readonly Form[]): Features {
  const [a, b] = [decidingForm(asked), decidingForm(known)];
  if (a === undefined || b === undefined) return {};
  if (a.spelling === b.spelling) return { formEqual: 1 };
  const same = a.meanings.flatMap((one) =>
    b.meanings.filter((other) => other.class === one.class).map((other) => [one, other]),
  );
  if (same.length === 0) return isLoose(a) || isLoose(b) ? {} : { formOther: 1 };
  const isShared = same.some(([one, other]) => {
    const [x, y] = [one?.countries ?? [], other?.countries ?? []];
    return x.length === 0 || y.length === 0 || x.some((country) => y.includes(country));
  });
  return isShared ? { formEqual: 1 } : { formCountry: 1 };
}

/** The most specific form: in `Corporation JSC`, the form JSC. */
function decidingForm(forms: readonly Form[]): Form | undefined {
  return forms.find((form) => !isLoose(form)) ?? forms[0];
}

function isLoose({ meanings }: Form): boolean {
  return meanings.some((meaning) => meaning.class === 'company' || meaning.class === 'corporation');
}

/**
 * Whether the name is enough to accept a company without a review: the names are equal, or a rare word agrees and all differences are
 * known to be harmless. A high score alone is not enough: `National Bank` and `National Bank of Canada` are two companies.
 */
function isCertain(asked: Name, known: Name, alignment: Alignment): boolean {
  // Text in brackets or after a slash names a separate company only if it has a legal form. In a register, such text is always significant.
  if ((asked.part === 'other' && asked.forms.length === 0) || known.part === 'other') return false;
  if (asked.joined === known.joined) return true;
  const { pairs, aloneAsked, aloneKnown } = alignment;
  const alone = [...aloneAsked, ...aloneKnown];
  if (alone.some(({ place, isNumber, rarity }) => place !== undefined || isNumber || rarity.isDistinctive))
    return false;
  if (aloneAsked.length > 0 && aloneKnown.length > 0) return false;
  // One agreeing word is weak evidence if either name has more words.
  if (pairs.length < 2 && alone.length > 0) return false;
  if (!pairs.every((pair) => isHarmless(asked, known, pair, pairs))) return false;
  return pairs.some(isRare) || isUnlikelyTwice(known, alignment);
}

/** Whether all words agree in order, and all these words together are so rare that two companies are unlikely to share them. */
function isUnlikelyTwice(known: Name, { pairs, aloneAsked, aloneKnown }: Alignment): boolean {
  if (pairs.length < MIN_WORDS || aloneAsked.length + aloneKnown.length > 0) return false;
  const inOrder = [...pairs].sort((a, b) => a.asked[0].at - b.asked[0].at);
  if (inOrder.some(({ known: [first] }, at) => at > 0 && first.at < (inOrder[at - 1] as Pair).known[0].at))
    return false;
  return known.words.reduce((product, { rarity }) => product * rarity.share, 1) < UNLIKELY_SHARE;
}

const MIN_WORDS = 3;
const UNLIKELY_SHARE = 1 / 1_000_000;

/** Whether a pair's difference is harmless. Joined words must have equal letters, and only the asked word may be short. */
function isHarmless(asked: Name, known: Name, pair: Pair, pairs: readonly Pair[]): boolean {
  const { kind } = pair;
  if (kind === 'equal') return true;
  const [a, b] = [joinTexts(pair.asked), joinTexts(pair.known)];
  if (isOtherWord(pair)) return false;
  if (kind === 'joined') return a === b;
  if (kind === 'spelling') return a === b || Math.min(a.length, b.length) >= MIN_TYPO_LENGTH;
  if (kind === 'shortened') {
    const isCutOff = a.length > 1 && known.joined.startsWith(asked.joined);
    return a.length < b.length && (b.startsWith(a) ? a.length > MIN_START || isCutOff : a.length > 1);
  }
  if (kind === 'initials') return Math.max(pair.asked.length, pair.known.length) > MIN_INITIALS;
  return stemOf(a) === stemOf(b) || (kind === 'typo' && isTypo(known, pair, pairs));
}

/**
 * Whether a difference between words is probably a typo: no company has the word as typed, the word is not short, and if the first letter
 * differs, a rare word agrees as well.
 */
function isTypo(known: Name, pair: Pair, pairs: readonly Pair[]): boolean {
  const [[{ text: a, rarity }], [{ text: b }]] = [pair.asked, pair.known];
  const [shorter, longer] = [Math.min(a.length, b.length), Math.max(a.length, b.length)];
  const cost = pair.cost * longer;
  if (rarity.count > 0) return false;
  if (shorter < MIN_TYPO_LENGTH || cost > typoBudget(shorter)) return false;
  if (known.words.length === 1 && b.length < MIN_ONLY_WORD) return false;
  if (a[0] === b[0]) return true;
  return cost <= 1 && shorter >= MIN_OTHER_START && pairs.some((other) => other.kind === 'equal' && isRare(other));
}

/** A word of several companies is neither short for a rare word nor a misspelling of it: `Maison` and `Maisonneuve`. */
function isOtherWord({ kind, asked, known }: Pair): boolean {
  if (asked.length !== 1 || known.length !== 1 || kind === 'spelling') return false;
  return asked[0].rarity.count > RARE_COMPANIES && known[0].rarity.isDistinctive;
}

/** This many initials, or first letters of a word, may still stand for too many words. */
const [MIN_INITIALS, MIN_START] = [2, 3];

/** In a shorter word, a typo makes another word; in a shorter name, another name. */
const [MIN_TYPO_LENGTH, MIN_OTHER_START, MIN_ONLY_WORD] = [5, 6, 8];

/** Removes the ending of singular or plural, so that `technology` and `technologies` have one stem. */
function stemOf(word: string): string {
  return word.length < MIN_STEM ? word : word.replace(/s$/, '').replace(/(?:ie|y|e)$/, '');
}

const MIN_STEM = 5;

function isRare({ kind, asked, known }: Pair): boolean {
  if (kind === 'related' || kind === 'initials') return false;
  return [...known, ...(known.length > 1 ? [asked[0]] : [])].some(
    ({ isNumber, rarity: { isDistinctive, share, count } }) =>
      !isNumber && isDistinctive && (share < RARE_SHARE || count <= RARE_COMPANIES),
  );
}
