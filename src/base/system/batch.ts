/**
 * Lets requests that arrive together share one statement. All calls in one turn of the event loop form a batch: `setImmediate`
 * runs after the loop has read every socket with data, while a microtask would run after each socket and see one request at a
 * time. There is no timer, so a single request is not delayed.
 */
interface BatchOptions {
  readonly maxSize: number;
  /** Maximum number of batches that run at the same time. Items that arrive meanwhile wait and share the next batch. Default:
   *  unlimited. */
  readonly concurrency?: number;
  /** Whether callers come one after the other in the same task. Then the batch does not wait for the end of the turn of the event loop. */
  readonly inBursts?: boolean;
}

/** `run` gets the items in the order of the calls, and returns one result per item in this order. If it fails, all callers get the error. */
export function createBatch<I, O>(run: RunBatch<I, O>, options: BatchOptions): (item: I) => Promise<O> {
  const queue = createQueue(run, options);
  return (item) => new Promise((resolve, reject) => queue({ item, resolve, reject }));
}

type RunBatch<I, O> = (items: readonly I[]) => Promise<readonly O[]>;

interface BatchCaller<I, O> {
  readonly item: I;
  /** If `resolve` or `reject` throws, the other callers still get their results, and the error is uncaught. */
  resolve(result: O): void;
  reject(error: unknown): void;
}

/** Like `createBatch`, with callbacks, for requests that are answered without a promise. */
export function createQueue<I, O>(
  run: RunBatch<I, O>,
  { maxSize, concurrency = Number.POSITIVE_INFINITY, inBursts = false }: BatchOptions,
): (waiting: BatchCaller<I, O>) => void {
  let waiting: BatchCaller<I, O>[] = [];
  let running = 0;

  function flush(): void {
    while (waiting.length > 0 && running < concurrency) {
      running++;
      const callers = waiting.length <= maxSize ? waiting : waiting.slice(0, maxSize);
      waiting = waiting.length <= maxSize ? [] : waiting.slice(maxSize);
      void answer(callers);
    }
  }

  async function answer(callers: readonly BatchCaller<I, O>[]): Promise<void> {
    let settle: (caller: BatchCaller<I, O>, index: number) => void;
    try {
      const results = await run(callers.map(({ item }) => item));
      // If a result were missing, callers would get the results of other callers.
      if (results.length !== callers.length) {
        throw new Error(`a batch of ${callers.length} items returned ${results.length} results`);
      }
      settle = ({ resolve }, index) => resolve(results[index] as O);
    } catch (error) {
      settle = ({ reject }) => reject(error);
    }
    release();
    for (const [index, caller] of callers.entries()) {
      try {
        settle(caller, index);
      } catch (thrown) {
        queueMicrotask(() => {
          throw thrown;
        });
      }
    }
  }

  /**
   * Items that arrived while all slots were busy are still waiting. For all other items, a flush is already scheduled. The next batch starts before
   * the callers of this one are answered, so that a database on another machine works meanwhile.
   */
  function release(): void {
    if (running-- === concurrency) flush();
  }

  return (caller) => {
    if (waiting.push(caller) > 1) return;
    if (inBursts) queueMicrotask(flush);
    else setImmediate(flush);
  };
}
