import { editCost, typoBudget } from './distance.ts';
import { soundAlike, soundKey } from './latin.ts';
import type { Name, Word } from './name.ts';
import { SMALL_WORDS } from './tokens.ts';

/** Which words of two names correspond. Each word is in at most one pair; all other words have no partner. */
export interface Alignment {
  readonly pairs: readonly Pair[];
  readonly aloneAsked: readonly number[];
  readonly aloneKnown: readonly number[];
}

export interface Pair {
  readonly kind: 'equal' | 'spelling' | 'joined' | 'typo' | 'shortened' | 'related' | 'initials';
  /** Positions of the words. */
  readonly asked: readonly number[];
  readonly known: readonly number[];
  /** For typos: the cost of the edits per letter. */
  readonly cost: number;
}

const MAX_JOINED = 4;
/** A joined word may contain a typo if it has at least this many letters. */
const MIN_JOINED_TYPO = 5;

/** The words of both names without a partner, one bit per word, and the pairs found so far. */
class Pairing {
  readonly pairs: Pair[] = [];
  readonly asked: readonly Word[];
  readonly known: readonly Word[];
  freeAsked: number;
  freeKnown: number;

  constructor(asked: Name, known: Name) {
    [this.asked, this.known] = [asked.words, known.words];
    this.freeAsked = 2 ** asked.words.length - 1;
    this.freeKnown = 2 ** known.words.length - 1;
  }

  take(kind: Pair['kind'], asked: readonly number[], known: readonly number[], cost = 0): void {
    this.pairs.push({ kind, asked, known, cost });
    for (const at of asked) this.freeAsked &= ~(1 << at);
    for (const at of known) this.freeKnown &= ~(1 << at);
  }

  /** Pairs each asked word without a partner with the first word of the company's name that `isPartner` accepts. */
  takeFirst(kind: Pair['kind'], isPartner: (asked: Word, known: Word, at: number) => boolean): void {
    for (let at = 0; at < this.asked.length && this.freeKnown !== 0; at++) {
      if (!isFree(this.freeAsked, at)) continue;
      const word = this.asked[at] as Word;
      for (let other = 0; other < this.known.length; other++) {
        if (!isFree(this.freeKnown, other) || !isPartner(word, this.known[other] as Word, at)) continue;
        this.take(kind, [at], [other]);
        break;
      }
    }
  }
}

function isFree(bits: number, at: number): boolean {
  return ((bits >>> at) & 1) === 1;
}

function listFree(bits: number): number[] {
  const positions: number[] = [];
  for (let left = bits; left !== 0; left &= left - 1) positions.push(31 - Math.clz32(left & -left));
  return positions;
}

export function align(asked: Name, known: Name): Alignment {
  const names = new Pairing(asked, known);
  names.takeFirst('equal', areEqual);
  if (names.freeAsked !== 0 && names.freeKnown !== 0) {
    names.takeFirst('spelling', areTranscribed);
    pairMoved(names);
    pairJoined(names);
    pairTypos(names);
    pairShortened(asked, names);
    pairInitials(asked, known, names);
    names.takeFirst('related', areRelated);
    pairLast(names);
  }
  return { pairs: names.pairs, aloneAsked: listFree(names.freeAsked), aloneKnown: listFree(names.freeKnown) };
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
  const [asked, known] = [listFree(names.freeAsked), listFree(names.freeKnown)];
  if (asked.length < 2 || known.length < 2) return;
  const join = (words: readonly Word[], free: readonly number[]) => free.map((at) => words[at]?.text).join('');
  if (join(names.asked, asked) === join(names.known, known)) names.take('joined', asked, known);
}

/** Pairs `vander bilt` with `vanderbilt`. */
function pairJoined(names: Pairing): void {
  for (const at of listFree(names.freeKnown)) {
    const run = findRun(names.asked, names.freeAsked, (names.known[at] as Word).text);
    if (run !== undefined) names.take('joined', run, [at]);
  }
  for (const at of listFree(names.freeAsked)) {
    const run = findRun(names.known, names.freeKnown, (names.asked[at] as Word).text);
    if (run !== undefined) names.take('joined', [at], run);
  }
}

/** Finds neighbouring words without a partner that together make up this word. */
function findRun(words: readonly Word[], free: number, word: string): number[] | undefined {
  // A run needs at least two free neighbours.
  if (word.length < 3 || (free & (free >>> 1)) === 0) return undefined;
  for (let start = 0; start < words.length; start++) {
    let text = '';
    for (let at = start; isFree(free, at) && at < start + MAX_JOINED && text.length <= word.length; at++) {
      text += (words[at] as Word).text;
      if (at > start && isJoined(text, word)) return range(start, at + 1);
    }
  }
  return undefined;
}

