import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Db } from '../../../db/db.ts';
import type { Location } from '../../../db/open.ts';
import { readVersion } from '../../../db/version.ts';
import { dumpEntities } from '../../store.ts';
import type { DocSet } from '../sets.ts';
import type { AssistantMessage, AssistantTask, BroadInput } from './assistant-messages.ts';
import { findInWords } from './broad.ts';
import { type Chunk, copyChunk, viewChunk } from './chunk.ts';
import { type Order, settleOrder } from './order.ts';
import { rowColumns } from './rows.ts';
import { type Suffixes, sortSuffixes, type Vocabulary } from './suffixes.ts';
import { layOutTexts, type TextColumns } from './text-columns.ts';
import { addTextRows, createTextRows } from './text-rows.ts';

/**
 * The work of a build that a second thread can do: it reads the store and keeps the texts of the rows, while the first
 * thread numbers words and values; then it sorts suffixes, lays out the texts and finds broad fragments inside words,
 * while the first thread indexes words and values. The methods are called in this order, and each may be called before the results of the others are there.
 */
export interface Assistant {
  /** Calls `work` with the rows and the version of the data. A chunk is valid until the next one is asked for. */
  read<T>(work: (version: string, chunks: AsyncIterable<Chunk>) => Promise<T>): Promise<T>;
  sortSuffixes(vocabulary: Vocabulary): Promise<Suffixes>;
  /** Sorts the documents with the same folded name, in place. */
  settle(order: Order): Promise<void>;
  /** In the order that was settled. */
  layOutTexts(): Promise<TextColumns>;
  findInWords(input: BroadInput): Promise<Map<string, DocSet>>;
  close(): Promise<void>;
}

type Source = <T>(work: (version: string, chunks: AsyncIterable<Uint8Array>) => Promise<T>) => Promise<T>;

/** Does everything in the calling thread. */
export function createNoAssistant(source: Source): Assistant {
  const rows = createTextRows();
  let settled: Uint32Array = new Uint32Array(0);
  async function* keepTexts(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Chunk> {
    for await (const bytes of chunks) {
      const chunk = copyChunk(bytes);
      addTextRows(rows, chunk);
      yield chunk;
    }
  }
  return {
    read: (work) => source((version, chunks) => work(version, keepTexts(chunks))),
    sortSuffixes: async (vocabulary) => sortSuffixes(vocabulary),
    async settle(order) {
      settleOrder(order, rows);
      settled = order.rows;
    },
    layOutTexts: async () => layOutTexts(rows, settled),
    findInWords: async ({ arrays, docCount, threshold }) => findInWords(arrays, docCount, threshold),
    close: async () => undefined,
  };
}

export function readFrom(db: Db): Source {
  return (work) => db.snapshot(async (view) => work(await readVersion(view), dumpEntities(view, rowColumns)));
}

/** How many chunks may be in transit: limits memory when the first thread is slower than the second. */
const MAX_CHUNKS_AHEAD = 8;

export function createAssistant({ databaseUrl, dataDir }: Pick<Location, 'databaseUrl' | 'dataDir'>): Assistant {
  const workerData = { databaseUrl, dataDir };
  const worker = new Worker(new URL('assistant-worker.ts', import.meta.url), { workerData });
  const messages = on(worker, 'message', { close: ['exit'] })[Symbol.asyncIterator]();
  const send = (task: AssistantTask) => worker.postMessage(task);

  async function receive(): Promise<AssistantMessage> {
    const { value, done } = await messages.next();
    if (done) throw new Error('the second thread of the search index stopped');
    return value[0];
  }

  async function receiveResult<Type extends AssistantMessage['type']>(type: Type) {
    const message = await receive();
    if (message.type !== type) throw new Error(`the second thread sent ${message.type} instead of ${type}`);
    return message as Extract<AssistantMessage, { type: Type }>;
  }

  async function* receiveChunks(): AsyncGenerator<Chunk> {
    for (;;) {
      const message = await receive();
      if (message.type !== 'chunk') return;
      yield viewChunk(message.buffer, message.length);
      send({ type: 'more', buffer: message.buffer });
    }
  }

  return {
    async read(work) {
      for (let ahead = 0; ahead < MAX_CHUNKS_AHEAD; ahead++) send({ type: 'more', buffer: new SharedArrayBuffer(0) });
      const { version } = await receiveResult('version');
      return work(version, receiveChunks());
    },
    async sortSuffixes(vocabulary) {
      send({ type: 'suffixes', vocabulary });
      return (await receiveResult('suffixes')).suffixes;
    },
    async settle(order) {
      send({ type: 'order', order });
      await receiveResult('order');
    },
    async layOutTexts() {
      send({ type: 'texts' });
      return (await receiveResult('texts')).columns;
    },
    async findInWords(input) {
      send({ type: 'broad', input });
      return (await receiveResult('broad')).found;
    },
    async close() {
      await worker.terminate();
    },
  };
}
