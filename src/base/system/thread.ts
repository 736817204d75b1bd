import { parentPort, type ResourceLimits, type Transferable, Worker, workerData } from 'node:worker_threads';
import { type ErrorCode, Failure } from '../errors.ts';

/**
 * The owner's side of a worker thread; `serveThread` is the thread's side. `Protocol` is an interface: each method is a call, and a method that
 * returns an `AsyncGenerator` is a stream. Only what can be cloned, shared or transferred may be sent. If the thread crashes, is closed or ends by
 * itself, every call and every stream that is pending fails with the same error.
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
      const arrived: (IteratorResult<unknown> | { readonly error: Error })[] = [];
      let wake = () => {};
      const put = (entry: (typeof arrived)[number]) => {
        arrived.push(entry);
        wake();
      };
      const id = start(method, args, {
        onItem: (value) => put({ value }),
        resolve: (value) => put({ value, done: true }),
        reject: (error) => put({ error }),
      });
      async function* receive(): AsyncGenerator {
        try {
          for (;;) {
            const entry = arrived.shift();
            if (entry === undefined) {
              await new Promise<void>((resolve) => {
                wake = resolve;
              });
            } else if ('error' in entry) throw entry.error;
            else if (entry.done) return entry.value;
            else {
              yield entry.value;
              send({ type: 'used', id });
            }
          }
        } finally {
          // The reader may have stopped early.
          if (remove(id) !== undefined) send({ type: 'cancel', id });
        }
      }
      return receive() as Streamed<Protocol[typeof method]>;
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

interface Pending {
  onItem(value: unknown): void;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

type CallName<P> = Exclude<keyof P & string, StreamName<P>>;
type StreamName<P> = {
  [N in keyof P & string]: P[N] extends (...args: never[]) => AsyncGenerator ? N : never;
}[keyof P & string];

type Arguments<M> = M extends (...args: infer A) => unknown ? A : never;
type Result<M> = M extends (...args: never[]) => infer R ? Awaited<R> : never;
type Streamed<M> = M extends (...args: never[]) => AsyncGenerator<infer T, infer R> ? AsyncGenerator<T, R> : never;

type ToThread =
  /** If `id` is undefined, no result is sent. */
  | { readonly type: 'call'; readonly id: number | undefined; readonly name: string; readonly args: readonly unknown[] }
  | { readonly type: 'used'; readonly id: number }
  | { readonly type: 'cancel'; readonly id: number }
  | { readonly type: 'finish' };

type FromThread =
  | { readonly type: 'item'; readonly id: number; readonly value: unknown }
  /** The result of a call, or of a stream that has ended. */
  | { readonly type: 'result'; readonly id: number; readonly value: unknown }
  | { readonly type: 'failed'; readonly id: number; readonly error: SentError }
  | { readonly type: 'event'; readonly name: string; readonly args: readonly unknown[] };

/** An error as data, because classes and their fields do not cross threads. */
interface SentError {
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly headers: Failure['headers'] | undefined;
  readonly cause: SentError | undefined;
}

function encodeError(error: unknown): SentError {
  if (!(error instanceof Error)) return encodeError(new Error(String(error)));
  const { name, message, stack, cause } = error;
  const plain = Object.entries(error).filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value));
  return {
    message,
    fields: { ...Object.fromEntries(plain), name, stack },
    headers: error instanceof Failure ? error.headers : undefined,
    cause: cause === undefined ? undefined : encodeError(cause),
  };
}

/** Recreates a `Failure`, or an error with the name, message, stack and fields of the original. */
function decodeError({ message, fields, headers, cause: sent }: SentError): Error {
  const cause = sent && decodeError(sent);
  if (headers !== undefined) return new Failure(fields.code as ErrorCode, { message, headers, cause });
  return Object.assign(new Error(message, cause && { cause }), fields);
}

/** The methods of a thread. Calls run concurrently while their methods wait. */
export type Methods<Protocol> = {
  [N in keyof Protocol]: N extends StreamName<Protocol>
    ? (...args: Arguments<Protocol[N]>) => Items<Protocol[N]>
    : (...args: Arguments<Protocol[N]>) => Deliverable<Result<Protocol[N]>> | Promise<Deliverable<Result<Protocol[N]>>>;
};

