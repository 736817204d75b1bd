import { editCost, typoBudget } from './distance.ts';
import { soundAlike, soundKey } from './latin.ts';
import type { Name, Word } from './name.ts';
import { SMALL_WORDS } from './tokens.ts';

/** Which words of two names correspond. Each word is in at most one pair; all other words have no partner. */
export interface Alignment {
  readonly pairs: readonly Pair[];
  readonly aloneAsked: readonly Word[];
  readonly aloneKnown: readonly Word[];
}

/** Words of one name, in order. */
type Words = readonly [Word, ...Word[]];

export interface Pair {
  readonly kind: 'equal' | 'spelling' | 'joined' | 'typo' | 'shortened' | 'related' | 'initials';
  readonly asked: Words;
  readonly known: Words;
  /** For typos: the cost of the edits per letter. */
  readonly cost: number;
}

const MAX_JOINED = 4;
/** A joined word may contain a typo if it has at least this many letters. */
const MIN_JOINED_TYPO = 5;

/** The words of a name, and which of the words have no partner, one bit per word. */
interface Side {
  readonly words: readonly Word[];
  free: number;
}

function openSide({ words }: Name): Side {
  return { words, free: 2 ** words.length - 1 };
}

function isFree({ free }: Side, at: number): boolean {
  return ((free >>> at) & 1) === 1;
}

function listFree(side: Side): Word[] {
  return side.free === 0 ? [] : side.words.filter(({ at }) => isFree(side, at));
}

/** Both names, and the pairs found so far. */
class Pairing {
  readonly pairs: Pair[] = [];
  readonly asked: Side;
  readonly known: Side;

  constructor(asked: Name, known: Name) {
    this.asked = openSide(asked);
    this.known = openSide(known);
  }

  take(kind: Pair['kind'], asked: readonly Word[], known: readonly Word[], cost = 0): void {
    this.pairs.push({ kind, asked: asked as Words, known: known as Words, cost });
    for (const { at } of asked) this.asked.free &= ~(1 << at);
    for (const { at } of known) this.known.free &= ~(1 << at);
  }

  /** Pairs each asked word without a partner with the first word of the company's name that `isPartner` accepts. */
  takeFirst(kind: Pair['kind'], isPartner: (asked: Word, known: Word) => boolean): void {
    for (const word of this.asked.words) {
      if (this.known.free === 0) return;
      if (!isFree(this.asked, word.at)) continue;
      const partner = this.known.words.find((other) => isFree(this.known, other.at) && isPartner(word, other));
      if (partner !== undefined) this.take(kind, [word], [partner]);
    }
  }
}

export function align(asked: Name, known: Name): Alignment {
  const names = new Pairing(asked, known);
  names.takeFirst('equal', areEqual);
  if (names.asked.free !== 0 && names.known.free !== 0) {
    names.takeFirst('spelling', areTranscribed);
    pairMoved(names);
    pairJoined(names);
    pairTypos(names);
    pairShortened(asked, names);
    pairInitials(asked, known, names);
    names.takeFirst('related', areRelated);
    pairLast(names);
  }
  return { pairs: names.pairs, aloneAsked: listFree(names.asked), aloneKnown: listFree(names.known) };
}

function areEqual(a: Word, b: Word): boolean {
  return a.text === b.text && a.isNumber === b.isNumber;
}

/** Whether two words of different scripts sound alike, such as `щедрик` and `schedrik`. */
function areTranscribed(a: Word, b: Word): boolean {
  return areOfTwoScripts(a, b) && soundAlike(a.text, b.text);
}

function areOfTwoScripts(a: Word, b: Word): boolean {
  return !a.isNumber && !b.isNumber && (a.text === a.folded) !== (b.text === b.folded);
}

/** Pairs `zenu k` with `zen uk`: all words without a partner, if only the spaces differ. */
function pairMoved(names: Pairing): void {
  const [asked, known] = [listFree(names.asked), listFree(names.known)];
  if (asked.length > 1 && known.length > 1 && joinTexts(asked) === joinTexts(known)) names.take('joined', asked, known);
}

export function joinTexts(words: readonly Word[]): string {
  return words.map(({ text }) => text).join('');
}

