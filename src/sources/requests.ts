import type { Clock } from '../core/clock.ts';
import { tryRepeatedly } from './attempts.ts';
import type { Client, Response } from './client.ts';
import { type FetchLimits, MAX_PAGE_BYTES } from './limits.ts';
import { SourceProblem, showAddress, toProblem } from './problem.ts';
import { type ProgressWatch, watchProgress } from './progress-watch.ts';
import { OK, refuseResponse } from './responses.ts';

/** What all requests of a fetch share. */
export interface Connection {
  readonly client: Client;
  readonly limits: FetchLimits;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Reads a page or a JSON response that says where a file is, and selects the address from its text. */
export function readPage<T>(url: URL, select: (text: string) => T, connection: Connection): Promise<T> {
  return makeRequest(url, {}, [OK], connection, async ({ body }, watch) => {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of body) {
      size += chunk.length;
      watch.addBytes(chunk.length);
      if (size > MAX_PAGE_BYTES)
        throw new SourceProblem(`${showAddress(url)} is too large for a page`, { advice: 'moved' });
      chunks.push(chunk);
    }
    return select(Buffer.concat(chunks).toString('utf8'));
  });
}

/** Asks for a file without reading it, and returns the status. Some servers answer HEAD differently from GET. */
export function probe(
  url: URL,
  headers: Readonly<Record<string, string>>,
  accepted: readonly number[],
  connection: Connection,
): Promise<number> {
  return makeRequest(url, headers, accepted, connection, async ({ status, body }) => {
    body.on('error', () => {}).destroy();
    return status;
  });
}

function makeRequest<T>(
  url: URL,
  headers: Readonly<Record<string, string>>,
  accepted: readonly number[],
  { client, limits, clock, signal }: Connection,
  read: (response: Response, watch: ProgressWatch) => Promise<T>,
): Promise<T> {
  return tryRepeatedly(
    async () => {
      const watch = watchProgress(url.host, limits, signal);
      try {
        const response = await client.get(url, headers, watch.signal);
        watch.start();
        if (!accepted.includes(response.status)) throw refuseResponse(response, url, clock);
        return await read(response, watch);
      } catch (error) {
        throw toProblem(error, url);
      } finally {
        watch.stop();
      }
    },
    limits,
    signal,
  );
}
