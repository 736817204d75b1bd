import type { DocSet, Marks, Match } from '../sets.ts';
import type { AnyOf } from './blocks.ts';
import { uniteLists } from './lists.ts';
import type { createNameWords } from './name-words.ts';

/** The documents that contain a word, by where the word is. Each set is computed when it is first needed. */
export interface TermSets {
  /** The word is in a name or number. */
  found(): AnyOf;
  /** The word is in the current name, possibly in Latin letters, or in a number. */
  current(): AnyOf;
  /** The word begins a word of a name, or is a whole number. */
  start(): AnyOf;
  /** The word is a whole word of a name, or a whole number. */
  whole(): AnyOf;
}

/** The names of one kind: their words, and the stored sets of a broad fragment. */
export interface NameKind {
  readonly words: ReturnType<typeof createNameWords>;
  findBroad(fragment: string): Readonly<Record<'inside' | 'start' | 'whole', DocSet>> | undefined;
}

interface Places {
  inside(): AnyOf;
  start(): AnyOf;
  whole(): AnyOf;
}

/** The documents with the term in one kind of names, by where it is in words. `marks` is used only while a set is computed. */
export function findPlaces({ words, findBroad }: NameKind, term: string, marks: Marks): Places {
  const stored = findBroad(term);
  if (stored !== undefined) {
    return { inside: () => [stored.inside], start: () => [stored.start], whole: () => [stored.whole] };
  }
  const ranges = words.findRanges(Buffer.from(term));
  const unite = (match: Match) => keepFirst(() => (match.cost === 0 ? [] : [uniteLists(match, marks)]));
  const [whole, longer, inside] = [unite(ranges.whole), unite(ranges.start), unite(ranges.inside)];
  return {
    whole,
    start: () => [...whole(), ...longer()],
    inside: () => [...whole(), ...longer(), ...inside()],
  };
}

/** `numbers` are the documents with the term in a number; `wholeNumbers` are the documents that have the term as a whole number. */
export function combinePlaces(
  [names, romanised, former]: readonly [names: Places, romanised: Places, former: Places],
  numbers: () => AnyOf,
  wholeNumbers: () => AnyOf,
): TermSets {
  const all = [names, romanised, former];
  const current = keepFirst(() => withoutEmpty([...names.inside(), ...numbers(), ...romanised.inside()]));
  const found = keepFirst(() => withoutEmpty([...current(), ...former.inside()]));
  return {
    current,
    found,
    start: keepFirst(() => withoutEmpty([...all.flatMap((one) => one.start()), ...wholeNumbers()])),
    whole: keepFirst(() => withoutEmpty([...all.flatMap((one) => one.whole()), ...wholeNumbers()])),
  };
}

function withoutEmpty(any: AnyOf): AnyOf {
  return any.filter(({ size }) => size > 0);
}

function keepFirst<T>(work: () => T): () => T {
  let known: { readonly value: T } | undefined;
  return () => {
    known ??= { value: work() };
    return known.value;
  };
}
