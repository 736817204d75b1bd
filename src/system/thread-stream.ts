/** What the owner of a thread does with the messages of one call or stream. */
export interface Pending {
  onItem(value: unknown): void;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** The items of a stream. `onUsed` is called after each, and `onEnd` also if the reader stops early. */
export async function* receive(
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

/** Keeps what arrives before it is asked for. */
export function createInbox() {
  const arrived: Promise<IteratorResult<unknown>>[] = [];
  let waiting: PromiseWithResolvers<IteratorResult<unknown>> | undefined;
  function put(entry: Promise<IteratorResult<unknown>>): void {
    // An error that is never asked for is not unhandled.
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
