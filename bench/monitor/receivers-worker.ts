import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

/** Receivers of webhooks in a thread of their own, so that their processor time is not that of sending. The last ones never answer. */
const { count, hanging }: { count: number; hanging: number } = workerData;

const ports: number[] = [];
for (let index = 0; index < count; index++) {
  const server = createServer((request, response) => {
    parentPort?.postMessage({ index, at: performance.timeOrigin + performance.now() });
    request.resume();
    if (index < count - hanging) response.writeHead(204).end();
  });
  // The sender shares the process with imports, which block it.
  server.keepAliveTimeout = 60_000;
  await once(server.listen(0, '127.0.0.1'), 'listening');
  ports.push((server.address() as AddressInfo).port);
}
parentPort?.postMessage({ ports });
