import { type Alignment, align, type Pair } from './align.ts';
import { typoBudget } from './distance.ts';
import type { Form } from './forms.ts';
import type { Name, Word } from './name.ts';
import type { Rarity } from './rarity.ts';
import { DISTINCTIVE_SHARE, type Features, RARE_COMPANIES, RARE_SHARE } from './weights.ts';

export interface Comparison {
  readonly features: Features;
  readonly alignment: Alignment;
  /** The reason why the names cannot be a match, whatever else agrees. */
  readonly gate: 'nothing distinctive' | 'numbers differ' | 'only common words' | undefined;
  /** Whether the name alone may be a match: see `isCertain`. Only called for the best candidate. */
  readonly isCertain: () => boolean;
}

/** Compares two names by their words, numbers, places and legal forms. */
export function compareNames(asked: Name, known: Name, country: string, rarity: Rarity): Comparison {
  const alignment = align(asked, known);
  const features: Features = { start: 1 };
  const sums = weighPairs(asked, known, alignment, rarity, features);
  const alone = (name: Name, at: readonly number[]) => at.reduce((sum, one) => sum + aloneWeight(name, one, rarity), 0);
  const askedAlone = alone(asked, alignment.aloneAsked);
  const knownAlone = alone(known, alignment.aloneKnown);
  const total = sums.agreeing;
  features.rarity = Math.min(1.5, total);
  const isEqual = asked.joined === known.joined;
  if (isEqual) features.equal = 1;
  else if (
    alignment.aloneAsked.length + alignment.aloneKnown.length === 0 &&
    alignment.pairs.every(({ kind }) => kind === 'equal')
  )
    features.sameWords = 1;
  if (askedAlone > 0) features.askedAlone = askedAlone / (askedAlone + total);
  if (knownAlone > 0) features.knownAlone = knownAlone / (knownAlone + total);
  if (askedAlone > 0 && knownAlone > 0)
    features.bothAlone = Math.min(
      1,
      (2 * Math.min(askedAlone, knownAlone)) / (total + Math.min(askedAlone, knownAlone)),
    );
  if (asked.forms.length > 0 && known.forms.length > 0 && askedAlone + knownAlone > 0) features.bothWhole = 1;
  features.askedRare = rarest(asked, alignment.aloneAsked, rarity);
  features.knownRare = rarest(known, alignment.aloneKnown, rarity);
  compareEnds(asked, known, alignment, rarity, features);
  comparePlaces(asked, known, alignment, country, features);
  compareForms(asked.forms, known.forms, features);
  const numbers = compareNumbers(...listNumbers(asked, known, alignment));
  if (numbers === 'asked' || numbers === 'known') features[numbers === 'asked' ? 'numberAsked' : 'numberKnown'] = 1;
  const gate = findGate(asked, known, isEqual, sums.distinctive, numbers, rarity);
  if (gate === 'only common words') features.common = 1;
  if (gate === 'nothing distinctive') features.indistinct = 1;
  const hasOtherForm = features.formOther !== undefined || features.formCountry !== undefined;
  const mayBeCertain = gate === undefined && !hasOtherForm;
  return {
    features,
    alignment,
    gate,
    isCertain: () => mayBeCertain && isCertain(asked, known, alignment, rarity),
  };
}

/** Compares the first distinctive words, which usually distinguish companies. */
function compareEnds(asked: Name, known: Name, alignment: Alignment, rarity: Rarity, features: Features): void {
  const first = findLead(asked, known, alignment, rarity);
  if (first !== undefined) features.lead = isSure(asked, first, rarity) ? 1 : 0.5;
  else if (alignment.pairs.some((pair) => pair.kind === 'equal' && pair.asked.includes(0))) features.lead = FIRST_ASKED;
}

/** The value of `lead` if the first asked word is elsewhere in the company's name. */
const FIRST_ASKED = 0.3;

