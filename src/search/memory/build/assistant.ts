import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Db } from '../../../db/db.ts';
import type { Location } from '../../../db/open.ts';
import { readVersion } from '../../../db/version.ts';
import { dumpEntities } from '../../store.ts';
import type { AssistantMessage, AssistantTask } from './assistant-messages.ts';
import { type ColumnInput, type Columns, layOutColumns } from './columns.ts';
import { rowColumns } from './rows.ts';

/**
 * The work of a build that a second thread can do: reading the store while the first thread parses the rows, and laying
 * out the columns while the first thread indexes the words. Five million entities take 26 s with it and 36 s without.
 */
export interface Assistant {
  /** Calls `work` with the rows and the version of the data. */
  read<T>(work: (version: string, chunks: AsyncIterable<Uint8Array>) => Promise<T>): Promise<T>;
  /** May transfer the arrays of the input to another thread: the caller must not use them afterwards. */
  layOut(input: ColumnInput, order: Uint32Array): Promise<Columns>;
  close(): Promise<void>;
}

/** Does everything in the calling thread. */
export function createNoAssistant(db: Db): Assistant {
  return {
    read: (work) => db.snapshot(async (view) => work(await readVersion(view), dumpEntities(view, rowColumns))),
    layOut: async (input, order) => layOutColumns(input, order),
    close: async () => undefined,
  };
}

/** How many chunks may be in transit: limits memory when parsing is slower than reading. */
const MAX_CHUNKS_AHEAD = 8;

export function createAssistant({ databaseUrl, dataDir }: Pick<Location, 'databaseUrl' | 'dataDir'>): Assistant {
  const workerData = { databaseUrl, dataDir };
  const worker = new Worker(new URL('assistant-worker.ts', import.meta.url), { workerData });
  const messages = on(worker, 'message', { close: ['exit'] })[Symbol.asyncIterator]();
  const send = (task: AssistantTask, transfer: ArrayBuffer[] = []) => worker.postMessage(task, transfer);

  async function receive(): Promise<AssistantMessage> {
    const { value, done } = await messages.next();
    if (done) throw new Error('the second thread of the search index stopped');
    return value[0];
  }

  async function* receiveChunks(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const message = await receive();
      if (message.type !== 'chunk') return;
      send({ type: 'more' });
      yield message.bytes;
    }
  }

  return {
    async read(work) {
      for (let ahead = 0; ahead < MAX_CHUNKS_AHEAD; ahead++) send({ type: 'more' });
      const first = await receive();
      return work(first.type === 'version' ? first.version : '', receiveChunks());
    },
    async layOut(input, order) {
      send({ type: 'columns', input, order }, listBuffers(input));
      const message = await receive();
      if (message.type !== 'columns') throw new Error(`the second thread sent ${message.type} instead of columns`);
      return message.columns;
    },
    async close() {
      await worker.terminate();
    },
  };
}

function listBuffers(value: object): ArrayBuffer[] {
  return Object.values(value).flatMap((inner: unknown) => {
    if (ArrayBuffer.isView(inner)) return [inner.buffer as ArrayBuffer];
    return typeof inner === 'object' && inner !== null ? listBuffers(inner) : [];
  });
}