/** Pairs `vander bilt` with `vanderbilt`. */
function pairJoined(names: Pairing): void {
  for (const word of listFree(names.known)) {
    const run = findRun(names.asked, lettersOf(word));
    if (run !== undefined) names.take('joined', run, [word]);
  }
  for (const word of listFree(names.asked)) {
    const run = findRun(names.known, lettersOf(word));
    if (run !== undefined) names.take('joined', [word], run);
  }
}

/** Finds neighbouring words without a partner that together make up this word. */
function findRun(side: Side, word: string): Word[] | undefined {
  const { words, free } = side;
  // A run needs at least two free neighbours.
  if (word.length < 3 || (free & (free >>> 1)) === 0) return undefined;
  for (let start = 0; start < words.length; start++) {
    let text = '';
    for (let at = start; isFree(side, at) && at < start + MAX_JOINED && text.length <= word.length; at++) {
      text += lettersOf(words[at] as Word);
      if (at > start && isJoined(text, word)) return words.slice(start, at + 1);
    }
  }
  return undefined;
}

function isJoined(text: string, word: string): boolean {
  if (text === word) return true;
  return word.length >= MIN_JOINED_TYPO && Math.abs(text.length - word.length) < 2 && editCost(text, word, 1) <= 1;
}

function pairTypos(names: Pairing): void {
  const found: { a: Word; b: Word; cost: number }[] = [];
  const free = listFree(names.known);
  for (const a of listFree(names.asked)) {
    for (const b of free) {
      if (!mayBeMisspelt(a, b)) continue;
      const [x, y] = [lettersOf(a), lettersOf(b)];
      const budget = typoBudget(Math.min(x.length, y.length));
      if (budget === 0) continue;
      const cost = wordCost(a, b, budget);
      if (cost <= budget) found.push({ a, b, cost: cost / Math.max(x.length, y.length) });
    }
  }
  found.sort((one, other) => one.cost - other.cost);
  for (const { a, b, cost } of found)
    if (isFree(names.asked, a.at) && isFree(names.known, b.at)) names.take('typo', [a], [b], cost);
}

/** Pairs the last two words. All other words agree, so even a short word may be misspelt, and a longer word may have one more typo. */
function pairLast(names: Pairing): void {
  const [a, ...others] = listFree(names.asked);
  const [b, ...otherKnown] = listFree(names.known);
  if (a === undefined || b === undefined || others.length + otherKnown.length > 0) return;
  const length = Math.max(lettersOf(a).length, lettersOf(b).length);
  if (!mayBeMisspelt(a, b) || length < 2) return;
  const budget = length < 8 ? 1 : typoBudget(length) + 1;
  const cost = wordCost(a, b, budget);
  if (cost <= budget) names.take('typo', [a], [b], cost / length);
}

/** The cost of edits between two words. If the words may be two transcriptions of one word, their sounds are compared instead. */
function wordCost(a: Word, b: Word, budget: number): number {
  const [x, y] = [lettersOf(a), lettersOf(b)];
  const cost = editCost(x, y, budget);
  if (cost <= CHANGED_SPELLING) return cost;
  const base = areOfTwoScripts(a, b) ? OTHER_SCRIPT : CHANGED_SPELLING;
  if (soundAlike(x, y)) return Math.min(cost, base);
  return Math.min(cost, base + editCost(soundKey(x), soundKey(y), budget - base));
}

/** A number in letters can be misspelt, but two numbers are never a misspelling of each other. */
function mayBeMisspelt(a: Word, b: Word): boolean {
  return !(a.isNumber && b.isNumber) && [a, b].every((word) => !word.isNumber || isSpelled(word));
}

/** Whether the word is a number in letters. */
export function isSpelled({ isNumber, folded }: Word): boolean {
  return isNumber && SPELLED.test(folded);
}

const SPELLED = /^[a-z]{3,}$/;
const lettersOf = ({ text, folded, isNumber }: Word) => (isNumber ? folded : text);

const OTHER_SCRIPT = 0.3;
const CHANGED_SPELLING = 0.7;

