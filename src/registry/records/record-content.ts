import { hash } from 'node:crypto';
import type { Value } from '../../base/db/db.ts';
import { type ContentColumn, contentColumns } from './store.ts';

/**
 * The content of a record is one string: the name and the value of every column that is not null, in the order of
 * `contentColumns`. It is hashed as a whole, and one long string goes to another thread at a tenth of the cost of its parts.
 */
export interface Content {
  readonly text: string;
  /** From index `firstEnd` on: where the value of each column ends in `text`; `NULL_END` if it is null. */
  readonly ends: ArrayLike<number>;
  readonly firstEnd: number;
}

const NULL_END = -1;

/** After each name and value. No value contains it: JSON escapes it, and `toStorable` replaces it. */
const SEPARATOR = '\0';

const NAMES = contentColumns.map((column) => column + SEPARATOR);

export function writeContent(values: Readonly<Record<ContentColumn, string | null>>): Content {
  let text = '';
  const ends: number[] = [];
  for (let index = 0; index < NAMES.length; index++) {
    const value = values[contentColumns[index] as ContentColumn];
    if (value === null) ends.push(NULL_END);
    else {
      text += NAMES[index] + value;
      ends.push(text.length);
      text += SEPARATOR;
    }
  }
  return { text, ends, firstEnd: 0 };
}

/** The values of `contentColumns`, in their order. */
export function parseContent({ text, ends, firstEnd }: Content): Value[] {
  const values: Value[] = [];
  let at = 0;
  for (let index = 0; index < NAMES.length; index++) {
    const end = ends[firstEnd + index] as number;
    if (end === NULL_END) values.push(null);
    else {
      const value = text.slice(at + (NAMES[index] as string).length, end);
      values.push(index === LAYOUT ? Number(value) : value);
      at = end + SEPARATOR.length;
    }
  }
  return values;
}

const LAYOUT = contentColumns.indexOf('layout');

/** The first column. */
export function countryOf({ text, ends, firstEnd }: Content): string {
  return text.slice((NAMES[0] as string).length, ends[firstEnd] as number);
}

/**
 * The names of the columns are part of what is hashed, and null values are not: a column that is new and null changes
 * no record's hash. 144 bits, so that two contents never have the same hash by accident.
 */
export function hashContent({ text }: Content, linkedId: string | undefined): string {
  const whole = linkedId === undefined ? text : `${text}link${SEPARATOR}${linkedId}`;
  return hash('sha256', whole, 'base64url').slice(0, 24);
}
