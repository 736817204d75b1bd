import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../base/config/config.ts';
import { keepCounters, type MetricsReport } from '../base/observability/metrics.ts';
import { openThread, type Thread as SystemThread } from '../base/system/thread.ts';
import { encodeState, type IndexState } from '../search/memory/overlay.ts';
import type { Services } from '../services/services.ts';
import type { Front, ServingThread, ServingThreadEvents, ThreadTask } from './front.ts';
import { createHeartbeat, killProcess, STUCK_SECONDS, watchHeartbeat } from './watchdog.ts';

/**
 * Runs several serving threads on one port. The calling thread supervises them and serves no requests: it migrates, keeps the search index up to date
 * and passes each new state on, adds up metrics, writes the logs, and replaces a thread that crashed or is stuck while the others continue. See
 * docs/decisions/0013-serving-threads.md.
 */
interface ThreadsOptions {
  /** The configuration, with a port that `claimSharedPort` returned. */
  readonly config: Config;
  readonly services: Services;
  readonly relayLog: (lines: Uint8Array) => void;
}

export async function serveInThreads({ config, services, relayLog }: ThreadsOptions): Promise<Front> {
  const { log, metrics, shared, search } = services;
  const stop = new AbortController();
  const threads = new Map<number, Thread>();
  const serving = new Set<Thread>();
  /** For each thread number, a function that returns the delay of the next restart. */
  const backoffs = new Map<number, (livedMs: number) => number>();
  /** The last metrics of each thread, in case the thread crashes or is too busy to report. */
  const reports = new Map<Thread, MetricsReport>();
  /** The sum of the counters of threads that have ended, so that counters never go down. */
  let departed: Promise<MetricsReport> = Promise.resolve([]);
  let index: IndexState | undefined;
  /** The state of the index that each thread has, or is about to get. */
  const handed = new WeakMap<Thread, IndexState>();
  let state: 'starting' | 'listening' | 'prepared' | 'open' = 'starting';

  function start(number: number): Thread {
    const task = { number, count: config.workers, config, shared };
    const thread = startThread(task, { onLog: relayLog, onEnd });
    threads.set(number, thread);
    return thread;
  }

  /** Starts a replacement, which listens only when it can answer requests. */
  async function replace(number: number): Promise<void> {
    const thread = start(number);
    if (index !== undefined) await hand(thread, index);
    if (state === 'prepared' || state === 'open') await thread.call('prepare');
    if (state === 'open') await thread.call('open');
    await listen(thread);
  }

  function hand(thread: Thread, state: IndexState): Promise<void> {
    const message = encodeState(state, handed.get(thread));
    handed.set(thread, state);
    return thread.call('use', message);
  }

  async function listen(thread: Thread): Promise<string> {
    const url = await thread.call('listen');
    serving.add(thread);
    return url;
  }

  function onEnd(thread: Thread, error: Error): void {
    threads.delete(thread.number);
    serving.delete(thread);
    const counted = reports.get(thread) ?? [];
    reports.delete(thread);
    departed = departed.then((sum) => keepCounters([sum, counted]));
    if (stop.signal.aborted || state === 'starting') return;
    const pauseAfter = backoffs.getOrInsertComputed(thread.number, () =>
      createBackoff(config.timeLimits.stableThreadMs),
    );
    const pauseMs = pauseAfter(performance.now() - thread.startedAt);
    metrics.countRestart();
    log.error(
      { worker: thread.number, err: error, pauseMs },
      'a serving thread crashed or was stuck, and is being replaced',
    );
    sleep(pauseMs, undefined, { signal: stop.signal })
      .then(() => replace(thread.number))
      // If the replacement has crashed too, `onEnd` has handled that. Otherwise the server is stopping.
      .catch(() => undefined);
  }

  /** A thread that ends during the call needs no handling here: its replacement starts from the current state. */
  const callAll = (call: (thread: Thread) => Promise<unknown>) => Promise.allSettled([...threads.values()].map(call));

  async function endAll(): Promise<boolean> {
    stop.abort();
    const outcomes = await callAll(async (thread) => {
      const clean = await Promise.race([thread.call('drain'), sleep(DRAIN_MS, false, { ref: false })]);
      await thread.end();
      return clean;
    });
    return outcomes.every((outcome) => outcome.status === 'fulfilled' && outcome.value === true);
  }

  async function askReport(thread: Thread): Promise<MetricsReport> {
    const late = sleep(REPORT_MS, undefined, { ref: false });
    const report = (await Promise.race([thread.call('report'), late]).catch(() => undefined)) ?? reports.get(thread);
    if (report !== undefined && threads.get(thread.number) === thread) reports.set(thread, report);
    return report ?? [];
  }

  search.onIndex?.((next) => {
    index = next;
    void callAll((thread) => hand(thread, next));
  });
  metrics.watchWorkers(() => serving.size);

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
      await Promise.race([callAll((thread) => thread.call('prepare')), stopped]);
      state = 'open';
      await callAll((thread) => thread.call('open'));
    },
    gatherMetrics: async () => [await departed, ...(await Promise.all([...serving].map(askReport)))],
    drain: endAll,
  };
}

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

/** The supervisor's handle of a serving thread. */
interface Thread {
  readonly number: number;
  readonly startedAt: number;
  readonly call: SystemThread<ServingThread>['call'];
  end(): Promise<void>;
}

interface ThreadEvents {
  readonly onLog: (lines: Uint8Array) => void;
  /** Called once, with the error that ended the thread. */
  readonly onEnd: (thread: Thread, error: Error) => void;
}

/**
 * Node ends a thread that exceeds this limit, before it starves the other threads. The index and cached results are outside the heap and do not
 * count.
 */
const MAX_HEAP_MEGABYTES = 1_024;
/** How long terminating a stuck thread may take. A thread in a loop ends within milliseconds. */
const TERMINATE_MS = 10_000;

function startThread(given: Omit<ThreadTask, 'heartbeat'>, { onLog, onEnd }: ThreadEvents): Thread {
  const task: ThreadTask = { ...given, heartbeat: createHeartbeat() };
  const name = `serving ${task.number}`;
  const worker = openThread<ServingThread, ServingThreadEvents>(new URL('serving-worker.ts', import.meta.url), {
    name,
    data: task,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MEGABYTES },
    on: { log: onLog },
    onEnd(error) {
      stopWatching();
      onEnd(thread, error);
    },
  });

  /** A thread in native code cannot be terminated. The thread would keep its share of the port, so the process has to end. */
  const stopWatching = watchHeartbeat(task.heartbeat, async () => {
    const message = `the thread has not responded for ${STUCK_SECONDS} s`;
    const timer = setTimeout(() => {
      killProcess({ worker: task.number }, `${message} and cannot be terminated: the process is killed`);
    }, TERMINATE_MS);
    await worker.close(new Error(message));
    clearTimeout(timer);
  });

  const thread: Thread = {
    number: task.number,
    startedAt: worker.startedAt,
    call: worker.call,
    async end() {
      stopWatching();
      await worker.close();
    },
  };
  return thread;
}

/**
 * Returns how long to wait before a thread is started again, given how long it lived. A thread that lived for `stableMs` did not fail because of its
 * start. Each pause is twice as long as the previous pause.
 */
export function createBackoff(stableMs: number): (livedMs: number) => number {
  let pause = 0;
  return (livedMs) => {
    pause = livedMs > stableMs ? 0 : Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, 2 * pause));
    return pause;
  };
}

/** The first pause. The replacement of a thread that crashed soon after its start is delayed. */
const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5_000;
