import type { Alignment, Pair } from './align.ts';
import { typoBudget } from './distance.ts';
import type { Name, Word } from './name.ts';
import type { Rarity } from './rarity.ts';
import { DISTINCTIVE_SHARE, RARE_COMPANIES, RARE_SHARE } from './weights.ts';

/**
 * Whether a company may be taken by its name without asking anybody. The names are the same, or a rare word agrees and what differs is
 * known to be harmless. A high score alone is not enough: `National Bank` and `National Bank of Canada` are two companies.
 */
export function isCertain(asked: Name, known: Name, alignment: Alignment, rarity: Rarity): boolean {
  // What is in brackets or after a slash is a company of its own only if it has a legal form. Registers write nothing there without a reason.
  if ((asked.part === 'other' && asked.forms.length === 0) || known.part === 'other') return false;
  if (asked.joined === known.joined) return true;
  const { pairs, aloneAsked, aloneKnown } = alignment;
  const alone = [...aloneAsked.map((at) => asked.words[at]), ...aloneKnown.map((at) => known.words[at])] as Word[];
  if (alone.some((word) => word.place !== undefined || word.isNumber || rarity.share(word) < DISTINCTIVE_SHARE))
    return false;
  if (aloneAsked.length > 0 && aloneKnown.length > 0) return false;
  // One word that agrees says little if either name has more.
  if (pairs.length < 2 && alone.length > 0) return false;
  if (!pairs.every((pair) => isHarmless(asked, known, pair, pairs, rarity))) return false;
  return pairs.some((pair) => isRare(asked, known, pair, rarity)) || isUnlikelyTwice(known, alignment, rarity);
}

/** All words agree in their order, and hardly two companies have so many of these words. */
function isUnlikelyTwice(known: Name, { pairs, aloneAsked, aloneKnown }: Alignment, rarity: Rarity): boolean {
  if (pairs.length < MIN_WORDS || aloneAsked.length + aloneKnown.length > 0) return false;
  const inOrder = [...pairs].sort((a, b) => (a.asked[0] ?? 0) - (b.asked[0] ?? 0));
  if (inOrder.some((pair, at) => at > 0 && (pair.known[0] ?? 0) < (inOrder[at - 1]?.known[0] ?? 0))) return false;
  return known.words.reduce((product, word) => product * rarity.share(word), 1) < UNLIKELY_SHARE;
}

const MIN_WORDS = 3;
const UNLIKELY_SHARE = 1 / 1_000_000;

/** Joined words have to be the same letters, and a register does not shorten words. */
function isHarmless(asked: Name, known: Name, pair: Pair, pairs: readonly Pair[], rarity: Rarity): boolean {
  const [a, b] = [textOf(asked, pair.asked), textOf(known, pair.known)];
  if (pair.kind !== 'equal' && isOtherWord(asked, known, pair, rarity)) return false;
  const isCutOff = a.length > 1 && known.joined.startsWith(asked.joined);
  if (pair.kind === 'joined') return a === b;
  if (pair.kind === 'shortened')
    return a.length < b.length && (b.startsWith(a) ? a.length > MIN_START || isCutOff : a.length > 1);
  if (pair.kind === 'initials') return Math.max(pair.asked.length, pair.known.length) > MIN_INITIALS;
  if (pair.kind !== 'typo' && pair.kind !== 'related') return true;
  if (stemOf(a) === stemOf(b)) return true;
  return pair.kind === 'typo' && isTypo(asked, known, pair, pairs, rarity);
}

/**
 * Whether a typo is the likely reason for another word: no company has the word as it was typed, it is not short, and if only the first
 * letter differs, a rare word agrees besides.
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

/** A word that several companies have is neither short for a rare one nor a misspelt one: `Maison` and `Maisonneuve`. */
function isOtherWord(asked: Name, known: Name, pair: Pair, rarity: Rarity): boolean {
  if (pair.asked.length !== 1 || pair.known.length !== 1 || pair.kind === 'spelling') return false;
  const [a, b] = [asked.words[pair.asked[0] as number], known.words[pair.known[0] as number]] as [Word, Word];
  return rarity.count(a) > RARE_COMPANIES && rarity.share(b) < DISTINCTIVE_SHARE;
}

/** Two initials or the first three letters of a word may stand for too much. */
const [MIN_INITIALS, MIN_START] = [2, 3];

/** A typo in a shorter word makes another word, and in a short name another name. */
const [MIN_TYPO_LENGTH, MIN_OTHER_START, MIN_ONLY_WORD] = [5, 6, 8];

/** Without the ending of a plural: `technology` and `technologies`. */
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
