/**
 * Requests that arrive together share one statement. Whatever is asked for in one turn of the event loop goes into one
 * run: `setImmediate` comes after the loop has read every socket that had something, while a microtask would run after
 * each of them and see one request at a time. Nothing waits for a timer, so a request that is alone loses no time.
 */
export interface BatchOptions {
  /** Items of one run; what is over goes into another. */
  readonly most: number;
  /** Runs under way at once; what arrives when there are so many waits, and goes together into the next. Default: any. */
  readonly atOnce?: number;
}

/**
 * `run` gets the items in the order they came, the same one as often as it was asked for, and answers each at its
 * place. When it fails, everybody in that run gets its error.
 */
export function createBatch<I, O>(
  run: (items: readonly I[]) => Promise<readonly O[]>,
  { most, atOnce = Number.POSITIVE_INFINITY }: BatchOptions,
): (item: I) => Promise<O> {
  const waiting: Waiting<I, O>[] = [];
  let running = 0;

  function flush(): void {
    while (waiting.length > 0 && running < atOnce) {
      running++;
      void answer(waiting.splice(0, most)).finally(() => {
        // Those who found all runs taken are still waiting; everybody else has a flush coming.
        if (running-- === atOnce && waiting.length > 0) setImmediate(flush);
      });
    }
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
