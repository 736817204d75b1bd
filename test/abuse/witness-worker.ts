/** The thread of `witness.ts`. */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { Sample } from './witness.ts';

const { url, key } = workerData as { url: string; key: string | undefined };
const LIVE = '/api/v1/health/live';
const PAUSE_MS = 10;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const samples: Sample[] = [];
let isRunning = true;

function ask(path: string): Promise<Sample> {
  return new Promise((resolve) => {
    const sentAt = performance.now();
    const end = (status: number) => resolve({ status, ms: performance.now() - sentAt });
    const headers = key === undefined ? {} : { 'x-api-key': key };
    const sending = request(url + path, { agent, headers, timeout: 60_000 }, (response) => {
      response.resume();
      response.on('close', () => end(response.complete ? (response.statusCode ?? 0) : 0));
    });
    sending.on('timeout', () => sending.destroy());
    sending.on('error', () => end(0));
    sending.end();
  });
}

parentPort?.once('message', () => {
  isRunning = false;
});
// Opens the connection. This request is not counted, so it must not be one that is charged.
await ask(LIVE);
parentPort?.postMessage('started');
for (let count = 0; isRunning; count++) {
  samples.push(await ask(key !== undefined && count % 2 === 0 ? '/api/v1/entities?q=a' : LIVE));
  await sleep(PAUSE_MS);
}
agent.destroy();
parentPort?.postMessage(samples);
