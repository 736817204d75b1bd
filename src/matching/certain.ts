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
  // What is in brackets or after a slash is a company of its own only if it has a legal form.
  if ([asked, known].some(({ part, forms }) => part === 'other' && forms.length === 0)) return false;
  if (asked.joined === known.joined) return true;
  const { pairs, aloneAsked, aloneKnown } = alignment;
  const alone = [...aloneAsked.map((at) => asked.words[at]), ...aloneKnown.map((at) => known.words[at])] as Word[];
  if (alone.some((word) => word.place !== undefined || word.isNumber || rarity.share(word) < DISTINCTIVE_SHARE))
    return false;
  if (aloneAsked.length > 0 && aloneKnown.length > 0) return false;
  // One word that agrees says little if either name has more, unless only this company has it.
  if (pairs.length < 2 && alone.length > 0 && !isShortForm(asked, known, alignment, rarity)) return false;
  return (
    pairs.every((pair) => isHarmless(asked, known, pair, rarity)) &&
    pairs.some((pair) => isRare(asked, known, pair, rarity))
  );
}

/** `Teramach` for `Teramach Technologies Inc.`: who writes the legal form writes the whole name, and common words are left out. */
function isShortForm(asked: Name, known: Name, { pairs, aloneAsked }: Alignment, rarity: Rarity): boolean {
  const [first] = pairs;
  const word = known.words[first?.known[0] ?? 0];
  return (
    aloneAsked.length === 0 &&
    asked.forms.length === 0 &&
    first?.kind === 'equal' &&
    first.known[0] === 0 &&
    word !== undefined &&
    word.text.length >= MIN_LONG_WORD &&
    rarity.count(word) <= 1
  );
}

const MIN_LONG_WORD = 6;

/**
 * Joined words have to be the same letters, and a register does not shorten words. A typo makes no word of another company, and is neither
 * in a short word nor in the first letter.
 */
function isHarmless(asked: Name, known: Name, pair: Pair, rarity: Rarity): boolean {
  const [a, b] = [textOf(asked, pair.asked), textOf(known, pair.known)];
  if (pair.kind === 'related') return false;
  if (pair.kind === 'joined') return a === b;
  if (pair.kind === 'shortened') return a.length > 1 && a.length < b.length;
  if (pair.kind !== 'typo') return true;
  const isPlural = a.slice(0, -1) === b || b.slice(0, -1) === a;
  if (isPlural && Math.min(a.length, b.length) >= MIN_TYPO_LENGTH) return true;
  return (
    a[0] === b[0] &&
    a.length >= MIN_TYPO_LENGTH &&
    pair.cost * Math.max(a.length, b.length) <= typoBudget(Math.min(a.length, b.length)) &&
    (known.words.length > 1 || b.length >= MIN_ONLY_WORD) &&
    rarity.count(asked.words[pair.asked[0] as number] as Word) === 0
  );
}

/** A typo in a shorter word makes another word, and in a short name another name. */
const MIN_TYPO_LENGTH = 5;
const MIN_ONLY_WORD = 8;

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
