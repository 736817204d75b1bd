import assert from 'node:assert/strict';
import { setPatience } from '../harness/limits.ts';
import type { TestService } from '../harness/service.ts';
import { until } from '../harness/until.ts';

// These tests wait for time-outs, so they are less patient than others, and patient enough for a busy machine.
setPatience(3);

/** A second is promised. The rest is for a busy machine. */
const MAX_MS = 5_000;

/** Something that makes data requests impossible, and how to end it. */
export interface Fault {
  begin(service: TestService): unknown;
  end(service: TestService): unknown;
  /** A data request that the fault affects; a search if undefined. Searches need no registry: they are answered from memory. */
  readonly path?: string;
  /** What the request is answered during the fault; 503 if undefined. */
  readonly status?: number;
}

/**
 * Breaks the service and repairs it. Readiness must follow, and agree with data requests. The fastest of two
 * rounds is measured, because other processes may delay the other one.
 */
export async function checkReadinessFollows(service: TestService, fault: Fault): Promise<void> {
  await until('the service is ready', async () => (await readStatus(service)) === 200);
  await until('data requests are answered', async () => (await requestData(service, fault)) === 200);
  const rounds: number[] = [];
  for (let round = 0; round < 2; round++) {
    const { noticedMs, recoveredMs } = await breakAndRepair(service, fault);
    rounds.push(Math.round(Math.max(noticedMs, recoveredMs)));
  }
  assert.ok(Math.min(...rounds) <= MAX_MS, `readiness follows too slowly: ${rounds.join(', ')} ms`);
}

async function breakAndRepair(service: TestService, fault: Fault) {
  let noticedMs = 0;
  await fault.begin(service);
  try {
    noticedMs = await measure(service, 503);
    // A key that was used is cached for a second, and a cached page is used until the file is looked at again.
    let status = 0;
    const isRefused = async () => {
      status = await requestData(service, fault);
      return status === (fault.status ?? 503);
    };
    await until('data requests fail too', isRefused).catch((cause) =>
      assert.fail(`${cause.message}; the last one was answered with ${status}`),
    );
    assert.equal(await readStatus(service), 503, 'ready again without a reason');
  } finally {
    await fault.end(service);
  }
  const recoveredMs = await measure(service, 200);
  await until('data requests are answered again', async () => (await requestData(service, fault)) === 200);
  return { noticedMs, recoveredMs };
}

async function requestData({ client }: TestService, { path = '/api/v1/entities?q=alpha' }: Fault): Promise<number> {
  return (await client.get(path)).status;
}

/** Probes like a load balancer until the status is the expected one. Returns how long it took. */
async function measure(service: TestService, expected: number): Promise<number> {
  const started = performance.now();
  await until(`readiness is ${expected}`, async () => (await readStatus(service)) === expected);
  return performance.now() - started;
}

/** What a load balancer sees. */
export async function readStatus({ client }: TestService): Promise<number> {
  return (await client.get('/api/v1/health/ready')).status;
}
