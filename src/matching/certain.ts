import type { Alignment, Pair } from './align.ts';
import type { Name, Word } from './name.ts';
import type { Rarity } from './rarity.ts';
import { DISTINCTIVE_SHARE, RARE_COMPANIES, RARE_SHARE } from './weights.ts';

/**
 * Whether a company may be taken by its name without asking anybody. The names are the same, or a rare word agrees and what differs is
 * known to be harmless. A high score alone is not enough: `National Bank` and `National Bank of Canada` are two companies.
 */
export function isCertain(asked: Name, known: Name, alignment: Alignment, rarity: Rarity): boolean {
  if (asked.joined === known.joined) return true;
  const { pairs, aloneAsked, aloneKnown } = alignment;
  const alone = [...aloneAsked.map((at) => asked.words[at]), ...aloneKnown.map((at) => known.words[at])] as Word[];
  if (alone.some((word) => word.place !== undefined || rarity.share(word) < DISTINCTIVE_SHARE)) return false;
  // One word that agrees says little if either name has more, and a short one may be another word.
  const [first] = pairs;
  if (pairs.length < 2 && (first === undefined || alone.length > 0 || isShort(known, first))) return false;
  return (
    pairs.every((pair) => isHarmless(asked, known, pair)) && pairs.some((pair) => isRare(asked, known, pair, rarity))
  );
}

function isShort(known: Name, { kind }: Pair): boolean {
  return kind === 'typo' && known.joined.length < MIN_TYPO_LENGTH;
}

/** A typo in a shorter name makes another name. */
const MIN_TYPO_LENGTH = 8;

/** Joined words have to be the same letters, and a register does not shorten words. */
function isHarmless(asked: Name, known: Name, pair: Pair): boolean {
  const [a, b] = [textOf(asked, pair.asked), textOf(known, pair.known)];
  if (pair.kind === 'joined') return a === b;
  return pair.kind !== 'shortened' || a.length < b.length;
}

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