/** The pair of the first distinctive words, or of the first words. */
function findLead(asked: Name, known: Name, { pairs }: Alignment, rarity: Rarity): Pair | undefined {
  const [a, b] = [leadOf(asked, rarity), leadOf(known, rarity)];
  return (
    pairs.find((pair) => pair.asked.includes(a) && pair.known.includes(b)) ??
    pairs.find((pair) => pair.asked.includes(0) && pair.known.includes(0) && a * b === 0)
  );
}

function leadOf({ words }: Name, rarity: Rarity): number {
  return Math.max(
    0,
    words.findIndex((word) => rarity.share(word) < DISTINCTIVE_SHARE),
  );
}

/** Fewer initials may stand for too many names. */
const MIN_SURE_INITIALS = 4;

/** Whether a pair is certain. A related or shortened word, or a typo that is a word of other companies, is weaker evidence. */
function isSure({ words }: Name, { kind, asked, known }: Pair, rarity: Rarity): boolean {
  if (kind === 'typo') return rarity.count(words[asked[0] as number] as Word) === 0;
  if (kind === 'initials') return Math.max(asked.length, known.length) >= MIN_SURE_INITIALS;
  return kind === 'equal' || kind === 'spelling' || kind === 'joined';
}

/** Returns 1 if one of the words is distinctive, otherwise 0. */
function rarest({ words }: Name, positions: readonly number[], rarity: Rarity): number {
  return positions.some((at) => {
    const word = words[at] as Word;
    return word.place === undefined && !word.isNumber && rarity.share(word) < DISTINCTIVE_SHARE;
  })
    ? 1
    : 0;
}

function aloneWeight(name: Name, at: number, rarity: Rarity): number {
  const word = name.words[at] as Word;
  // Countries and numbers are compared separately.
  return word.place === undefined && !word.isNumber ? rarity.weigh(word) : 0;
}

function weighPairs(
  asked: Name,
  known: Name,
  { pairs }: Alignment,
  rarity: Rarity,
  features: Features,
): { agreeing: number; distinctive: number } {
  let agreeing = 0;
  let distinctive = 0;
  const count = {
    spelling: 0,
    typo: 0,
    knownTypo: 0,
    shortTypo: 0,
    startTypo: 0,
    shortened: 0,
    related: 0,
    initials: 0,
    joined: 0,
  };
  let last = -1;
  let moved = 0;
  for (const pair of pairs) {
    const weight = pairWeight(asked, known, pair, rarity);
    agreeing += weight;
    if (isDistinctive(asked, known, pair, rarity)) distinctive += weight;
    const at = pair.asked[0] as number;
    if (pair.kind === 'equal' && (pair.known[0] as number) < last) moved += weight;
    if (pair.kind === 'equal') last = pair.known[0] as number;
    if (pair.kind === 'typo') {
      count.typo += weight * pair.cost;
      const [a, b] = [asked.words[at] as Word, known.words[pair.known[0] as number] as Word];
      if (rarity.count(a) > 0) count.knownTypo += weight;
      if (Math.min(a.folded.length, b.folded.length) < SHORT_WORD) count.shortTypo += weight;
      if (a.folded[0] !== b.folded[0]) count.startTypo += weight;
    } else if (pair.kind === 'initials') {
      count.initials += weight * Math.min(1, FEW_INITIALS / Math.max(pair.asked.length, pair.known.length));
    } else if (pair.kind !== 'equal') count[pair.kind] += weight;
  }
  for (const [kind, sum] of Object.entries(count)) if (sum > 0) features[kind as keyof typeof count] = sum / agreeing;
  if (moved > 0) features.order = moved / agreeing;
  return { agreeing, distinctive };
}

/** In shorter words, another letter usually makes another word. More initials than this are stronger evidence. */
const [SHORT_WORD, FEW_INITIALS] = [5, 3];

/** The weight of a pair by the rarity of the company's words, because a typo only seems rare. A frequent word is not short for a rare word. */
function pairWeight(asked: Name, known: Name, pair: Pair, rarity: Rarity): number {
  let sum = 0;
  for (const at of pair.known) sum += rarity.weigh(known.words[at] as Word);
  if (pair.kind !== 'shortened') return sum;
  return Math.min(sum, rarity.weigh(asked.words[pair.asked[0] as number] as Word));
}

