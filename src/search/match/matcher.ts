import { separateScripts } from '../../base/romanise.ts';
import { takeBreakIfDue } from '../../base/system/event-loop.ts';
import { decide, oddsOf } from './decide.ts';
import type { AskedName, Candidate, CandidateSource, Candidates, Matcher, MatchQuery } from './matching.ts';
import { type Name, readNames } from './name.ts';
import { preparePlaces } from './places.ts';
import { createScorer, numberSpellings, type Scored } from './score.ts';
import { glueForms, prepare } from './tokens.ts';

/** The maximum number of candidates that are compared per query. */
const MAX_CANDIDATES = 40;
/** After this many candidates in a row with a probability below `UNLIKELY`, no more candidates are compared. */
const [MAX_UNLIKELY, UNLIKELY] = [12, 0.005];

/** Reads postcodes of companies by their ids, for candidates that have no postcodes. */
export type ReadPostcodes = (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;

export function createMatcher(source: CandidateSource, readPostcodes?: ReadPostcodes): Matcher {
  async function addPostcodes(candidates: readonly Candidate[]): Promise<void> {
    if (readPostcodes === undefined || candidates.length === 0) return;
    const postcodes = await readPostcodes(candidates.map(({ id }) => id));
    for (const one of candidates) one.postcode = postcodes.get(one.id) ?? null;
  }

  async function scoreAll(query: MatchQuery, found: Candidates): Promise<Scored[]> {
    const score = createScorer(query, found);
    const scored: Scored[] = [];
    // The most similar names come first. When many in a row are very unlikely, all later names are, too. Only names decide when to stop:
    // the other fields of a query must not add rivals to its candidates.
    let all = 1;
    let unlikely = 0;
    for (const candidate of found.candidates) {
      const one = score(candidate);
      if (one !== undefined) scored.push(one);
      const odds = one === undefined ? 0 : oddsOf(one.nameSum);
      all += odds;
      unlikely = odds < all * UNLIKELY ? unlikely + 1 : 0;
      if (unlikely >= MAX_UNLIKELY) break;
      const pause = takeBreakIfDue();
      if (pause !== undefined) await pause;
    }
    return scored;
  }

  return {
    async match(query, requester) {
      await preparePlaces();
      const found = await source.find(askFor(query), requester);
      if (query.postcode !== undefined) await addPostcodes(found.candidates);
      const scored = await scoreAll(query, found);
      return { version: found.version, answer: decide(query, scored, found) };
    },
  };
}

/** Lists what to look up: words of the name and of its parts, as written and in Latin letters, and words that may be joined in the index. */
function askFor({ name, country, registrationNumber }: MatchQuery): AskedName {
  const names = readNames(name, country);
  const words = new Set<string>();
  const scripts = new Set<string>();
  const joined = new Set<string>();
  for (const one of names) {
    for (const { folded, text } of one.words) {
      words.add(folded);
      for (const glued of glueForms(folded)) scripts.add(glued);
      if (text !== folded) scripts.add(separateScripts(folded)).add(text);
    }
    for (const text of joinedSpellings(one)) joined.add(text);
  }
  // Only the first spellings are also looked up with typos, so spellings in another script come first.
  const spellings = scripts.union(joined).difference(words);
  // In the index, `h & m` is two words. More letters are the short form of many words.
  const letters = prepare(name).match(SINGLE_LETTERS) ?? [];
  if (letters.length <= MAX_LETTERS) for (const letter of letters) words.add(letter);
  return {
    words: [...words].slice(0, MAX_ASKED_WORDS),
    joined: [...spellings].slice(0, MAX_ASKED_WORDS),
    numbers: numberSpellings(registrationNumber),
    country,
    limit: MAX_CANDIDATES,
  };
}

const MAX_ASKED_WORDS = 24;
const MAX_LETTERS = 5;
const SINGLE_LETTERS = /(?<![\p{L}\p{N}])\p{L}(?![\p{L}\p{N}])/gu;

/** Joins the whole name, two and three words in a row, and the initials. */
function* joinedSpellings({ words, joined }: Name): Iterable<string> {
  if (words.length < 2) return;
  yield joined;
  const texts = words.map(({ text }) => text);
  for (let at = 0; at + 1 < texts.length; at++) yield texts.slice(at, at + 2).join('');
  for (let at = 0; at + 2 < texts.length; at++) yield texts.slice(at, at + 3).join('');
  if (words.length > 2 && words.length < 7) yield texts.map((text) => text[0]).join('');
}
