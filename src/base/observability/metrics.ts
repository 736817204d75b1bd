import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  Registry as MetricSet,
} from 'prom-client';
import { isLoopbackName, parseHostName } from '../site.ts';

export type MetricsReport = Awaited<ReturnType<MetricSet['getMetricsAsJSON']>>;

interface MetricsOptions {
  /** Whether to leave out the metrics of the process, because this is a serving thread and the supervising thread reports them. */
  readonly ofThread?: boolean;
}

/** All other methods share one label. Otherwise a client could create any number of time series with invented methods. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS']);

/** How current the data of a register is. Times are epoch ms. */
export interface RegisterMetrics {
  readonly register: string;
  readonly asOf: number | null;
  readonly importedAt: number | null;
  readonly checkedAt: number | null;
  readonly freshness: string | null;
  readonly failures: number;
}

/** Webhook events that wait to be delivered. Times are epoch ms. */
interface WebhookMetrics {
  readonly waiting: number;
  /** Endpoints that were disabled because ten attempts failed. */
  readonly failed: number;
  readonly oldestAt: number | null;
  readonly now: number;
}

interface IndexMetrics {
  readonly generation: number;
  /** Epoch ms. */
  readonly publishedAt: number;
  readonly entities: number;
  readonly overlayDocuments: number;
  readonly segments: number;
  readonly bytes: number;
  /** How many imports are not searched yet. Only for ClickHouse, which several servers share. */
  readonly behind?: number;
  /** How long the last build, update and fold took. */
  readonly seconds: Readonly<Partial<Record<'build' | 'update' | 'fold', number>>>;
}

export type Metrics = ReturnType<typeof createMetrics>;

/**
 * Prometheus metrics: requests, event-loop delay, process, database pools, serving threads. Each thread has its own counters; the
 * thread that is scraped adds up the reports of all.
 */
