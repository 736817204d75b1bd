import type { Value } from '../../base/db/db.ts';
import { digest } from '../../base/ids.ts';
import { type ContentColumn, contentColumns } from './store.ts';

/** After each name and value. No value contains it: JSON escapes it, and `toStorable` replaces it. */
const SEPARATOR = '\0';

const NAMES = contentColumns.map((column) => column + SEPARATOR);

/**
 * The content of a record is one text: the name and the value of every column that is not null, in the order of
 * `contentColumns`. It is hashed as a whole, and one long text goes to another thread at a tenth of the cost of its parts.
 */
export function writeContent(values: Readonly<Record<ContentColumn, string | null>>): string {
  let text = '';
  for (const [index, column] of contentColumns.entries()) {
    const value = values[column];
    if (value !== null) text += NAMES[index] + value + SEPARATOR;
  }
  return text;
}

/** The values of `contentColumns`, in their order. */
export function parseContent(content: string): Value[] {
  const parts = content.split(SEPARATOR);
  let at = 0;
  return contentColumns.map((column) => {
    if (parts[at] !== column) return null;
    const value = parts[at + 1] as string;
    at += 2;
    return column === 'layout' ? Number(value) : value;
  });
}

/**
 * The names of the columns are part of what is hashed, and null values are not: a column that is new and null changes
 * no record's hash.
 */
export function hashContent(content: string, linkedId: string | undefined): string {
  return digest(linkedId === undefined ? content : `${content}link${SEPARATOR}${linkedId}`);
}
