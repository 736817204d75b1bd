import type { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isGone } from '../core/requests/gone.ts';

export interface ResultPart {
  readonly rows: number;
  readonly bytes: string | Uint8Array;
}

export interface SendLimits {
  /** The client is disconnected if a part, which has 200 rows, is not sent within this time. */
  readonly stallMs: number;
  /** The same if it reads fewer rows per second than this, on average, after the first `stallMs`. */
  readonly rowsPerSecond: number;
  /** The same if all of it takes longer than this: a file keeps its version of the data in memory. */
  readonly maxMs: number;
}

export interface Sent {
  /** Whether anything was handed to the connection, and the rows of all parts that were. */
  readonly isStarted: boolean;
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
  parts: Iterable<ResultPart> | AsyncIterable<ResultPart>,
  limits: SendLimits,
): Promise<Sent> {
  const lastMoment = performance.now() + limits.maxMs;
  let isStarted = false;
  let rows = 0;
  let waitedMs = 0;
  try {
    for await (const part of parts) {
      const now = performance.now();
      const leftMs = Math.min(chooseWait(limits, rows, waitedMs), lastMoment - now);
      const refused = isGone(to) ? 'client gone' : leftMs <= 0 ? 'too slow' : undefined;
      if (refused === undefined) {
        isStarted = true;
        rows += part.rows;
      }
      const result = refused ?? (await sendPart(to, part.bytes, leftMs));
      if (result !== 'sent') {
        to.destroy();
        return { isStarted, rows, end: result };
      }
      waitedMs += performance.now() - now;
      await nextTurn();
    }
  } catch (error) {
    to.destroy();
    return { isStarted, rows, end: 'failed', error };
  }
  to.end();
  return { isStarted, rows, end: 'complete' };
}

/** How long to wait for a client that has kept the server waiting before. Time in which parts were produced does not count. */
export function chooseWait({ stallMs, rowsPerSecond }: SendLimits, rows: number, waitedMs: number): number {
  return Math.min(stallMs, stallMs + (rows / rowsPerSecond) * 1_000 - waitedMs);
}

function sendPart(to: Writable, bytes: ResultPart['bytes'], ms: number): Promise<'sent' | 'client gone' | 'too slow'> {
  if (bytes.length === 0) return Promise.resolve('sent');
  return new Promise((resolve) => {
    const end = (result: 'sent' | 'client gone' | 'too slow') => {
      clearTimeout(timer);
      to.off('close', close);
      resolve(result);
    };
    const close = () => end('client gone');
    const timer = setTimeout(() => end('too slow'), ms);
    to.once('close', close);
    to.write(bytes, (error) => end(error ? 'client gone' : 'sent'));
  });
}
