import { type ResourceLimits, Worker } from 'node:worker_threads';
import { type ErrorCode, Failure } from '../errors.ts';

/**
 * The owner's side of a worker thread; `thread-worker.ts` is the thread's side. `Protocol` names what the thread does. If the thread crashes, is
 * closed or ends by itself, every call and every stream that is pending fails with the same error.
 */
export interface Thread<Protocol> {
  readonly startedAt: number;
  /** Why the thread takes no more calls. Undefined while the thread takes calls. */
  readonly ended: Error | undefined;
  call<N extends CallName<Protocol>>(name: N, ...args: Arguments<Protocol[N]>): Promise<Result<Protocol[N]>>;
  /** Makes a call without a result. If the method throws, the thread crashes. */
  post<N extends CallName<Protocol>>(name: N, args: Arguments<Protocol[N]>): void;
  /** Starts a stream. The thread is only a few unused items ahead. If the reader returns early, the thread ends the stream. */
  stream<N extends StreamName<Protocol>>(name: N, ...args: Arguments<Protocol[N]>): Streamed<Protocol[N]>;
  /** Lets the thread finish its calls and clean up, and waits for its end. */
  finish(): Promise<void>;
  /** Ends the thread at once. Pending calls and streams fail with the reason. */
  close(reason?: Error): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface ThreadOptions<Events> {
  /** The name of the thread in messages, debuggers and profiles. */
  readonly name: string;
  /** The value that `readThreadData` returns in the thread. */
  readonly data?: unknown;
  readonly resourceLimits?: ResourceLimits;
  readonly signal?: AbortSignal | undefined;
  /** Whether the thread keeps the process alive only while a call or stream is pending. */
  readonly inBackground?: boolean;
  /** Handlers of the thread's events. Events that were sent before `close` are handled even after it. */
  readonly on?: Events;
  onEnd?(reason: Error): void;
}

export function openThread<Protocol, Events = object>(script: URL, options: ThreadOptions<Events>): Thread<Protocol> {
  const { name, data, resourceLimits, signal, inBackground = false, on, onEnd } = options;
  const worker = new Worker(script, { name, workerData: data, ...(resourceLimits && { resourceLimits }) });
  const events = (on ?? {}) as Readonly<Record<string, (...args: readonly unknown[]) => void>>;
  const pending = new Map<number, Pending>();
  const exited = Promise.withResolvers<void>();
  let lastId = 0;
  let crash: Error | undefined;
  let ended: Error | undefined;
  let isFinishing = false;
  if (inBackground) worker.unref();

  const send = (message: ToThread) => worker.postMessage(message);

  function start(method: string, args: readonly unknown[], entry: Pending): number {
    if (ended !== undefined) throw ended;
    const id = ++lastId;
    // This call throws if an argument cannot be sent.
    send({ type: 'call', id, name: method, args });
    pending.set(id, entry);
    if (inBackground) worker.ref();
    return id;
  }

  function remove(id: number): Pending | undefined {
    const entry = pending.get(id);
    pending.delete(id);
    if (inBackground && pending.size === 0 && !isFinishing) worker.unref();
    return entry;
  }

  function end(reason: Error): void {
    ended ??= reason;
    for (const id of [...pending.keys()]) remove(id)?.reject(ended);
  }

  async function close(reason = new Error(`the thread "${name}" was closed`)): Promise<void> {
    end(reason);
    await worker.terminate();
  }

  const abort = () => void close(signal?.reason);
  if (signal?.aborted) abort();
  else signal?.addEventListener('abort', abort, { once: true });

  worker.on('message', (message: FromThread) => {
    if (message.type === 'item') pending.get(message.id)?.onItem(message.value);
    else if (message.type === 'result') remove(message.id)?.resolve(message.value);
    else if (message.type === 'failed') remove(message.id)?.reject(decodeError(message.error));
    else events[message.name]?.(...message.args);
  });
  worker.on('error', (error) => {
    crash = error instanceof Error ? error : new Error(String(error));
  });
  worker.on('exit', (code) => {
    signal?.removeEventListener('abort', abort);
    end(crash ?? new Error(`the thread "${name}" ended with code ${code}`));
    if (crash !== undefined && isFinishing) exited.reject(crash);
    else exited.resolve();
    onEnd?.(ended as Error);
  });

  return {
    startedAt: performance.now(),
    get ended() {
      return ended;
    },
    call(method, ...args) {
      return new Promise((resolve, reject) => {
        start(method, args, { onItem: () => undefined, resolve: resolve as Pending['resolve'], reject });
      });
    },
    post: (method, args) => send({ type: 'call', id: undefined, name: method, args }),
    stream(method, ...args) {
      const inbox = createInbox();
      const id = start(method, args, inbox);
      return receive(inbox, {
        onUsed: () => send({ type: 'used', id }),
        onEnd() {
          if (remove(id) !== undefined) send({ type: 'cancel', id });
        },
      }) as Streamed<Protocol[typeof method]>;
    },
    async finish() {
      isFinishing = true;
      worker.ref();
      send({ type: 'finish' });
      await exited.promise;
    },
    close,
    [Symbol.asyncDispose]: () => close(),
  };
}

/** How the owner of a thread handles the messages of one call or stream. */
interface Pending {
  onItem(value: unknown): void;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** The items of a stream. `onUsed` is called after each item, and `onEnd` even if the reader stops early. */
async function* receive(
  inbox: ReturnType<typeof createInbox>,
  { onUsed, onEnd }: { onUsed(): void; onEnd(): void },
): AsyncGenerator {
  try {
    for (;;) {
      const { value, done } = await inbox.next();
      if (done) return value;
      yield value;
      onUsed();
    }
  } finally {
    onEnd();
  }
}

function createInbox() {
  const arrived: Promise<IteratorResult<unknown>>[] = [];
  let waiting: PromiseWithResolvers<IteratorResult<unknown>> | undefined;
  function put(entry: Promise<IteratorResult<unknown>>): void {
    // Without this handler, an error that is never read would be an unhandled rejection.
    entry.catch(() => undefined);
    if (waiting === undefined) arrived.push(entry);
    else waiting.resolve(entry);
    waiting = undefined;
  }
  return {
    onItem: (value: unknown) => put(Promise.resolve({ value })),
    resolve: (value: unknown) => put(Promise.resolve({ value, done: true })),
    reject: (error: Error) => put(Promise.reject(error)),
    /** The next item; with `done`, the result of the stream. */
    next(): Promise<IteratorResult<unknown>> {
      const first = arrived.shift();
      if (first !== undefined) return first;
      waiting = Promise.withResolvers();
      return waiting.promise;
    },
  } satisfies Pending & { next(): unknown };
}

/**
 * The messages between a thread and its owner. A protocol is an interface: each method is a call, and a method that returns an `AsyncGenerator` is a
 * stream. Only what can be cloned, shared or transferred may be sent.
 */

type CallName<P> = Exclude<keyof P & string, StreamName<P>>;
export type StreamName<P> = {
  [N in keyof P & string]: P[N] extends (...args: never[]) => AsyncGenerator ? N : never;
}[keyof P & string];

export type Arguments<M> = M extends (...args: infer A) => unknown ? A : never;
export type Result<M> = M extends (...args: never[]) => infer R ? Awaited<R> : never;
type Streamed<M> = M extends (...args: never[]) => AsyncGenerator<infer T, infer R> ? AsyncGenerator<T, R> : never;

export type ToThread =
  /** If `id` is undefined, no result is sent. */
  | { readonly type: 'call'; readonly id: number | undefined; readonly name: string; readonly args: readonly unknown[] }
  /** The oldest item of a stream has been used. */
  | { readonly type: 'used'; readonly id: number }
  | { readonly type: 'cancel'; readonly id: number }
  | { readonly type: 'finish' };

export type FromThread =
  | { readonly type: 'item'; readonly id: number; readonly value: unknown }
  /** The result of a call, or of a stream that has ended. */
  | { readonly type: 'result'; readonly id: number; readonly value: unknown }
  | { readonly type: 'failed'; readonly id: number; readonly error: SentError }
  | { readonly type: 'event'; readonly name: string; readonly args: readonly unknown[] };

/** An error as data, because classes and their fields do not cross threads. */
interface SentError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  /** Further fields, such as `code` of system errors. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The fields of a `Failure`. */
  readonly failure: { readonly code: ErrorCode; readonly headers: Readonly<Record<string, string>> } | undefined;
  readonly cause: SentError | undefined;
}

export function encodeError(error: unknown): SentError {
  if (!(error instanceof Error)) return encodeError(new Error(String(error)));
  const { name, message, stack, cause } = error;
  const failure = error instanceof Failure ? { code: error.code, headers: error.headers } : undefined;
  const fields = Object.fromEntries(
    Object.entries(error).filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value)),
  );
  return { name, message, stack, fields, failure, cause: cause === undefined ? undefined : encodeError(cause) };
}

/** Recreates a `Failure`, or an error with the name, message, stack and fields of the original. */
function decodeError({ name, message, stack, fields, failure, cause: sent }: SentError): Error {
  const cause = sent && decodeError(sent);
  if (failure !== undefined) return new Failure(failure.code, { message, headers: failure.headers, cause });
  const error = new Error(message, cause && { cause });
  return Object.assign(error, fields, { name, stack });
}