export function createMetrics({ ofThread = false }: MetricsOptions = {}) {
  const collected = new MetricSet();
  const registers = [collected];
  const count = (name: string, help: string, labelNames: readonly string[] = []) =>
    new Counter({ name, help, labelNames, registers });
  /** A gauge whose `collect` is called at every scrape. */
  const gauge = (
    name: string,
    help: string,
    labelNames: readonly string[] = [],
    collect: (own: Gauge) => void | Promise<void> = () => undefined,
  ) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers,
      collect() {
        return collect(this);
      },
    });

  collectDefaultMetrics({ register: collected });
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its response.',
    labelNames: ['method', 'route', 'status'],
    registers,
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  });
  const pools = new Map<string, () => { open: number; idle: number; waiting: number }>();
  gauge(
    'database_pool_connections',
    'Database connections by state. "waiting" counts callers that wait for a connection.',
    ['database', 'state'],
    (own) => {
      for (const [database, read] of pools) {
        for (const [state, connections] of Object.entries(read())) own.set({ database, state }, connections);
      }
    },
  );
  const replicaReads = count(
    'registry_replica_reads_total',
    'Records looked up by outcome, if there is a replica. "used": read from the replica. All others: read from the primary.',
    ['outcome'],
  );
  let countWorkers = () => 0;
  gauge('workers', 'Serving threads that accept requests.', [], (own) => own.set(countWorkers()));
  const restarts = count('worker_restarts_total', 'Serving threads that crashed and were replaced.');
  const updates = count(
    'register_updates_total',
    'Registers that the schedule of this server updated or tried to update, by outcome.',
    ['outcome'],
  );
  const monitorEvents = count('monitor_events_total', 'Events that this server has written for monitors.');
  const monitorBacklog = gauge('monitor_backlog_imports', 'Imports that were not compared with monitors yet.');
  const billingDifferences = gauge(
    'billing_differences',
    "Subscriptions that differed from the payment provider's in this server's last hourly comparison.",
  );
  const toolCalls = count(
    'mcp_tool_calls_total',
    'Calls of tools by assistants, by outcome. "rejected": invalid arguments, or no such company. "limited": a limit was reached.',
    ['tool', 'outcome'],
  );
  const webhooks = count(
    'webhook_attempts_total',
    'Attempts of this server to deliver webhooks, by outcome. "exhausted" and "gone" disable the endpoint.',
    ['outcome'],
  );
  for (const outcome of ['delivered', 'retry', 'gone', 'exhausted']) webhooks.inc({ outcome }, 0);
  // Without this line, the first failure would create a new series, whose increase Prometheus does not see.
  for (const outcome of ['updated', 'unchanged', 'failed']) updates.inc({ outcome }, 0);
  if (ofThread) {
    const names = collected.getMetricsAsArray().map(({ name }) => name);
    for (const name of names) {
      if (name.startsWith('process_') || OF_PROCESS.has(name)) collected.removeSingleMetric(name);
    }
  }

  return {
    observeRequest: (method: string, route: string, status: number, seconds: number): void =>
      requests.observe({ method: METHODS.has(method) ? method : 'other', route, status }, seconds),
    /** Calls `read` at every scrape. */
    watchPool: (database: string, read: () => { open: number; idle: number; waiting: number }): void =>
      void pools.set(database, read),
    /** Counts records that were looked up on the replica, by outcome. */
    countReplicaReads: (outcome: string, records: number): void => replicaReads.inc({ outcome }, records),
    /** Calls `read` at every scrape for the number of serving threads. */
    watchWorkers(read: () => number): void {
      countWorkers = read;
    },
    /** At every scrape, calls `read` for the state of the search index. */
    watchIndex(read: () => IndexMetrics | undefined): void {
      const watch = (name: string, help: string, pick: (index: IndexMetrics) => number | undefined) =>
        gauge(name, help, [], (own) => {
          const index = read();
          const value = index && pick(index);
          if (value !== undefined) own.set(value);
        });
      watch('search_data_generation', 'The generation of the data that is searched.', ({ generation }) => generation);
      watch(
        'search_data_published_timestamp_seconds',
        'When the data that is searched was imported.',
        ({ publishedAt }) => publishedAt / 1000,
      );
      watch('search_index_entities', 'Entities in the search index.', ({ entities }) => entities);
      watch(
        'search_index_overlay_documents',
        'Documents of the search index that changed since its base was built.',
        ({ overlayDocuments }) => overlayDocuments,
      );
      watch('search_index_segments', 'Segments of the overlay of the search index.', ({ segments }) => segments);
      watch(
        'search_generations_behind',
        'Imports that are not in the search index in ClickHouse yet.',
        ({ behind }) => behind,
      );
      watch('search_index_bytes', 'Memory of the search index, which all threads share.', ({ bytes }) => bytes);
      gauge(
        'search_index_work_seconds',
        'How long the last build, update or fold of the search index took.',
        ['work'],
        (own) => {
          for (const [work, took] of Object.entries(read()?.seconds ?? {})) own.set({ work }, took);
        },
      );
    },
    /** Calls `read` at a scrape, but at most every 30 seconds, for how current each register is. */
    watchRegisters(read: () => Promise<readonly RegisterMetrics[]>): void {
      const readRecent = keepRecent(read);
      const watch = (name: string, help: string, pick: (state: RegisterMetrics) => number | null) =>
        gauge(name, help, ['register'], async (own) => {
          const states = await readRecent();
          own.reset();
          for (const state of states) {
            const value = pick(state);
            if (value !== null) own.set({ register: state.register }, value);
          }
        });
      const toSeconds = (ms: number | null) => (ms === null ? null : ms / 1000);
      watch('register_data_timestamp_seconds', 'Start of the day that the data of a register describes.', ({ asOf }) =>
        toSeconds(asOf),
      );
      watch('register_imported_timestamp_seconds', 'When data of a register was last imported.', ({ importedAt }) =>
        toSeconds(importedAt),
      );
      watch(
        'register_checked_timestamp_seconds',
        'When the publisher of a register was last asked for new files successfully.',
        ({ checkedAt }) => toSeconds(checkedAt),
      );
      watch('register_check_failures', 'Failed updates of a register since then.', ({ failures }) => failures);
      gauge(
        'register_freshness',
        'Whether a register is fresh, due (one publishing period has passed) or overdue (two have): 1 for its state.',
        ['register', 'state'],
        async (own) => {
          const states = await readRecent();
          own.reset();
          for (const { register, freshness } of states) {
            if (freshness === null) continue;
            for (const state of FRESHNESS) own.set({ register, state }, state === freshness ? 1 : 0);
          }
        },
      );
    },
    /** Calls `read` at a scrape, but at most every 30 seconds, for webhook events that wait to be delivered. */
    watchWebhooks(read: () => Promise<WebhookMetrics>): void {
      const readRecent = keepRecent(async () => [await read()]);
      const watch = (name: string, help: string, pick: (figures: WebhookMetrics) => number) =>
        gauge(name, help, [], async (own) => {
          const [figures] = await readRecent();
          if (figures !== undefined) own.set(pick(figures));
        });
      watch('webhook_deliveries_waiting', 'Deliveries of enabled endpoints that wait.', ({ waiting }) => waiting);
      watch(
        'webhook_endpoints_failed',
        'Endpoints that are disabled because ten attempts failed.',
        ({ failed }) => failed,
      );
      watch('webhook_oldest_waiting_seconds', 'Age of the oldest delivery that waits.', ({ oldestAt, now }) =>
        oldestAt === null ? 0 : (now - oldestAt) / 1_000,
      );
    },
    /** The number of subscriptions whose stored state differs from the payment provider's. */
    setBillingDifferences: (differences: number): void => billingDifferences.set(differences),
    countWebhook: (outcome: string): void => webhooks.inc({ outcome }),
    /** Counts registers that the schedule has updated or failed to update, by outcome. */
    countUpdate: (outcome: string): void => updates.inc({ outcome }),
    countMonitorEvents: (events: number): void => monitorEvents.inc(events),
    /** The number of imports that were not compared with monitors yet. */
    setMonitorBacklog: (imports: number): void => monitorBacklog.set(imports),
    countRestart: (): void => restarts.inc(),
    countToolCall: (tool: string, outcome: string): void => toolCalls.inc({ tool, outcome }),
    /** The metrics of this thread. */
    report: (): Promise<MetricsReport> => collected.getMetricsAsJSON(),
    /** Renders the metrics of this thread and the given reports of other threads in Prometheus text format. */
    async render(others: readonly MetricsReport[] = []): Promise<{ contentType: string; text: string }> {
      const sum = addUp([await collected.getMetricsAsJSON(), ...others]);
      return { contentType: sum.contentType, text: await sum.metrics() };
    },
  };
}

