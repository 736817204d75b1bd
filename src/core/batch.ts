/**
 * Requests that arrive together share one statement. Whatever is asked for in one turn of the event loop goes into one
 * run: `setImmediate` comes after the loop has read every socket that had something, while a microtask would run after
 * each of them and see one request at a time. Nothing waits for a timer, so a request that is alone loses no time.
 */
export interface BatchOptions {
  /** Items of one run; what is over goes into another. */
  readonly most: number;
}

/**
 * `run` gets the items in the order they came, the same one as often as it was asked for, and answers each at its
 * place. When it fails, everybody in that run gets its error.
 */
export function createBatch<I, O>(
  run: (items: readonly I[]) => Promise<readonly O[]>,
  { most }: BatchOptions,
): (item: I) => Promise<O> {
  let waiting: Waiting<I, O>[] = [];

  function flush(): void {
    const all = waiting;
    waiting = [];
    for (let start = 0; start < all.length; start += most) void answer(all.slice(start, start + most));
  }

  async function answer(callers: readonly Waiting<I, O>[]): Promise<void> {
    try {
      const results = await run(callers.map(({ item }) => item));
      // One answer too few would give everybody behind it that of somebody else.
      if (results.length !== callers.length) {
        throw new Error(`a batch of ${callers.length} got ${results.length} answers`);
      }
      for (const [index, { resolve }] of callers.entries()) resolve(results[index] as O);
    } catch (error) {
      for (const { reject } of callers) reject(error);
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      if (waiting.push({ item, resolve, reject }) === 1) setImmediate(flush);
    });
}

interface Waiting<I, O> {
  readonly item: I;
  resolve(result: O): void;
  reject(error: unknown): void;
}
