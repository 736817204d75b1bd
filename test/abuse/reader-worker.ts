import { parentPort } from 'node:worker_threads';

/** A client in a thread of its own, so that its work does not count as work of the server. */
export interface ReadTask {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface ReadResult {
  readonly status: number;
  /** After decompression. */
  readonly bytes: number;
}

parentPort?.on('message', async ({ url, headers }: ReadTask) => {
  const reply = await fetch(url, { headers });
  const body = await reply.arrayBuffer();
  parentPort?.postMessage({ status: reply.status, bytes: body.byteLength } satisfies ReadResult);
});
