import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildConnector, EnvHttpProxyAgent, request } from 'undici';
import type { Clock } from '../../base/clock.ts';
import { parseRetryAfter } from '../../base/requests/responses.ts';
import { isLoopbackName } from '../../base/site.ts';
import { guardLookup, isPrivateAddress } from '../../base/system/addresses.ts';
import { refusePrivate, SourceProblem, showAddress, toProblem } from './problem.ts';

/** How patient a fetch is. Tests shorten the times. */
export interface FetchLimits {
  /** The time until a publisher answers. Some publishers create the file only when it is requested. */
  readonly responseMs: number;
  /** A response that brings nothing for this long is ended, and the download is resumed. */
  readonly idleMs: number;
  /** Attempts in a row that make no progress. */
  readonly attempts: number;
  /** The pause before the second attempt. Each later pause is twice as long, up to a minute. */
  readonly pauseMs: number;
  /** A publisher may ask for a longer pause (`Retry-After`). If that pause is longer than `maxPauseMs`, the fetch ends instead. */
  readonly maxPauseMs: number;
  /**
   * The time for a file with all attempts and pauses, and for all files of a register. Registers are fetched one after another, so
   * a slow publisher delays all other registers. Bytes that have arrived are kept, and the next fetch continues.
   */
  readonly fileMs: number;
  readonly registerMs: number;
}

export const DEFAULT_LIMITS: FetchLimits = {
  responseMs: 5 * 60_000,
  idleMs: 60_000,
  attempts: 5,
  pauseMs: 1_000,
  maxPauseMs: 10 * 60_000,
  // The largest file has a few gigabytes: half a megabyte per second is enough.
  fileMs: 2 * 60 * 60_000,
  registerMs: 4 * 60 * 60_000,
};

const MAX_BACKOFF_MS = 60_000;

