import { editCost, typoBudget } from './distance.ts';
import type { Name, Word } from './name.ts';
import { soundKey } from './spelling.ts';

/** How words of two names belong together. Each word is in one pair at most; the rest has no partner. */
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
  /** For typos: the cost of the edits, per letter. */
  readonly cost: number;
}

const MAX_JOINED = 4;
/** A joined word may contain a typo if it is at least so long. */
const MIN_JOINED_TYPO = 5;

export function align(asked: Name, known: Name): Alignment {
  const pairs: Pair[] = [];
  const freeAsked = new Set(asked.words.keys());
  const freeKnown = new Set(known.words.keys());
  const take = (kind: Pair['kind'], askedAt: readonly number[], knownAt: readonly number[], cost = 0) => {
    pairs.push({ kind, asked: askedAt, known: knownAt, cost });
    for (const at of askedAt) freeAsked.delete(at);
    for (const at of knownAt) freeKnown.delete(at);
  };

  pairEqual(asked, known, freeAsked, freeKnown, take);
  if (freeAsked.size > 0 && freeKnown.size > 0) {
    pairSpellings(asked, known, freeAsked, freeKnown, take);
    pairJoined(asked, known, freeAsked, freeKnown, take);
    pairTypos(asked, known, freeAsked, freeKnown, take);
    pairShortened(asked, known, freeAsked, freeKnown, take);
    pairInitials(asked, known, freeAsked, freeKnown, take);
    pairRelated(asked, known, freeAsked, freeKnown, take);
    pairLast(asked, known, freeAsked, freeKnown, take);
  }
  return { pairs, aloneAsked: [...freeAsked], aloneKnown: [...freeKnown] };
}

type Free = ReadonlySet<number>;
type Take = (kind: Pair['kind'], asked: readonly number[], known: readonly number[], cost?: number) => void;

function pairEqual(asked: Name, known: Name, freeAsked: Free, freeKnown: Free, take: Take): void {
  for (const at of freeAsked) {
    const { text, isNumber } = asked.words[at] as Word;
    for (const other of freeKnown) {
      const word = known.words[other] as Word;
      if (word.text !== text || word.isNumber !== isNumber) continue;
      take('equal', [at], [other]);
      break;
    }
  }
}

/** `щедрик` and `schedrik`: words of two scripts that sound the same. */
function pairSpellings(asked: Name, known: Name, freeAsked: Free, freeKnown: Free, take: Take): void {
  for (const at of [...freeAsked]) {
    const word = asked.words[at] as Word;
    for (const other of freeKnown) {
      if (!areOfTwoScripts(word, known.words[other] as Word)) continue;
      if (soundKey(word.text) !== soundKey((known.words[other] as Word).text)) continue;
      take('spelling', [at], [other]);
      break;
    }
  }
}

function areOfTwoScripts(a: Word, b: Word): boolean {
  return !a.isNumber && !b.isNumber && (a.text === a.folded) !== (b.text === b.folded);
}

/** `vander bilt` and `vanderbilt`. */
function pairJoined(asked: Name, known: Name, freeAsked: Free, freeKnown: Free, take: Take): void {
  for (const at of [...freeKnown]) {
    const run = findRun(asked, freeAsked, (known.words[at] as Word).text);
    if (run !== undefined) take('joined', run, [at]);
  }
  for (const at of [...freeAsked]) {
    const run = findRun(known, freeKnown, (asked.words[at] as Word).text);
    if (run !== undefined) take('joined', [at], run);
  }
}

/** Words side by side, without a partner, that make up this word. */
function findRun(name: Name, free: Free, word: string): number[] | undefined {
  if (word.length < 3) return undefined;
  for (const start of free) {
    let text = '';
    const run: number[] = [];
    for (let at = start; free.has(at) && run.length < MAX_JOINED && text.length <= word.length; at++) {
      text += (name.words[at] as Word).text;
      run.push(at);
      if (run.length < 2) continue;
      if (text === word) return run;
      if (word.length >= MIN_JOINED_TYPO && Math.abs(text.length - word.length) < 2 && editCost(text, word, 1) <= 1)
        return run;
    }
  }
  return undefined;
}

