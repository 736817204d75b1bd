import { fail } from './errors.ts';

/** PostgreSQL cannot store U+0000, nor UTF-8 a lone surrogate: both become U+FFFD in texts of source files that are not stored as JSON. */
export function toStorable(text: string): string {
  if (text.isWellFormed() && !text.includes('\0')) return text;
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

export const MAX_NAME_LENGTH = 60;

/**
 * Checks the name that a user gives an API key, a link or a monitor (`noun`): 1 to 60 characters, counted as code points like in JSON Schema. Every
 * storable character is allowed. Throws `invalid_request` with what to change. Pages show such names with `showName`.
 */
export function validateName(text: string, noun: string): string {
  const { length } = [...text];
  if (length === 0) throw reject(noun, 'is empty: say what it is for.');
  if (length > MAX_NAME_LENGTH) throw reject(noun, `has ${length} characters: use at most ${MAX_NAME_LENGTH}.`);
  if (!text.isWellFormed()) throw reject(noun, 'contains an unpaired surrogate: send complete Unicode characters.');
  if (text.includes('\0')) throw reject(noun, 'contains U+0000, which cannot be stored: remove it.');
  return text;
}

function reject(noun: string, problem: string): Error {
  return fail('invalid_request', { message: `The name of the ${noun} ${problem}`, field: 'name' });
}
