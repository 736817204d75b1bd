import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { keepCounts, type MetricsReport } from '../observability/metrics.ts';
import type { SearchIndex } from '../search/memory/search-index.ts';
import type { Services } from '../services.ts';
import { acceptConnections } from './acceptor.ts';
import type { Front } from './front.ts';
import { claimSharedPort } from './port.ts';
import { startThread, type Thread } from './thread.ts';

/**
 * Several serving threads on one port, supervised from this one, which takes no requests: it migrates, keeps the index and
 * hands each new one on, adds up what all have counted, writes their logs, and replaces a thread that crashed while the others
 * go on. Why it is built so: docs/decisions/0013-serving-threads.md.
 */
export interface ThreadsOptions {
  readonly config: Config;
  /** Of this thread. */
  readonly services: Services;
  readonly relayLog: (lines: string) => void;
}

export async function serveInThreads({ config: given, services, relayLog }: ThreadsOptions): Promise<Front> {
  const { log, metrics, shared, search } = services;
  const shares = await claimSharedPort(given);
  const acceptor = shares === undefined ? await acceptConnections(given) : undefined;
  const config = { ...given, port: acceptor?.port ?? shares ?? given.port };
  const from = acceptor === undefined ? 'shared port' : 'handed over';
  const stop = new AbortController();
  const threads = new Map<number, Thread>();
  /** Those that listen. */
  const serving = new Set<Thread>();
  const pauses = new Map<number, number>();
  const reports = new Map<Thread, MetricsReport>();
  let departed: Promise<MetricsReport> = Promise.resolve([]);
  let index: SearchIndex | undefined;
  let state: 'starting' | 'listening' | 'prepared' | 'open' = 'starting';

  function start(number: number): Thread {
    const task = { number, of: config.workers, config, shared };
    const thread = startThread(task, { onLog: relayLog, onEnd });
    threads.set(number, thread);
    return thread;
  }

  /** Whoever takes the place of another listens only when it can answer. */
  async function replace(number: number): Promise<void> {
    const thread = start(number);
    if (index !== undefined) await thread.ask('use', index);
    if (state === 'prepared' || state === 'open') await thread.ask('prepare');
    if (state === 'open') await thread.ask('open');
    await listen(thread);
  }

  async function listen(thread: Thread): Promise<string> {
    const url = await thread.ask('listen', from);
    serving.add(thread);
    return url;
  }

  function onEnd(thread: Thread, error: Error): void {
    threads.delete(thread.number);
    serving.delete(thread);
    const counted = reports.get(thread) ?? [];
    reports.delete(thread);
    departed = departed.then((sum) => keepCounts([sum, counted]));
    if (stop.signal.aborted || state === 'starting') return;
    const isStable = performance.now() - thread.startedAt > STABLE_MS;
    const longer = Math.min(MOST_PAUSE_MS, Math.max(LEAST_PAUSE_MS, 2 * (pauses.get(thread.number) ?? 0)));
    const pauseMs = isStable ? 0 : longer;
    pauses.set(thread.number, pauseMs);
    metrics.countRestart();
    log.error({ worker: thread.number, err: error, pauseMs }, 'a serving thread crashed: another takes its place');
    sleep(pauseMs, undefined, { signal: stop.signal })
      .then(() => replace(thread.number))
      // It has crashed in its turn, which is told here too; or we stop.
      .catch(() => undefined);
  }

  /** Who ends meanwhile is replaced by one that knows. */
  const askAll = (ask: (thread: Thread) => Promise<unknown>) => Promise.allSettled([...threads.values()].map(ask));

  async function endAll(): Promise<boolean> {
    stop.abort();
    await acceptor?.close();
    const outcomes = await askAll(async (thread) => {
      const clean = await Promise.race([thread.ask('drain'), sleep(DRAIN_MS, false, { ref: false })]);
      await thread.end();
      return clean;
    });
    return outcomes.every((outcome) => outcome.status === 'fulfilled' && outcome.value === true);
  }

  async function readReport(thread: Thread): Promise<MetricsReport> {
    const late = sleep(REPORT_MS, undefined, { ref: false });
    const report = (await Promise.race([thread.ask('report'), late]).catch(() => undefined)) ?? reports.get(thread);
    if (report !== undefined && threads.get(thread.number) === thread) reports.set(thread, report);
    return report ?? [];
  }

  search.onIndex?.((next) => {
    index = next;
    void askAll((thread) => thread.ask('use', next));
  });
  metrics.watchWorkers(() => serving.size);

  const first = Array.from({ length: config.workers }, (_, at) => start(at + 1));
  const [url = ''] = await Promise.all(first.map(listen)).catch(async (error: unknown) => {
    await endAll();
    throw error;
  });
  state = 'listening';
  acceptor?.begin(serving);

  return {
    url,
    async open(signal) {
      state = 'prepared';
      const stopped = new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true }));
      await Promise.race([askAll((thread) => thread.ask('prepare')), stopped]);
      state = 'open';
      await askAll((thread) => thread.ask('open'));
    },
    gatherMetrics: async () => [await departed, ...(await Promise.all([...serving].map(readReport)))],
    drain: endAll,
  };
}

/** A thread that lived this long did not crash because of how it began: its place is filled at once. */
const STABLE_MS = 10_000;
/** Otherwise there is a pause, twice as long each time. */
const LEAST_PAUSE_MS = 100;
const MOST_PAUSE_MS = 5_000;
/** More than a thread that is well takes to drain: then it is ended as it is. */
const DRAIN_MS = 35_000;
/** A thread that is too busy to report in this time counts as it last did. */
const REPORT_MS = 1_000;
