import { parentPort, workerData } from 'node:worker_threads';
import { createLog } from '../observability/log.ts';
import { CACHE_BYTES } from '../search/memory/answer/engine.ts';
import { createHandedSearch } from '../search/memory/served-index.ts';
import { openServices } from '../services.ts';
import { type Here, serveHere } from './front.ts';
import { createLineCollector } from './line-collector.ts';
import type { FromThread, Questions, ThreadTask, ToThread } from './messages.ts';

/** A serving thread: services of its own, the index and a few counters shared, and what the supervisor asks of it. */
if (parentPort === null) throw new Error('this file runs as a worker thread');
const port = parentPort;
const { number, of, config, shared } = workerData as ThreadTask;
const send = (message: FromThread) => port.postMessage(message);

/** Of all threads together, to each store. */
const MOST_CONNECTIONS = 20;

const lines = createLineCollector((text) => send({ type: 'log', lines: text }));
process.on('exit', lines.flush);
const { log } = createLog(config.logLevel, lines, { worker: number });
const search = config.searchEngine === 'memory' ? createHandedSearch({ cacheBytes: CACHE_BYTES / of }) : undefined;
const poolSize = Math.max(2, Math.ceil(MOST_CONNECTIONS / of));
const services = openServices(config, { log, thread: { shared, search, poolSize } });
let front: Here | undefined;
let isOpen = false;

const answers: { [Q in keyof Questions]: (...given: Parameters<Questions[Q]>) => Promise<ReturnType<Questions[Q]>> } = {
  use: async (index) => search?.use(index),
  prepare: () => services.prepare(),
  async open() {
    isOpen = true;
    await front?.open();
  },
  async listen(from) {
    front = await serveHere({ config, services, from });
    if (isOpen) await front.open();
    return front.url;
  },
  report: () => services.metrics.report(),
  async drain() {
    const clean = (await front?.drain()) ?? true;
    await services.close();
    lines.flush();
    return clean;
  },
};

// A question that cannot be answered ends the thread: the supervisor decides what follows.
port.on('message', async (message: ToThread) => {
  if ('socket' in message) return front?.take(message.socket);
  const { id, question, parameters } = message;
  const answer = await (answers[question] as (...given: readonly unknown[]) => Promise<unknown>)(...parameters);
  send({ type: 'answer', id, answer });
});
