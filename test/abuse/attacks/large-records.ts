import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Engine } from '../../harness/databases.ts';
import { importLargeCompany } from '../../harness/large-company.ts';
import { measureLongestTurn } from '../../harness/longest-turn.ts';
import { startService } from '../../harness/service.ts';
import type { Attack } from '../attack.ts';
import type { ReadResult, ReadTask } from '../reader-worker.ts';

/** The largest companies of the two registers have about 6,000 and 2,000 establishments. One case has three times as many. */
const COMPANIES = [
  ['br', 6_000],
  ['br', 20_000],
  ['be', 2_000],
] as const;
const FIRST = 'API';
const ROUNDS = 5;
const MAX_TURN_MS = 20;
const MAX_PAGE_BYTES = 400_000;

/** Requests a large record in every form and measures the longest turn of the server's event loop. */
async function readLarge(engine: Engine, country: 'br' | 'be', establishments: number) {
  await using service = await startService(engine);
  const id = await importLargeCompany(service, country, establishments);
  const apiKey = { 'x-api-key': await service.createKey() };
  const { cookie = '' } = (await service.signIn()).headers;
  const worker = new Worker(new URL('../reader-worker.ts', import.meta.url));
  async function read(path: string, headers: Record<string, string>): Promise<ReadResult> {
    worker.postMessage({ url: service.url + path, headers } satisfies ReadTask);
    const [result] = await once(worker, 'message');
    return result;
  }
  const list = `/entities/${id}?list=/registry/establishments`;
  const requests: readonly [name: string, path: string, headers: Record<string, string>][] = [
    [FIRST, `/api/v1/entities/${id}`, { ...apiKey, 'accept-encoding': 'identity' }],
    ['again', `/api/v1/entities/${id}`, { ...apiKey, 'accept-encoding': 'identity' }],
    ['gzip', `/api/v1/entities/${id}`, { ...apiKey, 'accept-encoding': 'gzip' }],
    ['br', `/api/v1/entities/${id}`, { ...apiKey, 'accept-encoding': 'br' }],
    ['page', `/entities/${id}`, { cookie }],
    ['list', `${list}&page=${Math.floor(establishments / 50)}`, { cookie }],
    ['registrations', `/entities/${id}?list=/registrations&page=2`, { cookie }],
  ];
  const turns: string[] = [];
  let held = true;
  let bytes = 0;
  try {
    // Starts the client and compiles the code of both sides.
    for (const [, path, headers] of requests) await read(path, headers);
    for (const [name, path, headers] of requests) {
      const measured: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        // A new version of the data, so that the body does not come from memory.
        if (name === FIRST) await service.services.registryDb.run('UPDATE generation SET generation = generation + 1');
        const turn = await measureLongestTurn(async () => {
          const result = await read(path, headers);
          bytes = Math.max(bytes, result.bytes);
          const isPage = 'cookie' in headers;
          held &&= result.status === 200 && (!isPage || result.bytes < MAX_PAGE_BYTES);
        });
        measured.push(turn);
      }
      // The median: a garbage collection may fall into any turn.
      const turn = measured.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0;
      held &&= turn < MAX_TURN_MS;
      turns.push(`${name} ${turn.toFixed(1)}`);
    }
  } finally {
    await worker.terminate();
  }
  return { held, figures: `${(bytes / 1e6).toFixed(1)} MB, longest turn of the loop in ms: ${turns.join(', ')}` };
}

export const attacks: readonly Attack[] = COMPANIES.map(([country, establishments]) => ({
  name: `a company of ${country.toUpperCase()} with ${establishments} establishments`,
  run: (engine) => readLarge(engine, country, establishments),
}));
