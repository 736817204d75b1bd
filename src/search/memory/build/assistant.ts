import type { StorePlace } from '../../../base/db/open.ts';
import { openThread } from '../../../base/system/thread.ts';
import { findBroadWords } from './broad.ts';
import { type Chunk, copyChunk, viewChunk } from './chunk.ts';
import { type Order, sortEqualNames } from './order.ts';
import { sortSuffixes } from './suffixes.ts';
import { addTextRows, createTextRows, layOutTexts } from './texts.ts';

/**
 * The work of a build that a second thread can do: it reads the store and keeps the texts of the rows, while the first
 * thread numbers words and values; then it sorts suffixes, lays out the texts and finds broad fragments inside words,
 * while the first thread indexes words and values. The functions are called in this order, and each may be called before the
 * previous functions have returned their results.
 */
export function createTextWork() {
  const rows = createTextRows();
  let sorted: Uint32Array = new Uint32Array(0);
  const functions = {
    sortSuffixes,
    /** Sorts documents with equal folded names by name and id, in place. */
    sortEqualNames(order: Order): void {
      sortEqualNames(order, rows);
      sorted = order.rows;
    },
    /** Lays out the texts in the order that `sortEqualNames` has completed. */
    layOutTexts: (threshold: number) => layOutTexts(rows, sorted, threshold),
    findBroadWords,
  };
  return { add: (chunk: Chunk) => addTextRows(rows, chunk), functions };
}
export type TextFunctions = ReturnType<typeof createTextWork>['functions'];

export interface Assistant {
  /** Calls `use` with all rows, some at a time, and returns the version of the data. A chunk is valid only during the call. */
  read(use: (chunk: Chunk) => void): Promise<string>;
  call<N extends keyof TextFunctions>(
    name: N,
    ...args: Parameters<TextFunctions[N]>
  ): Promise<ReturnType<TextFunctions[N]>>;
  close(): Promise<void>;
}

/** Creates an assistant that does all work in the calling thread. */
export function createNoAssistant(version: string, chunks: AsyncIterable<Uint8Array>): Assistant {
  const { add, functions } = createTextWork();
  return {
    async read(use) {
      let chunk: Chunk | undefined;
      for await (const bytes of chunks) {
        chunk = copyChunk(bytes, chunk);
        add(chunk);
        use(chunk);
      }
      return version;
    },
    call: async (name, ...args) => (functions[name] as (...args: readonly unknown[]) => never)(...args),
    close: async () => undefined,
  };
}

/** The functions of `assistant-worker.ts`. */
export interface AssistantThread extends TextFunctions {
  findVersion(): Promise<string>;
  read(): AsyncGenerator<{ readonly buffer: ArrayBuffer; readonly length: number }>;
}

export function createAssistant({ databaseUrl, dataDir, timeLimits }: StorePlace): Assistant {
  const script = new URL('assistant-worker.ts', import.meta.url);
  const thread = openThread<AssistantThread>(script, {
    name: 'search index 2',
    data: { databaseUrl, dataDir, timeLimits },
  });
  return {
    async read(use) {
      const version = await thread.call('findVersion');
      for await (const { buffer, length } of thread.stream('read')) use(viewChunk(buffer, length));
      return version;
    },
    call: thread.call as Assistant['call'],
    close: () => thread.close(),
  };
}
