/**
 * Lets requests that arrive together share one statement. All calls in one turn of the event loop form a batch: `setImmediate`
 * runs after the loop has read every socket with data, while a microtask would run after each socket and see one request at a
 * time. There is no timer, so a single request is not delayed.
 */
export interface BatchOptions {
  /** Maximum number of items in a batch. */
  readonly maxSize: number;
  /** Maximum number of batches that run at the same time. Items that arrive meanwhile wait and share the next batch. Default:
   *  unlimited. */
  readonly concurrency?: number;
}

/**
 * `run` gets the items in the order of the calls, duplicates included, and returns one result per item in the same order. If it
 * fails, every caller in the batch gets the error.
 */
export function createBatch<I, O>(
  run: (items: readonly I[]) => Promise<readonly O[]>,
  { maxSize, concurrency = Number.POSITIVE_INFINITY }: BatchOptions,
): (item: I) => Promise<O> {
  const waiting: Waiting<I, O>[] = [];
  let running = 0;

  function flush(): void {
    while (waiting.length > 0 && running < concurrency) {
      running++;
      void answer(waiting.splice(0, maxSize)).finally(() => {
        // Items that arrived while all slots were busy are still waiting. All others have a flush scheduled already.
        if (running-- === concurrency && waiting.length > 0) setImmediate(flush);
      });
    }
  }

  async function answer(callers: readonly Waiting<I, O>[]): Promise<void> {
    try {
      const results = await run(callers.map(({ item }) => item));
      // With a result too few, callers would get the results of other callers.
      if (results.length !== callers.length) {
        throw new Error(`a batch of ${callers.length} items returned ${results.length} results`);
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
