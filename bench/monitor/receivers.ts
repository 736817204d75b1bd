import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** Receivers of webhooks that note when something arrives. */
export interface Receivers extends AsyncDisposable {
  readonly urls: readonly string[];
  /** When each webhook arrived at each receiver, epoch ms. */
  readonly arrived: readonly (readonly number[])[];
}

/** The last ones, `hanging` of them, never answer. */
export async function startReceivers(count: number, hanging: number): Promise<Receivers> {
  const worker = new Worker(new URL('receivers-worker.ts', import.meta.url), { workerData: { count, hanging } });
  const [{ ports }] = (await once(worker, 'message')) as [{ ports: readonly number[] }];
  const arrived = ports.map((): number[] => []);
  worker.on('message', ({ index, at }: { index: number; at: number }) => void arrived[index]?.push(at));
  return {
    urls: ports.map((port) => `http://127.0.0.1:${port}`),
    arrived,
    async [Symbol.asyncDispose]() {
      await worker.terminate();
    },
  };
}
