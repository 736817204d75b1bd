import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../base/config/config.ts';
import { keepCounters, type MetricsReport } from '../base/observability/metrics.ts';
import { openThread, type Thread } from '../base/system/thread.ts';
import { encodeState, type IndexState } from '../search/memory/overlay.ts';
import type { Services } from '../services/services.ts';
import type { Front, ServingThread, ServingThreadEvents, ThreadTask } from './front.ts';
import { createHeartbeat, killProcess, STUCK_SECONDS, watchHeartbeat } from './watchdog.ts';

interface ThreadsOptions {
  readonly config: Config;
  readonly services: Services;
  readonly relayLog: (lines: Uint8Array) => void;
}

interface Serving {
  readonly number: number;
  readonly thread: Thread<ServingThread>;
  stopWatching(): void;
  isListening: boolean;
  /** The state of the index that the thread has, or is about to get. */
  index: IndexState | undefined;
  /** The last metrics, in case the thread crashes or is too busy to report. */
  report: MetricsReport;
}

/**
 * Runs several serving threads on one port. The calling thread supervises them and serves no requests: it migrates, keeps the search index up to date
 * and passes each new state on, adds up metrics, writes the logs, and replaces a thread that crashed or is stuck while the others continue. See
 * docs/decisions/0013-serving-threads.md.
 */
export async function serveInThreads({ config, services, relayLog }: ThreadsOptions): Promise<Front> {
  const { log, metrics, shared, search } = services;
  const stop = new AbortController();
  const running = new Set<Serving>();
  /** The sum of the counters of threads that have ended, so that counters never go down. */
  let departed: Promise<MetricsReport> = Promise.resolve([]);
  let index: IndexState | undefined;
  let state: 'starting' | 'listening' | 'prepared' | 'open' = 'starting';

  function start(number: number): Serving {
    const heartbeat = createHeartbeat();
    const thread = openThread<ServingThread, ServingThreadEvents>(new URL('serving-worker.ts', import.meta.url), {
      name: `serving ${number}`,
      data: { number, count: config.workers, config, shared, heartbeat } satisfies ThreadTask,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MEGABYTES },
      on: { log: relayLog },
      onEnd: (error) => onEnd(serving, error),
    });
    const stopWatching = watchHeartbeat(heartbeat, () => endStuck(serving));
    const serving: Serving = { number, thread, stopWatching, isListening: false, index: undefined, report: [] };
    running.add(serving);
    return serving;
  }

  /** Starts a replacement, which listens only when it can answer requests. */
  async function replace(number: number): Promise<void> {
    const serving = start(number);
    if (index !== undefined) await hand(serving, index);
    if (state === 'prepared' || state === 'open') await serving.thread.call('prepare');
    if (state === 'open') await serving.thread.call('open');
    await listen(serving);
  }

  function hand(serving: Serving, next: IndexState): Promise<void> {
    const message = encodeState(next, serving.index);
    serving.index = next;
    return serving.thread.call('use', message);
  }

  async function listen(serving: Serving): Promise<string> {
    const url = await serving.thread.call('listen');
    serving.isListening = true;
    return url;
  }

  function onEnd(serving: Serving, error: Error): void {
    serving.stopWatching();
    running.delete(serving);
    departed = departed.then((sum) => keepCounters([sum, serving.report]));
    if (stop.signal.aborted || state === 'starting') return;
    const { number, thread } = serving;
    const isStable = performance.now() - thread.startedAt > config.timeLimits.stableThreadMs;
    const pauseMs = isStable ? 0 : RESTART_PAUSE_MS;
    metrics.count('worker_restarts_total');
    log.error({ worker: number, err: error, pauseMs }, 'a serving thread crashed or was stuck, and is being replaced');
    sleep(pauseMs, undefined, { signal: stop.signal })
      .then(() => replace(number))
      // If the replacement has crashed too, `onEnd` has handled that. Otherwise the server is stopping.
      .catch(() => undefined);
  }

  /** A thread that ends during the call needs no handling here: its replacement starts from the current state. */
  const callAll = (call: (serving: Serving) => Promise<unknown>) => Promise.allSettled([...running].map(call));

  async function endAll(): Promise<boolean> {
    stop.abort();
    const outcomes = await callAll(async ({ thread, stopWatching }) => {
      const clean = await Promise.race([thread.call('drain'), sleep(DRAIN_MS, false, { ref: false })]);
      stopWatching();
      await thread.close();
      return clean;
    });
    return outcomes.every((outcome) => outcome.status === 'fulfilled' && outcome.value === true);
  }

  async function askReport(serving: Serving): Promise<MetricsReport> {
    const late = sleep(REPORT_MS, undefined, { ref: false });
    const report = await Promise.race([serving.thread.call('report'), late]).catch(() => undefined);
    // The counters of a thread that has ended meanwhile are already part of `departed`.
    if (report !== undefined && running.has(serving)) serving.report = report;
    return report ?? serving.report;
  }

  search.onIndex?.((next) => {
    index = next;
    void callAll((serving) => hand(serving, next));
  });
  const listListening = () => [...running].filter(({ isListening }) => isListening);
  metrics.watch(() => [['workers', listListening().length]]);

  const first = Array.from({ length: config.workers }, (_, at) => start(at + 1));
  const [url = ''] = await Promise.all(first.map(listen)).catch(async (error: unknown) => {
    await endAll();
    throw error;
  });
  state = 'listening';

  return {
    url,
    async open(signal) {
      state = 'prepared';
      const stopped = new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true }));
      await Promise.race([callAll(({ thread }) => thread.call('prepare')), stopped]);
      state = 'open';
      await callAll(({ thread }) => thread.call('open'));
    },
    gatherMetrics: async () => [await departed, ...(await Promise.all(listListening().map(askReport)))],
    drain: endAll,
  };
}

/** A thread in native code cannot be terminated. The thread would keep its share of the port, so the process has to end. */
async function endStuck({ number, thread }: Serving): Promise<void> {
  const message = `the thread has not responded for ${STUCK_SECONDS} s`;
  const timer = setTimeout(() => {
    killProcess({ worker: number }, `${message} and cannot be terminated: the process is killed`);
  }, TERMINATE_MS);
  await thread.close(new Error(message));
  clearTimeout(timer);
}

/** How long the replacement of a thread waits if the thread crashed soon after its start. */
const RESTART_PAUSE_MS = 500;
/** Node ends a thread above this limit, before it starves the others. The index and cached results are outside the heap and do not count. */
const MAX_HEAP_MEGABYTES = 1_024;
/** How long terminating a stuck thread may take. A thread in a loop ends within milliseconds. */
const TERMINATE_MS = 10_000;
/** Longer than a healthy thread needs to drain. After this time, the thread is terminated. */
const DRAIN_MS = 35_000;
/** A thread that does not report within this time contributes its last report. */
const REPORT_MS = 1_000;

/**
 * Returns the port that all threads will listen on, or undefined if the system lets only one socket listen (macOS,
 * Windows). The port is first opened exclusively, which fails if another process listens there: sharing it would silently
 * give that process half of the connections. Port 0 becomes the port that the system chooses.
 */
export async function claimSharedPort({
  host,
  port: wanted,
}: Pick<Config, 'host' | 'port'>): Promise<number | undefined> {
  const port = await listenOnce({ host, port: wanted });
  try {
    return await listenOnce({ host, port, reusePort: true });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOTSUP') return undefined;
    throw error;
  }
}

function listenOnce(options: Pick<Config, 'host' | 'port'> & { readonly reusePort?: true }): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(options, () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
