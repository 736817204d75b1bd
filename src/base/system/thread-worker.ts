import { parentPort, type Transferable, workerData } from 'node:worker_threads';
import { type Arguments, encodeError, type FromThread, type Result, type StreamName, type ToThread } from './thread.ts';

/** The thread's side of `thread.ts`. Calls run concurrently while their methods wait. */
export type Methods<Protocol> = {
  [N in keyof Protocol]: N extends StreamName<Protocol>
    ? (...args: Arguments<Protocol[N]>) => Items<Protocol[N]>
    : (...args: Arguments<Protocol[N]>) => Deliverable<Result<Protocol[N]>> | Promise<Deliverable<Result<Protocol[N]>>>;
};

type Items<M> = M extends (...args: never[]) => AsyncGenerator<infer T, infer R>
  ? AsyncGenerator<Deliverable<T>, Deliverable<R>>
  : never;

export type Deliverable<T> = T | Delivery<T>;

/** A value, with the buffers to move when it is sent. */
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
  /** Whether a call that throws ends the thread. */
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

interface Stream {
  readonly items: AsyncGenerator;
  onUsed(): void;
}

/** Serves calls until the owner calls `finish`. Then the promise resolves, and the thread ends when nothing else keeps it alive. */
export function serveThread<Protocol>(
  methods: Methods<Protocol>,
  { maxAhead = MAX_AHEAD, crashesOnError = false }: ServeOptions = {},
): Promise<void> {
  const running = new Set<Promise<void>>();
  const streams = new Map<number, Stream>();
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
    streams.set(id, { items, onUsed });
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
    const stream = streams.get(id);
    streams.delete(id);
    stream?.onUsed();
  }

  async function finish(): Promise<void> {
    while (running.size > 0) await Promise.all(running);
    // After this, the thread can still send events.
    parentPort?.unref();
    finished.resolve();
  }

  parentPort?.on('message', (message: ToThread) => {
    if (message.type === 'used') streams.get(message.id)?.onUsed();
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
