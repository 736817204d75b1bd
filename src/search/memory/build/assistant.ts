import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Db } from '../../../db/db.ts';
import type { Location } from '../../../db/open.ts';
import { dumpEntities, readVersion } from '../../store.ts';
import type { AssistantMessage, AssistantTask } from './assistant-worker.ts';
import { type ColumnInput, type Columns, layOutColumns } from './columns.ts';

/**
 * What a build can leave to a second thread: reading the store while the first takes the rows apart, and laying out the
 * columns while the first indexes the words. Five million entities took 26 s instead of 36 s.
 */
export interface Assistant {
  /** The rows and the version they are of. */
  read<T>(work: (version: string, chunks: AsyncIterable<Uint8Array>) => Promise<T>): Promise<T>;
  /** Takes the arrays of the input over: they are gone afterwards. */
  layOut(input: ColumnInput, order: Uint32Array): Promise<Columns>;
  close(): Promise<void>;
}

/** Does everything in the calling thread. */
export function createNoAssistant(db: Db): Assistant {
  return {
    read: (work) => db.snapshot(async (view) => work(await readVersion(view), dumpEntities(view))),
    layOut: async (input, order) => layOutColumns(input, order),
    close: async () => undefined,
  };
}

/** Chunks that may be on their way: bounds memory when taking rows apart is the slower part. */
const AHEAD = 8;

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
      for (let ahead = 0; ahead < AHEAD; ahead++) send({ type: 'more' });
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
