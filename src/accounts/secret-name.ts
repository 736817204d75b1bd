import { fail } from '../core/errors.ts';

export const MAX_SECRET_NAME_LENGTH = 60;

/** Letters, digits, punctuation and symbols, except those that are drawn as nothing: fillers and the Braille blank. */
const VISIBLE = /[[\p{L}\p{N}\p{P}\p{S}]--[\p{Default_Ignorable_Code_Point}\u2800]]/v;
/** Control characters, and the separators that are line breaks. Format characters are allowed: emoji are joined by them. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/**
 * Reads the name that a user gives an API key or a link (`noun`): 1 to 60 characters (code points), at least one of them visible, and
 * removes surrounding white space. Throws `invalid_request` with what to change.
 */
export function readSecretName(text: string, noun: string): string {
  const name = text.trim();
  const length = [...text].length;
  if (!name.isWellFormed()) throw reject(noun, 'contains an unpaired surrogate: send complete Unicode characters.');
  if (UNPRINTABLE.test(name)) throw reject(noun, 'contains control characters or line breaks: remove them.');
  if (!VISIBLE.test(name)) throw reject(noun, 'has no visible character: say what it is for.');
  if (length > MAX_SECRET_NAME_LENGTH)
    throw reject(noun, `has ${length} characters: use at most ${MAX_SECRET_NAME_LENGTH}.`);
  return name;
}

function reject(noun: string, problem: string): Error {
  return fail('invalid_request', { message: `The name of the ${noun} ${problem}` });
}
