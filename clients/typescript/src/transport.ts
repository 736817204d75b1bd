import { ConnectionFailed, DeadlineExceeded, FirmamentError } from './errors.ts';
import { type Exchange, exchange } from './exchange.ts';
import { describeFailure, toApiError } from './failures.ts';
import { type Limits, readLimits } from './limits.ts';
import { CALL_OPTIONS, type CallOptions, CLIENT_OPTIONS, type ClientOptions, checkOptions } from './options.ts';
import { createReplyCache } from './reply-cache.ts';
import {
  type Operation,
  type OperationId,
  type Parameters,
  readBase,
  readCredential,
  readOperation,
  writeUrl,
} from './request.ts';
import { chooseDelay, isRefused, isTransient, sleep } from './retries.ts';

/** A complete reply. */
interface Reply {
  readonly body: unknown;
  /** Which snapshot of the data a page of results comes from. */
  readonly version: string | null;
}

interface TransportOptions extends CallOptions {
  /** Does not use the cache. */
  readonly isUncached?: boolean;
  /** Repeats a request that is not safe if the reply says that nothing was done, but not if there is no reply. */
  readonly repeatsRefused?: boolean;
}

export interface Transport {
  /** Sends a request until there is a definite reply, and reads it. */
  call(id: OperationId, argument: unknown, options?: TransportOptions): Promise<Reply>;
  /** The same, without reading the body of a success. */
  open(id: OperationId, argument: unknown, options?: CallOptions): Promise<Response>;
  limits(): Limits | undefined;
}

/** Longer timers would end at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Makes requests: credentials, retries, time limits, cache. The credentials never leave this closure but in a request. */
export function createTransport(options: ClientOptions): Transport {
  checkOptions(options, CLIENT_OPTIONS);
  const base = readBase(options.url);
  const key = readCredential('key', options.key);
  const session = readCredential('session', options.session);
  const { attempts = 5, deadline = 120_000, timeout = 30_000, backoff = 500, cache: cacheSize = 100 } = options;
  const send: typeof fetch = options.fetch ?? ((...request) => fetch(...request));
  const cache = createReplyCache(cacheSize);
  let limits: Limits | undefined;

  /** A reply may repeat what was sent. */
  const hide = (text: string) =>
    [key, session].reduce<string>((hidden, secret) => (secret ? hidden.replaceAll(secret, '[hidden]') : hidden), text);

  function prepare(operation: Operation, argument: unknown, given: CallOptions): Exchange {
    checkOptions(given, CALL_OPTIONS);
    const { headers = {} } = given;
    const { method, path, needsKey, needsSession, takesArgument, isFile, isIdempotent, hasBodyBeside } = operation;
    const credential = (needsKey ? key : undefined) ?? (needsSession ? session : undefined);
    // An argument that fills the path is not a body.
    const hasBody = hasBodyBeside || (method === 'POST' && takesArgument && !path.includes('{'));
    const { body, ...parameters } = hasBodyBeside ? (argument as Parameters) : { body: argument };
    return {
      method,
      url: writeUrl(base, path, hasBody ? parameters : ((argument ?? {}) as Parameters)),
      body: hasBody ? JSON.stringify(body) : undefined,
      headers: {
        ...(!isFile && { accept: 'application/json' }),
        ...(hasBody && { 'content-type': 'application/json' }),
        ...(isIdempotent && { 'idempotency-key': `"${crypto.randomUUID()}"` }),
        ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
        ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
      },
    };
  }

  /** One attempt, which ends with `timeLimit.error` if it takes too long. `read` gets successes and 304. */
  async function attempt<T>(
    request: Exchange,
    timeLimit: { readonly ms: number; readonly error: FirmamentError },
    signal: AbortSignal | undefined,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    signal?.throwIfAborted();
    const controller = new AbortController();
    const stop = () => controller.abort(signal?.reason);
    signal?.addEventListener('abort', stop);
    const timer = setTimeout(() => controller.abort(timeLimit.error), Math.min(timeLimit.ms, MAX_TIMER_MS));
    let isOpen = false;
    try {
      const response = await exchange(send, request, controller.signal);
      limits = readLimits(response.headers) ?? limits;
      if (!response.ok && response.status !== 304) throw toApiError(response, hide(await response.text()));
      const result = await read(response);
      isOpen = result instanceof Response;
      return result;
    } catch (error) {
      if (controller.signal.aborted) throw controller.signal.reason;
      if (error instanceof FirmamentError) throw error;
      // Not passed on as `cause`: what `fetch` throws may contain the request.
      throw new ConnectionFailed(hide(`The request failed: ${describeFailure(error)}`));
    } finally {
      clearTimeout(timer);
      // The signal can also end the body of a reply that is open.
      if (!isOpen) signal?.removeEventListener('abort', stop);
    }
  }

  async function insist<T>(
    operation: Operation,
    request: Exchange,
    given: TransportOptions,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const { signal, repeatsRefused } = given;
    const isRepeatable = request.method === 'GET' || operation.isIdempotent;
    const maxTries = isRepeatable || repeatsRefused ? (given.attempts ?? attempts) : 1;
    const total = given.deadline ?? deadline;
    const each = given.timeout ?? timeout;
    const endsAt = performance.now() + total;
    const late = (last = '') => new DeadlineExceeded(`There was no complete reply within ${total} ms.${last}`);
    for (let tries = 1; ; tries++) {
      const left = endsAt - performance.now();
      const error = left <= each ? late() : new ConnectionFailed(`There was no complete reply within ${each} ms.`);
      try {
        return await attempt(request, { ms: Math.min(left, each), error }, signal, read);
      } catch (error) {
        if (signal?.aborted || !isTransient(error) || tries >= maxTries) throw error;
        if (!isRepeatable && !isRefused(error)) throw error;
        const delay = chooseDelay(error, tries, backoff);
        // A retry after the deadline is pointless, and so is waiting for it.
        if (performance.now() + delay >= endsAt) {
          throw error instanceof ConnectionFailed ? late(` The last attempt: ${error.message}`) : error;
        }
        await sleep(delay, signal);
      }
    }
  }

  async function call(id: OperationId, argument: unknown, given: TransportOptions = {}): Promise<Reply> {
    const operation = readOperation(id);
    const request = prepare(operation, argument, given);
    const { href } = request.url;
    const isCached =
      operation.needsKey && request.method === 'GET' && cacheSize > 0 && !given.isUncached && !given.headers;
    const known = isCached ? cache.find(href) : undefined;
    const headers = known ? { ...request.headers, 'if-none-match': known.tag } : request.headers;
    return insist(operation, { ...request, headers }, given, async (response) => {
      const isCurrent = response.status === 304 && known !== undefined;
      if (response.status === 304 && !isCurrent) throw toApiError(response, '');
      const text = isCurrent ? known.text : await response.text();
      const version = isCurrent ? known.version : response.headers.get('X-Data-Version');
      const body = text === '' ? undefined : parse(text);
      const tag = response.headers.get('ETag');
      if (isCached && !isCurrent && tag !== null) cache.keep(href, { tag, text, version });
      return { body, version };
    });
  }

  return {
    call,
    async open(id, argument, given = {}) {
      const operation = { ...readOperation(id), isFile: true };
      return insist(operation, prepare(operation, argument, given), given, async (response) => response);
    },
    limits: () => limits,
  };
}

/** What is not JSON is the page of a gateway, or was cut off without an error of the connection. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ConnectionFailed('The reply is not complete JSON.');
  }
}
