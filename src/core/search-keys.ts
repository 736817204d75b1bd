import { fold } from './fold.ts';

/**
 * What a record is searched by besides its name, as the store holds it: one column per kind, one key per line. Both
 * search engines read the same text, and neither has to parse JSON.
 */

/** A registration number is found as it is written, and without anything but its letters and digits. */
export function numberKeys(numbers: Iterable<string>): string {
  const keys = new Set<string>();
  for (const number of numbers) {
    const written = fold(number);
    keys.add(written);
    keys.add(bareNumber(written));
  }
  keys.delete('');
  return [...keys].join('\n');
}

/**
 * The text to look for in `numberKeys`. It is enough to look for the bare fragment, because whatever contains the
 * written one also contains the bare one. A fragment of punctuation only has no bare form and is looked for as it is.
 */
export function numberFragment(foldedQuery: string): string {
  return bareNumber(foldedQuery) || foldedQuery;
}

function bareNumber(folded: string): string {
  return folded.replace(NEITHER_LETTER_NOR_DIGIT, '');
}

const NEITHER_LETTER_NOR_DIGIT = /[^\p{L}\p{N}]+/gu;

export type ActivityType = 'unlicensed' | 'licensed';

export interface NamedActivity {
  readonly type: ActivityType;
  readonly code: string | null;
  readonly label: string | null;
}

/** An activity is found by its code and by its label, each exactly as the source writes it. */
export function activityKeys(activities: readonly NamedActivity[]): string {
  const keys = new Set<string>();
  for (const { type, code, label } of activities) {
    for (const value of [code, label])
      if (value && value.length <= MAX_ACTIVITY_LENGTH) keys.add(activityKey(type, value));
  }
  return [...keys].join('\n');
}

/**
 * An entry of PostgreSQL’s index has at most 2,704 bytes. The longest label in the official samples has 143 characters.
 */
const MAX_ACTIVITY_LENGTH = 600;

/** The opposite of `activityKey`. */
export function readActivityKey(key: string): { readonly type: ActivityType; readonly value: string } {
  const value = key.slice(1).replace(/\\([n\\])/g, (_, escaped) => (escaped === 'n' ? '\n' : '\\'));
  return { type: key.startsWith('l') ? 'licensed' : 'unlicensed', value };
}

/** The type as one letter, then the value, with line breaks escaped so that a key is always one line. */
export function activityKey(type: ActivityType, value: string): string {
  return (type === 'licensed' ? 'l' : 'u') + value.replace(/[\\\n]/g, (found) => (found === '\n' ? '\\n' : '\\\\'));
}
