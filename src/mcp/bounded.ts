import type { ExcerptValue } from '../core/json/json-excerpt.ts';
import { cutText } from './register-text.ts';

/** A part of a record that fits into the context of a model. */
interface Bounded {
  readonly value: ExcerptValue;
  /** JSON Pointers of what was shortened or left out. */
  readonly omitted: readonly string[];
}

const MAX_ITEMS = 10;
const MAX_TEXT = 500;
const MAX_NAME = 100;
const MAX_OMITTED = 20;
/** Counted for every value that is not a text, so that empty values cannot be many. */
const PUNCTUATION = 4;

/** Reads values in their order until `characters` are used up. `pointer` is where the value is in the record. */
export function boundValue(value: ExcerptValue, pointer: string, characters: number): Bounded {
  const omitted: string[] = [];
  let left = characters;

  function omit(at: string): void {
    if (omitted.length < MAX_OMITTED) omitted.push(cutText(at, MAX_NAME));
  }

  function take(text: string, max: number, at: string): string {
    const cut = cutText(text, Math.max(0, Math.min(max, left)));
    left -= cut.length;
    if (cut !== text) omit(at);
    return cut;
  }

  function bound(part: ExcerptValue, at: string): ExcerptValue {
    if (typeof part === 'string') return take(part, MAX_TEXT, at);
    left -= PUNCTUATION;
    if (part === null || typeof part === 'boolean') return part;
    if (Array.isArray(part)) {
      const kept: ExcerptValue[] = [];
      for (const [index, item] of part.slice(0, MAX_ITEMS).entries())
        if (left > 0) kept.push(bound(item, `${at}/${index}`));
      if (kept.length < part.length) omit(at);
      return kept;
    }
    const members = Object.entries(part as Readonly<Record<string, ExcerptValue>>);
    const kept: [string, ExcerptValue][] = [];
    for (const [name, member] of members) {
      if (left <= 0) break;
      kept.push([take(name, MAX_NAME, at), bound(member, `${at}/${name}`)]);
    }
    if (kept.length < members.length) omit(at);
    return Object.fromEntries(kept);
  }

  return { value: bound(value, pointer), omitted };
}
