import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Target } from './target.ts';

/** A well-behaved client that sends one request after the other while the service is attacked. */
export interface Witness {
  /** Ends and returns how long the answers took. */
  stop(): Promise<Waits>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** In milliseconds. */
export interface Waits {
  readonly count: number;
  /** Answers that were missing or not 200. */
  readonly failed: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** Successful answers that are charged to the account. */
  readonly served: number;
}

/** One answer; `status` is 0 if the connection broke. */
export interface Sample {
  readonly status: number;
  readonly ms: number;
}

/**
 * The witness runs in a thread of its own, so that it measures the service and not the attacker. With a key it requests
 * data in turn with liveness; without one, liveness only.
 */
export async function startWitness(target: Pick<Target, 'url'>, key?: string): Promise<Witness> {
  const workerData = { url: target.url, key };
  const worker = new Worker(new URL('witness-worker.ts', import.meta.url), { workerData });
  await once(worker, 'message');
  let samples: readonly Sample[] | undefined;
  async function collect(): Promise<readonly Sample[]> {
    worker.postMessage('stop');
    const [collected] = await once(worker, 'message');
    return collected;
  }
  return {
    async stop() {
      samples ??= await collect();
      return summarize(samples, key !== undefined);
    },
    async [Symbol.asyncDispose]() {
      await worker.terminate();
    },
  };
}

function summarize(samples: readonly Sample[], isCharged: boolean): Waits {
  const times = samples.map(({ ms }) => ms).toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0);
  const good = samples.filter(({ status }) => status === 200).length;
  return {
    count: samples.length,
    failed: samples.length - good,
    p50: at(0.5),
    p99: at(0.99),
    max: at(1),
    served: isCharged ? samples.filter(({ status }, index) => index % 2 === 0 && status === 200).length : 0,
  };
}

export function formatWaits({ count, failed, p50, p99, max }: Waits): string {
  return `others: ${count} requests, ${failed} failed, p50 ${p50} p99 ${p99} max ${max} ms`;
}
