/** English words for what registers publish in their own language. Only pages show them: records stay as they are published. */
import { readRows } from '../data-files.ts';

const lists = Map.groupBy(readRows('classifications/english.tsv'), ([list]) => list);
const readList = (name: string) => new Map(lists.get(name)?.map(([, key = '', english = '']) => [key, english]));
const [texts, esa, controls, norwegian] = [readList('text'), readList('esa'), readList('control'), readList('no')];

/** The English words for a published text, such as the reason of a status. */
export function findEnglish(text: string): string | undefined {
  return texts.get(text);
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
