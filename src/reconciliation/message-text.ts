import { fail } from '../core/errors.ts';
import { exceedsBounds } from '../core/json/json-bounds.ts';

/** A batch of 50 queries with all properties has about 1,500 values in 5 levels. */
const BOUNDS = { maxDepth: 8, maxValues: 8_000 };

/** Parses a message. Rejects what would take long to read, before anything is built from it. */
export function parseMessage(text: string, name: string): object {
  if (exceedsBounds(text, BOUNDS)) throw reject(`is too complex: send at most ${BOUNDS.maxValues} values.`);
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    throw reject('is not valid JSON.');
  }
  if (typeof message === 'object' && message !== null && !Array.isArray(message)) return message;
  throw reject('must be a JSON object.');

  function reject(problem: string) {
    return fail('invalid_request', { message: `The field "${name}" ${problem}` });
  }
}