function isDistinctive(asked: Name, known: Name, pair: Pair, rarity: Rarity): boolean {
  if (pair.kind === 'related') return false;
  if (pair.kind === 'joined' || pair.known.length > 1) return true;
  const words = [known.words[pair.known[0] as number], asked.words[pair.asked[0] as number]] as [Word, Word];
  return (pair.kind === 'shortened' ? words : words.slice(0, 1)).every(
    (word) => rarity.share(word) < DISTINCTIVE_SHARE,
  );
}

function findGate(
  asked: Name,
  known: Name,
  isEqual: boolean,
  distinctive: number,
  numbers: string,
  rarity: Rarity,
): Comparison['gate'] {
  if (numbers === 'different') return 'numbers differ';
  const isWhole = asked.part !== 'other' && known.part !== 'other';
  if ((isEqual && isWhole) || distinctive > 0) return undefined;
  const isCommon = ({ words }: Name) => words.every((word) => rarity.share(word) >= DISTINCTIVE_SHARE);
  return isCommon(asked) || isCommon(known) ? 'only common words' : 'nothing distinctive';
}

/** All numbers of both names, without numbers in letters that are paired as a typo. */
function listNumbers(asked: Name, known: Name, { pairs }: Alignment): [readonly string[], readonly string[]] {
  const typos = pairs.filter(({ kind }) => kind === 'typo');
  const isMisspelt = typos.some(
    (pair) => asked.words[pair.asked[0] ?? 0]?.isNumber || known.words[pair.known[0] ?? 0]?.isNumber,
  );
  if (!isMisspelt) return [asked.numbers, known.numbers];
  const listOf = (name: Name, taken: readonly number[]) =>
    name.words.flatMap(({ text, isNumber }, at) => (isNumber && !taken.includes(at) ? [text] : []));
  return [
    listOf(
      asked,
      typos.flatMap((pair) => pair.asked),
    ),
    listOf(
      known,
      typos.flatMap((pair) => pair.known),
    ),
  ];
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
  const isPlace = (name: Name) => (at: number) => name.words[at]?.place !== undefined;
  // Most names contain no country.
  if (!aloneAsked.some(isPlace(asked)) && !aloneKnown.some(isPlace(known))) return;
  const count = (name: Name, alone: readonly number[], other: Name) =>
    [...placesOf(alone.map((at) => name.words[at] as Word)).difference(placesOf(other.words))].filter(
      (place) => place !== country,
    ).length;
  const askedMore = count(asked, aloneAsked, known);
  const knownMore = count(known, aloneKnown, asked);
  if (askedMore > 0 && knownMore > 0) features.placeOther = 1;
  else if (askedMore + knownMore > 0) features.placeAlone = 1;
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
function isCertain(asked: Name, known: Name, alignment: Alignment, rarity: Rarity): boolean {
  // Text in brackets or after a slash names a separate company only if it has a legal form. In a register, such text is always significant.
  if ((asked.part === 'other' && asked.forms.length === 0) || known.part === 'other') return false;
  if (asked.joined === known.joined) return true;
  const { pairs, aloneAsked, aloneKnown } = alignment;
  const alone = [...aloneAsked.map((at) => asked.words[at]), ...aloneKnown.map((at) => known.words[at])] as Word[];
  if (alone.some((word) => word.place !== undefined || word.isNumber || rarity.share(word) < DISTINCTIVE_SHARE))
    return false;
  if (aloneAsked.length > 0 && aloneKnown.length > 0) return false;
  // One agreeing word is weak evidence if either name has more words.
  if (pairs.length < 2 && alone.length > 0) return false;
  if (!pairs.every((pair) => isHarmless(asked, known, pair, pairs, rarity))) return false;
  return pairs.some((pair) => isRare(asked, known, pair, rarity)) || isUnlikelyTwice(known, alignment, rarity);
}

/** Whether all words agree in order, and all these words together are so rare that two companies are unlikely to share them. */
function isUnlikelyTwice(known: Name, { pairs, aloneAsked, aloneKnown }: Alignment, rarity: Rarity): boolean {
  if (pairs.length < MIN_WORDS || aloneAsked.length + aloneKnown.length > 0) return false;
  const inOrder = [...pairs].sort((a, b) => (a.asked[0] ?? 0) - (b.asked[0] ?? 0));
  if (inOrder.some((pair, at) => at > 0 && (pair.known[0] ?? 0) < (inOrder[at - 1]?.known[0] ?? 0))) return false;
  return known.words.reduce((product, word) => product * rarity.share(word), 1) < UNLIKELY_SHARE;
}

const MIN_WORDS = 3;
const UNLIKELY_SHARE = 1 / 1_000_000;

/** Whether a pair's difference is harmless. Joined words must have equal letters, and only the asked word may be short. */
function isHarmless(asked: Name, known: Name, pair: Pair, pairs: readonly Pair[], rarity: Rarity): boolean {
  const [a, b] = [textOf(asked, pair.asked), textOf(known, pair.known)];
  if (pair.kind !== 'equal' && isOtherWord(asked, known, pair, rarity)) return false;
  const isCutOff = a.length > 1 && known.joined.startsWith(asked.joined);
  if (pair.kind === 'joined') return a === b;
  if (pair.kind === 'spelling') return a === b || Math.min(a.length, b.length) >= MIN_TYPO_LENGTH;
  if (pair.kind === 'shortened')
    return a.length < b.length && (b.startsWith(a) ? a.length > MIN_START || isCutOff : a.length > 1);
  if (pair.kind === 'initials') return Math.max(pair.asked.length, pair.known.length) > MIN_INITIALS;
  if (pair.kind !== 'typo' && pair.kind !== 'related') return true;
  if (stemOf(a) === stemOf(b)) return true;
  return pair.kind === 'typo' && isTypo(asked, known, pair, pairs, rarity);
}

/**
 * Whether a difference between words is probably a typo: no company has the word as typed, the word is not short, and if the first letter
 * differs, a rare word agrees as well.
 */
function isTypo(asked: Name, known: Name, pair: Pair, pairs: readonly Pair[], rarity: Rarity): boolean {
  const [a, b] = [textOf(asked, pair.asked), textOf(known, pair.known)];
  const [shorter, longer] = [Math.min(a.length, b.length), Math.max(a.length, b.length)];
  const cost = pair.cost * longer;
  if (rarity.count(asked.words[pair.asked[0] as number] as Word) > 0) return false;
  if (shorter < MIN_TYPO_LENGTH || cost > typoBudget(shorter)) return false;
  if (known.words.length === 1 && b.length < MIN_ONLY_WORD) return false;
  if (a[0] === b[0]) return true;
  return (
    cost <= 1 &&
    shorter >= MIN_OTHER_START &&
    pairs.some((other) => other.kind === 'equal' && isRare(asked, known, other, rarity))
  );
}

/** A word of several companies is neither short for a rare word nor a misspelling of it: `Maison` and `Maisonneuve`. */
function isOtherWord(asked: Name, known: Name, pair: Pair, rarity: Rarity): boolean {
  if (pair.asked.length !== 1 || pair.known.length !== 1 || pair.kind === 'spelling') return false;
  const [a, b] = [asked.words[pair.asked[0] as number], known.words[pair.known[0] as number]] as [Word, Word];
  return rarity.count(a) > RARE_COMPANIES && rarity.share(b) < DISTINCTIVE_SHARE;
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

function isRare(asked: Name, known: Name, pair: Pair, rarity: Rarity): boolean {
  if (pair.kind === 'related' || pair.kind === 'initials') return false;
  const words = [
    ...pair.known.map((at) => known.words[at]),
    ...(pair.known.length > 1 ? [asked.words[pair.asked[0] ?? 0]] : []),
  ] as Word[];
  return words.some((word) => {
    const share = rarity.share(word);
    return !word.isNumber && share < DISTINCTIVE_SHARE && (share < RARE_SHARE || rarity.count(word) <= RARE_COMPANIES);
  });
}

function textOf({ words }: Name, positions: readonly number[]): string {
  return positions.map((at) => words[at]?.text ?? '').join('');
}
