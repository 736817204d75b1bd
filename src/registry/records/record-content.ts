import type { Value } from '../../base/db/db.ts';
import { digest } from '../../base/ids.ts';
import { type ContentColumn, contentColumns } from './store.ts';

/** Follows each name and value. No value contains this character: JSON escapes it, and `toStorable` replaces it. */
const SEPARATOR = '\0';

const NAMES = contentColumns.map((column) => column + SEPARATOR);
const LAYOUT = contentColumns.indexOf('layout');

/**
 * The content of a record is one text: the name and the value of every column that is not null, in the order of
 * `contentColumns`. The text is hashed as a whole, and sending one long text to another thread takes a tenth of the time of many short texts.
 */
export function writeContent(values: Readonly<Record<ContentColumn, string | null>>): string {
  let text = '';
  for (let index = 0; index < NAMES.length; index++) {
    const value = values[contentColumns[index] as ContentColumn];
    if (value !== null) text += NAMES[index] + value + SEPARATOR;
  }
  return text;
}

export function parseContent(content: string): Value[] {
  const values: Value[] = [];
  let at = 0;
  for (let index = 0; index < NAMES.length; index++) {
    const name = NAMES[index] as string;
    // `startsWith` is slower.
    if (content.slice(at, at + name.length) !== name) values.push(null);
    else {
      // The last value is the source, which is as long as all other values.
      const end = index === NAMES.length - 1 ? content.length - 1 : content.indexOf(SEPARATOR, at + name.length);
      const value = content.slice(at + name.length, end);
      values.push(index === LAYOUT ? Number(value) : value);
      at = end + 1;
    }
  }
  return values;
}

/** The names of the columns are part of what is hashed, and null values are not: a column that is new and null changes no record's hash. */
export function hashContent(content: string, linkedId: string | undefined): string {
  return digest(linkedId === undefined ? content : `${content}link${SEPARATOR}${linkedId}`);
}