function pairTypos(asked: Name, known: Name, freeAsked: Free, freeKnown: Free, take: Take): void {
  const found: { at: number; other: number; cost: number }[] = [];
  for (const at of freeAsked) {
    const a = asked.words[at] as Word;
    for (const other of freeKnown) {
      const b = known.words[other] as Word;
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
    if (freeAsked.has(at) && freeKnown.has(other)) take('typo', [at], [other], cost);
}

/** All other words agree, so even a short word may be misspelt, and a longer one by one letter more. */
function pairLast(asked: Name, known: Name, freeAsked: Free, freeKnown: Free, take: Take): void {
  if (freeAsked.size !== 1 || freeKnown.size !== 1 || asked.words.length === 1) return;
  const [at = 0] = freeAsked;
  const [other = 0] = freeKnown;
  const [a, b] = [asked.words[at] as Word, known.words[other] as Word];
  const length = Math.max(lettersOf(a).length, lettersOf(b).length);
  if (!mayBeMisspelt(a, b) || length < 2) return;
  const budget = length < 8 ? 1 : typoBudget(length) + 1;
  const cost = wordCost(a, b, budget);
  if (cost <= budget) take('typo', [at], [other], cost / length);
}

/** The letters may be those of another way to transcribe the word: then the sounds count. */
function wordCost(a: Word, b: Word, budget: number): number {
  const [x, y] = [lettersOf(a), lettersOf(b)];
  const cost = editCost(x, y, budget);
  if (cost <= CHANGED_SPELLING) return cost;
  const base = areOfTwoScripts(a, b) ? OTHER_SCRIPT : CHANGED_SPELLING;
  return Math.min(cost, base + editCost(soundKey(x), soundKey(y), budget - base));
}

/** A number in letters can be misspelt, but not as another number. */
function mayBeMisspelt(a: Word, b: Word): boolean {
  return !(a.isNumber && b.isNumber) && [a, b].every((word) => !word.isNumber || SPELLED.test(word.folded));
}

const SPELLED = /^[a-z]{3,}$/;
const lettersOf = ({ text, folded, isNumber }: Word) => (isNumber ? folded : text);

const OTHER_SCRIPT = 0.3;
const CHANGED_SPELLING = 0.7;

/** `tech` for `technologies`, `intl` for `international`, and the last word of a name that was cut off. */
function pairShortened(asked: Name, known: Name, freeAsked: Free, freeKnown: Free, take: Take): void {
  const isCut = asked.joined.length >= MIN_CUT_LENGTH;
  for (const at of [...freeAsked]) {
    const a = asked.words[at] as Word;
    if (a.isNumber) continue;
    for (const other of freeKnown) {
      const b = known.words[other] as Word;
      if (b.isNumber) continue;
      const mayBeCut =
        at === asked.words.length - 1 && (isCut || a.text.length >= MIN_CUT_WORD) && b.text.startsWith(a.text);
      if (!mayBeCut && !isShortFor(a.text, b.text) && !isShortFor(b.text, a.text)) continue;
      take('shortened', [at], [other]);
      break;
    }
  }
}

/** Forms for bank transfers and old systems cut names after 20 to 40 characters. */
const MIN_CUT_LENGTH = 18;
/** In shorter names the last word must be at least so long. */
const MIN_CUT_WORD = 3;

/** Short for another word in a way that no rule tells. */
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
  // Vowels left out inside, as in `mfg` and `intl`: first and last letter stay, and the others keep their order.
  if (!CONSONANTS.test(short) || long.at(-1) !== short.at(-1)) return false;
  let at = 0;
  for (const letter of short) {
    at = long.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

/** `fencing` and `fence`, `consultants` and `consulting`: most of the letters from the start on are the same. */
function pairRelated(asked: Name, known: Name, freeAsked: Free, freeKnown: Free, take: Take): void {
  for (const at of [...freeAsked]) {
    const { text: a, place } = asked.words[at] as Word;
    for (const other of freeKnown) {
      const { text: b, place: otherPlace } = known.words[other] as Word;
      if (place !== undefined || otherPlace !== undefined) continue;
      let same = 0;
      while (same < a.length && a[same] === b[same]) same++;
      if (same < 4 || same < RELATED_SHARE * Math.max(a.length, b.length)) continue;
      take('related', [at], [other]);
      break;
    }
  }
}

const RELATED_SHARE = 0.55;

/** `ibm` for `international business machines`. */
function pairInitials(asked: Name, known: Name, freeAsked: Free, freeKnown: Free, take: Take): void {
  for (const at of [...freeAsked]) {
    const run = findInitials(known, freeKnown, (asked.words[at] as Word).text);
    if (run !== undefined) take('initials', [at], run);
  }
  for (const at of [...freeKnown]) {
    const run = findInitials(asked, freeAsked, (known.words[at] as Word).text);
    if (run !== undefined) take('initials', run, [at]);
  }
}

function findInitials(name: Name, free: Free, letters: string): number[] | undefined {
  if (letters.length < 2 || letters.length > 6) return undefined;
  for (const start of free) {
    const run: number[] = [];
    for (let at = start; run.length < letters.length && free.has(at); at++) {
      if ((name.words[at] as Word).text[0] !== letters[run.length]) break;
      run.push(at);
    }
    if (run.length === letters.length) return run;
  }
  return undefined;
}
