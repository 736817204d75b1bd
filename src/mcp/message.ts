import { fail } from '../core/errors.ts';
import { exceedsBounds } from '../core/json-bounds.ts';

/**
 * Bounds of a message. The package of the protocol validates every level and value of it, which takes about 10 µs each. The deepest
 * message of a client that we know has 8 levels, the largest about 60 values.
 */
const BOUNDS = { maxDepth: 16, maxValues: 256 };

/** Rejects the text of a message that would take long to read, before anything is built from it. */
export function checkMessage(text: string): void {
  if (exceedsBounds(text, BOUNDS)) throw fail('invalid_request', { message: TOO_COMPLEX });
}

const TOO_COMPLEX = `The message is too complex: send at most ${BOUNDS.maxValues} values in at most ${BOUNDS.maxDepth} levels.`;