/** Pairs `tech` with `technologies`, `intl` with `international`, and the last word of a truncated name with the complete word. */
function pairShortened(asked: Name, names: Pairing): void {
  const last = asked.words.length - 1;
  const isCut = asked.joined.length >= MIN_CUT_LENGTH;
  names.takeFirst('shortened', (a, b) => {
    if (a.isNumber || b.isNumber) return false;
    const mayBeCut = a.at === last && (isCut || a.text.length >= MIN_CUT_WORD) && b.text.startsWith(a.text);
    return mayBeCut || isShortFor(a.text, b.text) || isShortFor(b.text, a.text);
  });
}

/** Forms for bank transfers and old systems truncate names after 20 to 40 characters. */
const MIN_CUT_LENGTH = 18;
/** In shorter names, the last word must have at least this many letters. */
const MIN_CUT_WORD = 3;

/** Customary short forms that no rule covers, each with its word. */
const CUSTOMARY = new Set([
  'bros brothers',
  'dept department',
  'govt government',
  'ste societe',
  'cia companhia',
  'cie compagnie',
]);
const CONSONANTS = /^[a-z][bcdfghjklmnpqrstvwxz]{1,5}$/;

function isShortFor(short: string, long: string): boolean {
  if (long.length < short.length + 2 || short[0] !== long[0]) return false;
  if (long.startsWith(short)) return short.length > 2 || short.length === 1;
  if (CUSTOMARY.has(`${short} ${long}`)) return true;
  // Inner letters are left out, as in `mfg` and `intl`: the first and last letter stay, and all letters keep their order.
  if (!CONSONANTS.test(short) || long.at(-1) !== short.at(-1)) return false;
  let at = 0;
  for (const letter of short) {
    at = long.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

/** Whether most letters from the start on agree (`fencing`, `fence`), or one word ends with the other (`abkestrel`, `kestrel`). */
function areRelated({ text: a, place }: Word, { text: b, place: other }: Word): boolean {
  if (place !== undefined || other !== undefined) return false;
  const length = Math.max(a.length, b.length);
  let same = 0;
  while (same < a.length && a[same] === b[same]) same++;
  if (same >= 4 && same >= RELATED_SHARE * length) return true;
  const shorter = Math.min(a.length, b.length);
  return shorter >= MIN_ENDING && shorter >= ENDING_SHARE * length && (a.endsWith(b) || b.endsWith(a));
}

const RELATED_SHARE = 0.55;
const [MIN_ENDING, ENDING_SHARE] = [6, 0.6];

/** Pairs `ibm` with `international business machines`. */
function pairInitials(asked: Name, known: Name, names: Pairing): void {
  const [freeAsked, freeKnown] = [listFree(names.asked), listFree(names.known)];
  const isShort = (name: Name, free: readonly Word[], { initials }: Name) =>
    free.length === 1 && name.joined === initials && initials.length >= MIN_WHOLE_INITIALS;
  if (isShort(asked, freeAsked, known) || isShort(known, freeKnown, asked)) {
    names.take('initials', freeAsked, freeKnown);
    return;
  }
  for (const word of freeAsked) {
    const run = findInitials(names.known, word.text);
    if (run !== undefined) names.take('initials', [word], run);
  }
  for (const word of listFree(names.known)) {
    const run = findInitials(names.asked, word.text);
    if (run !== undefined) names.take('initials', run, [word]);
  }
}

/** The minimum number of initials of a whole name with its legal form. */
const MIN_WHOLE_INITIALS = 3;

function findInitials(side: Side, letters: string): Word[] | undefined {
  const { words } = side;
  const { length } = letters;
  if (length < 2 || length > 6) return undefined;
  for (let start = 0; start + length <= words.length; start++)
    for (const isSkipping of [true, false]) {
      let at = start;
      let letter = 0;
      for (; letter < length && isFree(side, at); at++) {
        const { text, folded } = words[at] as Word;
        if (isSkipping && letter > 0 && SMALL_WORDS.has(folded)) continue;
        if (text[0] !== letters[letter]) break;
        letter++;
      }
      if (letter === length) return words.slice(start, at);
    }
  return undefined;
}
