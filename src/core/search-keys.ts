import { fold } from './fold.ts';

/**
 * What of a record is searched besides its name, as it is stored: one column of lines a kind, so that both search
 * engines read the same text and no engine has to understand JSON.
 */

/** A registration number is found as written and with everything but letters and digits left out. */
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
 * The one text to look for in `numberKeys`: a fragment of the written number is one of the bare number too, unless
 * nothing but punctuation is asked for.
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
      if (value && value.length <= LONGEST_ACTIVITY) keys.add(activityKey(type, value));
  }
  return [...keys].join('\n');
}

/** PostgreSQL’s index takes no entry of more than 2 704 bytes. The longest label in our samples has 143 characters. */
const LONGEST_ACTIVITY = 600;

/** What `activityKey` made a key of. */
export function readActivityKey(key: string): { readonly type: ActivityType; readonly value: string } {
  const value = key.slice(1).replace(/\\([n\\])/g, (_, escaped) => (escaped === 'n' ? '\n' : '\\'));
  return { type: key.startsWith('l') ? 'licensed' : 'unlicensed', value };
}

/** One line, whatever the value holds. */
export function activityKey(type: ActivityType, value: string): string {
  return (type === 'licensed' ? 'l' : 'u') + value.replace(/[\\\n]/g, (found) => (found === '\n' ? '\\n' : '\\\\'));
}