type Items<M> = M extends (...args: never[]) => AsyncGenerator<infer T, infer R>
  ? AsyncGenerator<Deliverable<T>, Deliverable<R>>
  : never;

export type Deliverable<T> = T | Delivery<T>;

class Delivery<T> {
  readonly value: T;
  readonly transfer: readonly Transferable[];
  readonly weight: number;

  constructor(value: T, transfer: readonly Transferable[], weight: number) {
    this.value = value;
    this.transfer = transfer;
    this.weight = weight;
  }
}

/** Moves buffers to the owner instead of copying them. An item of a stream may count as `weight` items. */
export function deliver<T>(value: T, transfer: readonly Transferable[], weight = 1): Delivery<T> {
  return new Delivery(value, transfer, weight);
}

interface ServeOptions {
  /** How many items of a stream may be sent before the reader has used the first of them. */
  readonly maxAhead?: number;
  readonly crashesOnError?: boolean;
}

const MAX_AHEAD = 4;

export function readThreadData<T>(): T {
  return workerData as T;
}

export function createEmitter<Events>() {
  return <N extends keyof Events & string>(name: N, ...args: Arguments<Events[N]>): void =>
    send({ type: 'event', name, args });
}

function send(message: FromThread, transfer: readonly Transferable[] = []): void {
  if (parentPort === null) throw new Error('this file runs as a worker thread');
  parentPort.postMessage(message, transfer as Transferable[]);
}

/** Serves calls until the owner calls `finish`. Then the promise resolves, and the thread ends when nothing else keeps it alive. */
export function serveThread<Protocol>(
  methods: Methods<Protocol>,
  { maxAhead = MAX_AHEAD, crashesOnError = false }: ServeOptions = {},
): Promise<void> {
  const running = new Set<Promise<void>>();
  /** For each running stream, a function that is called when an item has been used. */
  const streams = new Map<number, () => void>();
  const finished = Promise.withResolvers<void>();

  async function run({ id, name, args }: Extract<ToThread, { type: 'call' }>): Promise<void> {
    try {
      const method = methods[name as keyof Protocol] as (...args: readonly unknown[]) => unknown;
      const result = method(...args);
      const sent = isStream(result) ? await sendItems(id as number, result) : await result;
      if (id !== undefined) sendValue('result', id, sent);
    } catch (error) {
      if (!crashesOnError && id !== undefined) return send({ type: 'failed', id, error: encodeError(error) });
      // The error stays uncaught, so it ends the thread.
      queueMicrotask(() => {
        throw error;
      });
    }
  }

  /** A large item waits until all items before it are used, and delays the items after it. */
  async function sendItems(id: number, items: AsyncGenerator): Promise<unknown> {
    const unused: number[] = [];
    let ahead = 0;
    let wake = () => {};
    const onUsed = () => {
      ahead -= unused.shift() ?? 0;
      wake();
    };
    streams.set(id, onUsed);
    try {
      for (;;) {
        const { value, done } = await items.next();
        if (done) return value;
        const weight = value instanceof Delivery ? Math.min(value.weight, maxAhead) : 1;
        while (ahead + weight > maxAhead && streams.has(id)) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        if (!streams.has(id)) return undefined;
        ahead += weight;
        unused.push(weight);
        sendValue('item', id, value);
      }
    } finally {
      streams.delete(id);
      await items.return(undefined);
    }
  }

  function cancel(id: number): void {
    const wake = streams.get(id);
    streams.delete(id);
    wake?.();
  }

  async function finish(): Promise<void> {
    while (running.size > 0) await Promise.all(running);
    // After this, the thread can still send events.
    parentPort?.unref();
    finished.resolve();
  }

  parentPort?.on('message', (message: ToThread) => {
    if (message.type === 'used') streams.get(message.id)?.();
    else if (message.type === 'cancel') cancel(message.id);
    else if (message.type === 'finish') void finish();
    else {
      const call = run(message).finally(() => running.delete(call));
      running.add(call);
    }
  });
  return finished.promise;
}

function isStream(value: unknown): value is AsyncGenerator {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

function sendValue(type: 'item' | 'result', id: number, sent: unknown): void {
  if (sent instanceof Delivery) send({ type, id, value: sent.value }, sent.transfer);
  else send({ type, id, value: sent });
}