/** Runs `attempt` until it succeeds, fails for good, or fails too often without having called `madeProgress`. */
export async function tryRepeatedly<T>(
  { limits, signal }: { readonly limits: FetchLimits; readonly signal: AbortSignal },
  attempt: (madeProgress: () => void) => Promise<T>,
): Promise<T> {
  for (let failures = 0; ; ) {
    try {
      return await attempt(() => {
        failures = 0;
      });
    } catch (error) {
      // Streams and timers wrap the reason.
      signal.throwIfAborted();
      if (!(error instanceof SourceProblem) || !error.retry) throw error;
      failures++;
      const pauseMs = error.waitMs ?? Math.min(limits.pauseMs * 2 ** (failures - 1), MAX_BACKOFF_MS);
      if (failures >= limits.attempts) throw error;
      if (pauseMs > limits.maxPauseMs) {
        const asks = `${error.message} and asks to wait for ${formatMinutes(pauseMs)}`;
        throw new SourceProblem(asks, 'later');
      }
      await sleep(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}

/** A signal that aborts after `ms`. `failure` is what did not happen in this time: "example.org did not send the file". */
export function limitTime(ms: number, outer: AbortSignal, failure: string): Disposable & { signal: AbortSignal } {
  const controller = new AbortController();
  const timer = setTimeout(() => {
    controller.abort(new SourceProblem(`${failure} within ${formatMinutes(ms)}`, 'continue'));
  }, ms);
  return { signal: AbortSignal.any([controller.signal, outer]), [Symbol.dispose]: () => clearTimeout(timer) };
}

function formatMinutes(ms: number): string {
  return `${Math.ceil(ms / 60_000)} minutes`;
}

/** What all requests of a fetch share. */
export interface Connection {
  readonly client: Client;
  readonly limits: FetchLimits;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

type Headers = Readonly<Record<string, string>>;

/** Makes one request. */
export async function sendRequest<T>(
  url: URL,
  headers: Headers,
  { client, signal }: Pick<Connection, 'client' | 'signal'>,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  try {
    return await read(await client.get(url, headers, signal));
  } catch (error) {
    throw toProblem(error, url);
  }
}

/** The limit for pages and JSON responses that only have the address of the file. The largest known page has 400 KB. */
const MAX_PAGE_BYTES = 8 * 1_048_576;

/** Reads a page or a JSON response that has the address of a file, and selects the address from its text. */
export function fetchPage<T>(url: URL, select: (text: string) => T, connection: Connection): Promise<T> {
  return requestRepeatedly(url, {}, [OK], connection, async ({ body }) => {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of body) {
      size += chunk.length;
      if (size > MAX_PAGE_BYTES) throw new SourceProblem(`${showAddress(url)} is too large for a page`, 'moved');
      chunks.push(chunk);
    }
    return select(Buffer.concat(chunks).toString('utf8'));
  });
}

/** Asks for a file without reading it, and returns the status. Some servers answer HEAD differently from GET. */
export function probe(url: URL, headers: Headers, accepted: readonly number[], connection: Connection) {
  return requestRepeatedly(url, headers, accepted, connection, async (response) => {
    discardBody(response);
    return response.status;
  });
}

function requestRepeatedly<T>(
  url: URL,
  headers: Headers,
  accepted: readonly number[],
  connection: Connection,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  return tryRepeatedly(connection, () =>
    sendRequest(url, headers, connection, async (response) => {
      if (!accepted.includes(response.status)) throw refuseResponse(response, url, connection.clock);
      return read(response);
    }),
  );
}

export function discardBody({ body }: Response): void {
  body.on('error', () => {}).destroy();
}

/** What identifies a version of a file at its publisher. */
export interface Validators {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

export const NO_VALIDATORS: Validators = { etag: null, lastModified: null };

export const OK = 200;
export const PARTIAL = 206;
export const NOT_MODIFIED = 304;
export const NOT_FOUND = 404;
export const RANGE_NOT_SATISFIABLE = 416;

/** Ends a response that has no file, and returns the problem. */
export function refuseResponse(response: Response, url: URL, clock: Clock): SourceProblem {
  discardBody(response);
  const { status, headers } = response;
  if (status === 407) return new SourceProblem('the proxy requires a password', 'proxy');
  const [meaning = '', advice = 'later'] = MEANINGS[status] ?? (status >= 500 ? [' (an error of the publisher)'] : []);
  const retry = [408, 425, 429].includes(status) || status >= 500;
  const waitMs = parseRetryAfter(headers['retry-after'], clock.now());
  return new SourceProblem(`${showAddress(url)} answered ${status}${meaning}`, advice, { retry, waitMs });
}

const MEANINGS: Readonly<Record<number, readonly [meaning: string, advice?: 'moved' | 'look']>> = {
  304: [' (not modified), although the whole file was requested'],
  401: [' (access denied)', 'look'],
  403: [' (access denied)', 'look'],
  404: [' (not found)', 'moved'],
  410: [' (not found)', 'moved'],
  429: [' (too many requests)'],
  451: [' (access denied)', 'look'],
};

/** Proxies as in the usual environment variables; an empty text means no proxy. */
export interface ProxySettings {
  readonly http: string;
  readonly https: string;
  /** Hosts that are reached directly, separated by commas. */
  readonly except: string;
}

interface ClientOptions {
  readonly proxies: ProxySettings;
  readonly userAgent: string;
  readonly limits: FetchLimits;
}

export interface Response {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable;
}

export type Client = ReturnType<typeof createClient>;

const LOOPBACK = 'localhost,127.0.0.1,::1';
const MAX_REDIRECTS = 5;

/**
 * Makes requests to publishers: one connection per host, redirects with rules, no retries. The origins (scheme, host and port) that the
 * operator named for a register are trusted: they may have private addresses.
 */
export function createClient({ proxies, userAgent, limits }: ClientOptions, trusted: ReadonlySet<string>) {
  // A download must not share its connection, and a reset must end only one download.
  const settings = { allowH2: false, timeout: limits.idleMs };
  const [connect, connectGuarded] = [buildConnector(settings), buildConnector({ ...settings, lookup: guardLookup() })];
  const agent = new EnvHttpProxyAgent({
    httpProxy: proxies.http,
    httpsProxy: proxies.https,
    noProxy: `${LOOPBACK},${proxies.except}`,
    connections: 1,
    allowH2: false,
    headersTimeout: limits.responseMs,
    bodyTimeout: limits.idleMs,
    // The time to connect to a proxy.
    connectTimeout: limits.idleMs,
    connect: (target, callback) => (trusted.has(originOf(target)) ? connect : connectGuarded)(target, callback),
  });

  async function get(url: URL, headers: Headers, signal: AbortSignal): Promise<Response> {
    let current = url;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      requirePublic(current, trusted);
      const options = { dispatcher: agent, headers: { 'user-agent': userAgent, ...headers }, signal };
      const response = await request(current, options).catch((error) => {
        throw toProblem(error, current);
      });
      const { location } = response.headers;
      if (!REDIRECTS.includes(response.statusCode) || typeof location !== 'string') {
        return { status: response.statusCode, headers: response.headers, body: response.body };
      }
      await response.body.dump();
      const next = URL.parse(location, current.href);
      if (next === null || !/^https?:$/.test(next.protocol))
        throw new SourceProblem(`${showAddress(current)} redirects to an invalid address`, 'moved');
      current = next;
    }
    throw new SourceProblem(`${showAddress(url)} redirects more than ${MAX_REDIRECTS} times`, 'moved');
  }

  return { get, [Symbol.asyncDispose]: () => agent.destroy() };
}

const REDIRECTS = [301, 302, 303, 307, 308];

function originOf({ protocol, hostname, port }: buildConnector.Options): string {
  return `${protocol}//${hostname}${port === '' ? '' : `:${port}`}`;
}

/** Names are checked when they are resolved. Behind a proxy, the proxy resolves them. */
function requirePublic(url: URL, trusted: ReadonlySet<string>): void {
  const isLocal = isLoopbackName(url.hostname);
  const isPrivate = isLocal || isPrivateAddress(url.hostname.replace(/^\[|\]$/g, ''));
  if (isPrivate && !trusted.has(url.origin)) throw refusePrivate(url);
  if (url.protocol === 'https:' || isLocal) return;
  throw new SourceProblem(`${showAddress(url)} is plain http, which anyone on the way can change`, 'moved');
}
