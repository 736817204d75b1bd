import { fail } from '../core/errors.ts';
import { exceedsBounds } from '../core/json/json-bounds.ts';

/**
 * Bounds of a message. The package of the protocol validates every level and value of it, which took 6 to 11 µs each. The
 * official client sent at most 4 levels and 16 values in 125 messages of both revisions; other clients were not measured.
 */
const BOUNDS = { maxDepth: 16, maxValues: 256 };

/** Rejects the text of a message that would take long to read, before anything is built from it. */
export function checkMessage(text: string): void {
  if (exceedsBounds(text, BOUNDS)) throw fail('invalid_request', { message: TOO_COMPLEX });
}

const TOO_COMPLEX = `The message is too complex: send at most ${BOUNDS.maxValues} values in at most ${BOUNDS.maxDepth} levels.`;
