import type { CandidateName } from './match/matching.ts';

/** The former and further names of a record, from its `registry` as JSON. An empty `registry` has no names. */
export function listOtherNames(registry: string): CandidateName[] {
  const { previousNames, otherNames } = JSON.parse(registry || '{}') as {
    previousNames?: unknown;
    otherNames?: unknown;
  };
  return [...listNames(previousNames, 'former'), ...listNames(otherNames, 'other')].slice(0, MAX_NAMES);
}

const MAX_NAMES = 100;

function listNames(list: unknown, kind: CandidateName['kind']): CandidateName[] {
  const items: readonly unknown[] = Array.isArray(list) ? list : [];
  return items.flatMap((item) => {
    const { name } = (item ?? {}) as { readonly name?: unknown };
    return typeof name === 'string' ? { text: name, kind } : [];
  });
}

/** In the index, each former and further name starts with one of these marks, for its kind. */
export const FORMER = 'f';
export const OTHER = 'o';

/** The words of a folded name: runs of letters and digits, and also the parts between spaces with all other characters removed. */
export function splitWords(folded: string): string[] {
  const parts = readWords(folded);
  const joined = folded.split(' ').map((part) => readWords(part).join(''));
  return [...new Set([...parts, ...joined])].filter((word) => word !== '');
}

const WORD = /[\p{L}\p{N}]+/gu;
const readWords = (text: string) => Array.from(text.matchAll(WORD), ([word]) => word);

/** The hash of a folded name (FNV-1a, 28 bits), by which companies with this former or further name are found. */
export function hashName(folded: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < folded.length; at++) hash = Math.imul(hash ^ folded.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 28)) & 0x0fffffff;
}
