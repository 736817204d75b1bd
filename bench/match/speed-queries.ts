import type { MatchQuery } from '../../src/search/match/matching.ts';
import { type Chance, createChance } from '../../synthetic/chance.ts';
import { inventName } from '../search/entities.ts';
import type { Sample } from '../search/store.ts';

/** Names as people write them, by what they change. */
export interface AskedKind {
  readonly name: string;
  readonly asked: readonly { readonly query: MatchQuery; readonly meant: string }[];
}

/** How a name is changed; undefined if this name cannot be changed so. */
type Change = (sample: Sample, chance: Chance) => string | undefined;

const changes: Readonly<Record<string, Change>> = {
  'as registered': ({ name }) => name,
  'one typo': ({ name }, chance) => addTypo(name, chance),
  'other word order': ({ name }) => swapWords(name),
  'a word missing': ({ name }, chance) => dropWord(name, chance),
  'no legal form': ({ name }) => dropForm(name),
  truncated: ({ name }) => (name.length > SHORTENED ? name.slice(0, SHORTENED) : undefined),
  'form missing, one typo': ({ name }, chance) => addTypo(dropForm(name) ?? name, chance),
  // The words exist, the name mostly does not.
  'not registered': ({ countryCode }, chance) => inventName(countryCode, chance),
  'unknown words': (_sample, chance) => `${inventWord(chance)} ${inventWord(chance)}`,
};

/** Forms for bank transfers cut names. */
const SHORTENED = 22;

/** The same number of each kind, every second one with its country. */
export function drawAsked(samples: readonly Sample[], queries: number): AskedKind[] {
  const kinds = Object.entries(changes);
  const chance = createChance(2_026);
  return kinds.map(([name, change]) => {
    const asked: AskedKind['asked'][number][] = [];
    for (let tries = 0; asked.length < queries / kinds.length && tries < 10 * queries; tries++) {
      const sample = chance.pick(samples);
      const changed = change(sample, chance);
      if (changed === undefined) continue;
      const country = asked.length % 2 === 0 ? {} : { country: sample.countryCode };
      asked.push({ query: { name: changed, ...country }, meant: sample.name });
    }
    return { name, asked };
  });
}

/** A letter removed, added, replaced or swapped with the next. */
function addTypo(name: string, chance: Chance): string {
  const at = chance.between(1, Math.max(1, name.length - 2));
  const letter = chance.pick([...name].filter((one) => /\p{L}/u.test(one)));
  const [start, end] = [name.slice(0, at), name.slice(at)];
  const swapped = (end[1] ?? '') + (end[0] ?? '') + end.slice(2);
  return start + chance.pick([end.slice(1), letter + end, letter + end.slice(1), swapped]);
}

function swapWords(name: string): string | undefined {
  const [first = '', second, ...others] = name.split(' ');
  return second === undefined ? undefined : [second, first, ...others].join(' ');
}

function dropWord(name: string, chance: Chance): string | undefined {
  const words = name.split(' ');
  return words.length < 3 ? undefined : words.toSpliced(chance.between(0, words.length - 2), 1).join(' ');
}

/** Most countries write it last. */
function dropForm(name: string): string | undefined {
  const words = name.split(' ');
  return words.length < 2 ? undefined : words.slice(0, -1).join(' ');
}

function inventWord(chance: Chance): string {
  const letters = Array.from({ length: chance.between(5, 10) }, (_, at) =>
    chance.pick([...(at % 2 ? 'aeiou' : 'bdfgklmnprstvz')]),
  );
  return letters.join('');
}
