import { fold } from './fold.ts';

/** The keys by which a record is found besides its name, one per line, as both search engines read them: neither has to parse JSON. */

/** One line per number: the folded number, then, if it has separators, a tab and the bare number, unless another line has that. */
export function numberKeys(numbers: readonly string[]): string {
  const written = listOnce(numbers.map(fold).filter((number) => number !== ''));
  const [first = ''] = written;
  if (written.length < 2 && !SEPARATOR.test(first)) return first;
  const forms = listOnce([...written, ...written.map(removeSeparators)]);
  let next = written.length;
  const lines = written.map((number) => {
    const bare = removeSeparators(number);
    if (bare !== forms[next]) return number;
    next++;
    return bare === '' ? number : `${number}\t${bare}`;
  });
  return lines.join('\n');
}

/** A few values are compared with each other: V8 enters every text that is looked up in a `Set` into its table of texts, which takes longer. */
function listOnce(values: readonly string[]): readonly string[] {
  if (values.length > MAX_COMPARED) return [...new Set(values)];
  return values.filter((value, index) => values.indexOf(value) === index);
}

const MAX_COMPARED = 16;

export interface NumberFragment {
  readonly text: string;
  /** Whether matches in numbers without separators must be left out. */
  readonly asWritten: boolean;
}

/**
 * If the query can be a number (only letters, digits and separators, at least one digit), query and numbers are compared without separators. That is
 * enough, because a number that contains the query as written also contains it without separators. Any other query is compared with the numbers as
 * written, so that `100%` and `a.b` find only numbers that contain them. Short queries with separators, such as `24/7`, are also compared as written:
 * they are usually parts of names, and `247` occurs in one of 200 numbers.
 */
export function parseNumberFragment(foldedQuery: string): NumberFragment {
  const hasSeparator = SEPARATOR.test(foldedQuery);
  // A text with separators never matches a number without them, so there is nothing to leave out.
  if (!NUMBER.test(foldedQuery)) return { text: foldedQuery, asWritten: !hasSeparator };
  const bare = removeSeparators(foldedQuery);
  const text = hasSeparator && [...bare].length < MIN_GROUPED_LENGTH ? foldedQuery : bare;
  return { text, asWritten: false };
}

/** The minimum length of a query whose separators are ignored, in letters and digits. */
const MIN_GROUPED_LENGTH = 5;
const SEPARATOR = /[ ./-]/;
const SEPARATORS = /[ ./-]+/g;
const NUMBER = /^(?=.*[0-9])[\p{L}\p{N} ./-]+$/u;

export function removeSeparators(folded: string): string {
  return folded.replace(SEPARATORS, '');
}

export type ActivityType = 'unlicensed' | 'licensed';

interface NamedActivity {
  readonly type: ActivityType;
  readonly code: string | null;
  readonly label: string | null;
  /** The value exactly as the source writes it, unless it is the code or the label. */
  readonly written?: string;
  readonly otherLabels?: readonly string[];
}

/**
 * An activity is found by its code, by its label in every language and by the value as the source writes it, each in full. Keys of written values and
 * of labels in other languages are marked, because a list of all activities leaves them out.
 */
export function activityKeys(activities: readonly NamedActivity[]): string {
  if (activities.length === 0) return '';
  const keys: string[] = [];
  const add = (mark: string, value: string | null | undefined) => {
    if (value && value.length <= MAX_ACTIVITY_LENGTH) keys.push(mark + escapeValue(value));
  };
  for (const { type, code, label, written, otherLabels = [] } of activities) {
    add(NAMED[type], code);
    add(NAMED[type], label);
    add(WRITTEN[type], written);
    for (const otherLabel of otherLabels) add(WRITTEN[type], otherLabel);
  }
  return listOnce(keys).join('\n');
}

const NAMED: Readonly<Record<ActivityType, string>> = { unlicensed: 'u', licensed: 'l' };
const WRITTEN: Readonly<Record<ActivityType, string>> = { unlicensed: 'v', licensed: 'm' };

/** An entry of PostgreSQL's index has at most 2,704 bytes. The longest label of the samples has 143 characters. */
const MAX_ACTIVITY_LENGTH = 600;

/** The keys of an activity: an entity that has either key has the activity. */
export function findActivityKeys(type: ActivityType, value: string): readonly [named: string, written: string] {
  return [NAMED[type] + escapeValue(value), WRITTEN[type] + escapeValue(value)];
}

/** The code or label in a key. Undefined for the key of a written value. */
export function parseActivityKey(key: string): { readonly type: ActivityType; readonly value: string } | undefined {
  const type = ACTIVITY_TYPES.find((one) => key.startsWith(NAMED[one]));
  if (type === undefined) return undefined;
  const value = key.slice(1).replace(/\\([n\\])/g, (_, escaped) => (escaped === 'n' ? '\n' : '\\'));
  return { type, value };
}

const ACTIVITY_TYPES: readonly ActivityType[] = ['unlicensed', 'licensed'];

/** Escapes line breaks, so that a key is always one line. */
function escapeValue(value: string): string {
  if (!value.includes('\n') && !value.includes('\\')) return value;
  return value.replace(/[\\\n]/g, (found) => (found === '\n' ? '\\n' : '\\\\'));
}
