import assert from 'node:assert/strict';
import { type IncomingMessage, request as startRequest } from 'node:http';
import type { PlanId } from '../../src/base/plans.ts';
import type { Caller } from '../../src/base/usage.ts';
import type { WholeResult } from '../../src/search/search.ts';
import type { Engine } from '../harness/databases.ts';
import { importCompanies } from '../harness/entities.ts';
import { startService, type TestService } from '../harness/service.ts';
import { company, type GbRow } from '../registry/gb-file.ts';

const HOSTILE = [
  '=cmd|"/c calc"!A1',
  '+1',
  '-1+1',
  '@SUM(A1)',
  'A "quoted" name',
  'TWO\r\nLINES',
  'A,B',
  "'x",
  '＝1',
  ' =1',
];
export const ROWS = 730;

const companies: readonly GbRow[] = Array.from({ length: ROWS }, (_, at) => {
  const name = at < HOSTILE.length ? `${HOSTILE[at]} ALL` : `${['ALPHA', 'BETA', 'GAMMA'][at % 3]} ${at} ALL LTD`;
  return company(String(at).padStart(8, '0'), name, { CompanyStatus: at % 5 === 0 ? 'Liquidation' : 'Active' });
});

export async function startWithResults(engine: Engine): Promise<TestService> {
  const service = await startService(engine, { limits: { guessDelayMs: 0 } });
  await importCompanies(service, companies);
  return service;
}

/** Stops every whole result after some parts of 200 rows, until it is opened. */
export interface Gate {
  /** How many results wait. */
  waiting(): number;
  open(): void;
}

export function holdResults({ services }: TestService, afterParts: number): Gate {
  const { search } = services;
  const { readAll } = search;
  let waiting = 0;
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  async function* held(parts: ReturnType<WholeResult['read']>) {
    let count = 0;
    for await (const part of parts) {
      if (count++ === afterParts) {
        waiting++;
        await opened;
        waiting--;
      }
      yield part;
    }
  }
  const holding: typeof readAll = (query, use, account, deadline) =>
    readAll(query, (result) => use({ ...result, read: (limit) => held(result.read(limit)) }), account, deadline);
  Object.assign(search, { readAll: holding });
  return {
    waiting: () => waiting,
    open() {
      Object.assign(search, { readAll });
      open();
    },
  };
}

/** A response that is read as far as the test wants. */
export interface OpenFile {
  readonly response: IncomingMessage;
  /** What has arrived so far. */
  text(): string;
  /** Resolves with the text, or rejects if the connection is closed before the end. */
  readonly complete: Promise<string>;
  leave(): void;
}

export function openFile(url: string, key: string, accept = 'text/csv'): Promise<OpenFile> {
  return new Promise((resolve, reject) => {
    const request = startRequest(url, { headers: { 'x-api-key': key, accept }, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (more) => {
        text += more;
      });
      const complete = new Promise<string>((done, failed) => {
        response.once('end', () => done(text)).once('error', failed);
      });
      complete.catch(() => undefined);
      resolve({ response, complete, text: () => text, leave: () => request.destroy() });
    });
    request.once('error', reject).end();
  });
}

/** A key, and who sends requests with it. */
interface OwnedKey {
  readonly key: string;
  readonly caller: Caller;
}

/** Keys of a service, and what their accounts have used. */
export function useKeys(serviceOf: () => TestService) {
  return {
    async newKey(plan: PlanId = 'pro'): Promise<OwnedKey> {
      const { createKey, services } = serviceOf();
      const key = await createKey({ plan });
      return { key, caller: (await services.apiKeys.findKey(key)) ?? assert.fail('the key is not found') };
    },
    usedBy: async ({ caller }: OwnedKey) => (await serviceOf().services.meter.readUsage(caller)).used,
    /** Leaves so many requests of the quota. */
    leave: ({ caller }: OwnedKey, left: number) =>
      serviceOf().services.meter.takeUnits(caller, caller.plan.monthlyRequests - left),
  };
}
