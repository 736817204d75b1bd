import type { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';

export interface Part {
  readonly rows: number;
  readonly bytes: string | Uint8Array;
}

export interface SendLimits {
  /** The client is disconnected if a part, which has 200 rows, is not sent within this time. */
  readonly stallMs: number;
  /** The same if all of it takes longer than this: a file keeps its version of the data in memory. */
  readonly maxMs: number;
}

export interface Sent {
  /** Rows of the parts that the kernel has taken over completely. */
  readonly rows: number;
  readonly end: 'complete' | 'client gone' | 'too slow' | 'failed';
  /** Why the next part could not be produced. */
  readonly error?: unknown;
}

/**
 * Sends parts one after the other. The next one is produced only when the kernel has taken over the last one, so a slow client costs
 * one part of memory. Between two parts, other requests get their turn. If not all parts are sent, the connection is closed, so that
 * the client notices.
 */
export async function sendParts(
  to: Writable,
  parts: Iterable<Part> | AsyncIterable<Part>,
  { stallMs, maxMs }: SendLimits,
): Promise<Sent> {
  const lastMoment = performance.now() + maxMs;
  let rows = 0;
  try {
    for await (const part of parts) {
      const leftMs = Math.min(stallMs, lastMoment - performance.now());
      const result = leftMs <= 0 ? 'too slow' : await sendPart(to, part.bytes, leftMs);
      if (result !== 'sent') {
        to.destroy();
        return { rows, end: result };
      }
      rows += part.rows;
      await nextTurn();
    }
  } catch (error) {
    to.destroy();
    return { rows, end: 'failed', error };
  }
  to.end();
  return { rows, end: 'complete' };
}

function sendPart(to: Writable, bytes: Part['bytes'], ms: number): Promise<'sent' | 'client gone' | 'too slow'> {
  if (to.destroyed) return Promise.resolve('client gone');
  if (bytes.length === 0) return Promise.resolve('sent');
  return new Promise((resolve) => {
    const settle = (result: 'sent' | 'client gone' | 'too slow') => {
      clearTimeout(timer);
      to.off('close', close);
      resolve(result);
    };
    const close = () => settle('client gone');
    const timer = setTimeout(() => settle('too slow'), ms);
    to.once('close', close);
    to.write(bytes, (error) => settle(error ? 'client gone' : 'sent'));
  });
}