/** Metrics that only the supervising thread reports. */
const OF_PROCESS = new Set([
  'nodejs_version_info',
  'workers',
  'register_updates_total',
  'monitor_events_total',
  'monitor_backlog_imports',
  'billing_differences',
  'webhook_attempts_total',
]);
const FRESHNESS = ['fresh', 'due', 'overdue'];
const MAX_AGE_MS = 30_000;
/** A scrape does not wait longer than this for the database: it then reports the last known values. */
const MAX_WAIT_MS = 1_000;

/** Calls `read` at most every 30 seconds, because `read` queries the database. */
function keepRecent<T>(read: () => Promise<readonly T[]>): () => Promise<readonly T[]> {
  let last: { readonly at: number; readonly values: readonly T[] } | undefined;
  let reading: Promise<void> | undefined;
  async function readNow(): Promise<void> {
    try {
      last = { values: await read(), at: performance.now() };
    } catch {
      // If reading fails, the last known values stay; the next scrape reads again.
    } finally {
      reading = undefined;
    }
  }
  return async () => {
    if (last === undefined || performance.now() - last.at >= MAX_AGE_MS) {
      reading ??= readNow();
      await Promise.race([reading, sleep(MAX_WAIT_MS, undefined, { ref: false })]);
    }
    return last?.values ?? [];
  };
}

/** The counters of ended threads. Without them, the sum over all threads would decrease, which Prometheus takes for a restart. */
export async function keepCounters(reports: readonly MetricsReport[]): Promise<MetricsReport> {
  const counts = reports.map((report) => report.filter(({ type }) => COUNTER_TYPES.has(String(type))));
  return addUp(counts).getMetricsAsJSON();
}

const COUNTER_TYPES = new Set(['counter', 'histogram']);

function addUp(reports: readonly MetricsReport[]): MetricSet {
  return AggregatorRegistry.aggregate(
    reports.map((report) => report.map((metric) => ({ ...metric, ...aggregatorOf(metric) }))),
  );
}

/** For event-loop delay, the slowest thread counts: an average with idle threads would hide it. */
function aggregatorOf({ name }: { readonly name: string }): { aggregator?: string } {
  if (/^nodejs_eventloop_lag_(?!min)/.test(name)) return { aggregator: 'max' };
  return name === 'process_start_time_seconds' ? { aggregator: 'first' } : {};
}

export interface AdminServer {
  readonly url: string;
  close(): Promise<void>;
}

/** A server for operators: only `GET /metrics`, on loopback and under loopback names. Under another name, a page of another site could read it. */
export async function listenAdmin(render: Metrics['render'], port: number): Promise<AdminServer> {
  const server = createServer(async (request, response) => {
    if (!isLoopbackName(parseHostName(request.headers.host ?? ''))) {
      response.writeHead(403, { 'Content-Type': 'text/plain' }).end('Use 127.0.0.1 or localhost as the host name.\n');
      return;
    }
    if (request.url !== '/metrics' || request.method !== 'GET') {
      response.writeHead(404, { 'Content-Type': 'text/plain' }).end('Use GET /metrics.\n');
      return;
    }
    const { contentType, text } = await render();
    response.writeHead(200, { 'Content-Type': contentType }).end(text);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