function isJoined(text: string, word: string): boolean {
  if (text === word) return true;
  return word.length >= MIN_JOINED_TYPO && Math.abs(text.length - word.length) < 2 && editCost(text, word, 1) <= 1;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, at) => from + at);
}

function pairTypos(names: Pairing): void {
  const found: { at: number; other: number; cost: number }[] = [];
  const free = listFree(names.freeKnown);
  for (const at of listFree(names.freeAsked)) {
    const a = names.asked[at] as Word;
    for (const other of free) {
      const b = names.known[other] as Word;
      if (!mayBeMisspelt(a, b)) continue;
      const [x, y] = [lettersOf(a), lettersOf(b)];
      const budget = typoBudget(Math.min(x.length, y.length));
      if (budget === 0) continue;
      const cost = wordCost(a, b, budget);
      if (cost <= budget) found.push({ at, other, cost: cost / Math.max(x.length, y.length) });
    }
  }
  found.sort((a, b) => a.cost - b.cost);
  for (const { at, other, cost } of found)
    if (isFree(names.freeAsked, at) && isFree(names.freeKnown, other)) names.take('typo', [at], [other], cost);
}

/** Pairs the last two words. All other words agree, so even a short word may be misspelt, and a longer word may have one more typo. */
function pairLast(names: Pairing): void {
  const [at, second] = listFree(names.freeAsked);
  const [other, otherSecond] = listFree(names.freeKnown);
  if (at === undefined || other === undefined || second !== undefined || otherSecond !== undefined) return;
  if (names.asked.length === 1) return;
  const [a, b] = [names.asked[at] as Word, names.known[other] as Word];
  const length = Math.max(lettersOf(a).length, lettersOf(b).length);
  if (!mayBeMisspelt(a, b) || length < 2) return;
  const budget = length < 8 ? 1 : typoBudget(length) + 1;
  const cost = wordCost(a, b, budget);
  if (cost <= budget) names.take('typo', [at], [other], cost / length);
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
  return !(a.isNumber && b.isNumber) && [a, b].every((word) => !word.isNumber || SPELLED.test(word.folded));
}

const SPELLED = /^[a-z]{3,}$/;
const lettersOf = ({ text, folded, isNumber }: Word) => (isNumber ? folded : text);

const OTHER_SCRIPT = 0.3;
const CHANGED_SPELLING = 0.7;

/** Pairs `tech` with `technologies`, `intl` with `international`, and the last word of a truncated name with the complete word. */
function pairShortened(asked: Name, names: Pairing): void {
  const last = asked.words.length - 1;
  const isCut = asked.joined.length >= MIN_CUT_LENGTH;
  names.takeFirst('shortened', (a, b, at) => {
    if (a.isNumber || b.isNumber) return false;
    const mayBeCut = at === last && (isCut || a.text.length >= MIN_CUT_WORD) && b.text.startsWith(a.text);
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
  const [freeAsked, freeKnown] = [listFree(names.freeAsked), listFree(names.freeKnown)];
  const isShort = (name: Name, free: readonly number[], { initials }: Name) =>
    free.length === 1 && name.joined === initials && initials.length >= MIN_WHOLE_INITIALS;
  if (isShort(asked, freeAsked, known) || isShort(known, freeKnown, asked)) {
    names.take('initials', freeAsked, freeKnown);
    return;
  }
  for (const at of listFree(names.freeAsked)) {
    const run = findInitials(names.known, names.freeKnown, (names.asked[at] as Word).text);
    if (run !== undefined) names.take('initials', [at], run);
  }
  for (const at of listFree(names.freeKnown)) {
    const run = findInitials(names.asked, names.freeAsked, (names.known[at] as Word).text);
    if (run !== undefined) names.take('initials', run, [at]);
  }
}

/** The minimum number of initials of a whole name with its legal form. */
const MIN_WHOLE_INITIALS = 3;

function findInitials(words: readonly Word[], free: number, letters: string): number[] | undefined {
  const { length } = letters;
  if (length < 2 || length > 6) return undefined;
  for (let start = 0; start + length <= words.length; start++)
    for (const isSkipping of [true, false]) {
      let at = start;
      let letter = 0;
      for (; letter < length && isFree(free, at); at++) {
        const { text, folded } = words[at] as Word;
        if (isSkipping && letter > 0 && SMALL_WORDS.has(folded)) continue;
        if (text[0] !== letters[letter]) break;
        letter++;
      }
      if (letter === length) return range(start, at);
    }
  return undefined;
}
