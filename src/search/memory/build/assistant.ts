import type { Db } from '../../../base/db/db.ts';
import type { StorePlace } from '../../../base/db/open.ts';
import { findVersion } from '../../../base/db/version.ts';
import { openThread } from '../../../base/system/thread.ts';
import { dumpEntities } from '../../store.ts';
import { findBroadWords } from './broad-words.ts';
import { type Chunk, copyChunk, rowColumns, viewChunk } from './chunk.ts';
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
  /** Calls `work` with the rows and the version of the data. A chunk is valid until the next chunk is requested. */
  read<T>(work: (version: string, chunks: AsyncIterable<Chunk>) => Promise<T>): Promise<T>;
  call<N extends keyof TextFunctions>(
    name: N,
    ...args: Parameters<TextFunctions[N]>
  ): Promise<ReturnType<TextFunctions[N]>>;
  close(): Promise<void>;
}

type Source = <T>(work: (version: string, chunks: AsyncIterable<Uint8Array>) => Promise<T>) => Promise<T>;

/** Creates an assistant that does all work in the calling thread. */
export function createNoAssistant(source: Source): Assistant {
  const { add, functions } = createTextWork();
  async function* keepTexts(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Chunk> {
    let chunk: Chunk | undefined;
    for await (const bytes of chunks) {
      chunk = copyChunk(bytes, chunk);
      add(chunk);
      yield chunk;
    }
  }
  return {
    read: (work) => source((version, chunks) => work(version, keepTexts(chunks))),
    call: async (name, ...args) => (functions[name] as (...args: readonly unknown[]) => never)(...args),
    close: async () => undefined,
  };
}

export function readFrom(db: Db): Source {
  return (work) => db.snapshot(async (view) => work(await findVersion(view), dumpEntities(view, rowColumns)));
}

/** The functions of `assistant-worker.ts`. The buffer of a chunk is reused after the chunk was used. */
export interface AssistantThread extends TextFunctions {
  findVersion(): Promise<string>;
  read(): AsyncGenerator<{ readonly buffer: SharedArrayBuffer; readonly length: number }>;
}

export function createAssistant({ databaseUrl, dataDir, timeLimits }: StorePlace): Assistant {
  const script = new URL('assistant-worker.ts', import.meta.url);
  const thread = openThread<AssistantThread>(script, {
    name: 'search index 2',
    data: { databaseUrl, dataDir, timeLimits },
  });

  async function* readChunks(): AsyncGenerator<Chunk> {
    for await (const { buffer, length } of thread.stream('read')) yield viewChunk(buffer, length);
  }

  return {
    read: async (work) => work(await thread.call('findVersion'), readChunks()),
    call: thread.call as Assistant['call'],
    close: () => thread.close(),
  };
}
