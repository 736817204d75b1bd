import { parentPort, workerData } from 'node:worker_threads';
import { createInventor } from './entities.ts';

/** Invents the next batch of companies on every message, and replies with all their texts joined, which is cheap to send. */
const BATCH = 2_000;

const rows: number = workerData.rows;
const invent = createInventor(rows);
let serial = 0;
parentPort?.on('message', () => {
  const texts: string[] = [];
  for (let count = 0; count < BATCH && serial < rows; count++) texts.push(...invent(++serial));
  parentPort?.postMessage(texts.join('\0'));
});
