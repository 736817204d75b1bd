/** English words for what registers publish in their own language. Only pages show them: records stay as they are published. */
import { fold } from '../../base/fold.ts';
import { readRows } from '../data-files.ts';

const lists = Map.groupBy(readRows('classifications/english.tsv'), ([list]) => list);
const readList = (name: string) => new Map(lists.get(name)?.map(([, key = '', english = '']) => [fold(key), english]));
const [texts, authorities, phrases] = [readList('text'), readList('authority'), readList('phrase')];
const [esa, controls, norwegian] = [readList('esa'), readList('control'), readList('no')];
/** The longest phrase comes first, because it may contain another one. */
const PHRASES = new RegExp([...phrases.keys()].sort((a, b) => b.length - a.length).join('|'), 'g');

/** The English words for a published text, such as a status or the label of a code, or for each part of a list. */
export function findEnglish(text: string): string | undefined {
  const folded = fold(text);
  const parts = folded.split(', ').map((part) => texts.get(part));
  return texts.get(folded) ?? (parts.includes(undefined) ? undefined : parts.join(', '));
}

/** The English words for a reason: of the whole text, or of the known phrases in a text that was written freely. */
export function findEnglishReason(text: string): string | undefined {
  const found = new Set(
    fold(text)
      .match(PHRASES)
      ?.map((phrase) => phrases.get(phrase)),
  );
  return findEnglish(text) ?? ([...found].join(', ') || undefined);
}

/** The English name of an authority that gives numbers. */
export function findEnglishAuthority(name: string): string | undefined {
  return authorities.get(fold(name));
}

/** Names an institutional sector. Codes of ESA 2010 have five digits, such as `11002`; codes of Norway's own grouping have four. */
export function nameSector(code: string): string | undefined {
  if (/^\d{4}$/.test(code)) return findLongest(norwegian, code);
  if (!/^\d{5}$/.test(code)) return undefined;
  const control = /^1[125]/.test(code) ? controls.get(code.slice(-1)) : undefined;
  return [findLongest(esa, code), control].filter((part) => part !== undefined).join(', ') || undefined;
}

/** The value of the longest key that the code starts with. */
function findLongest(list: ReadonlyMap<string, string>, code: string): string | undefined {
  for (let length = code.length; length > 0; length--) {
    const found = list.get(code.slice(0, length));
    if (found !== undefined) return found;
  }
  return undefined;
}
