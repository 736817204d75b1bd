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

/** All other methods share one label. Otherwise a client could create any number of time series with invented methods. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS']);

type Definitions = Readonly<Record<string, readonly [help: string, ...labelNames: string[]]>>;

const COUNTERS = {
  registry_replica_reads_total: [
    'Records looked up by outcome, if there is a replica. "used": read from the replica. All others: read from the primary.',
    'outcome',
  ],
  worker_restarts_total: ['Serving threads that crashed and were replaced.'],
  register_updates_total: [
    'Registers that the schedule of this server updated or tried to update, by outcome.',
    'outcome',
  ],
  monitor_events_total: ['Events that this server has written for monitors.'],
  mcp_tool_calls_total: [
    'Calls of tools by assistants, by outcome. "rejected": invalid arguments, or no such company. "limited": a limit was reached.',
    'tool',
    'outcome',
  ],
  webhook_attempts_total: [
    'Attempts of this server to deliver webhooks, by outcome. "exhausted" and "gone" disable the endpoint.',
    'outcome',
  ],
} as const satisfies Definitions;

const GAUGES = {
  database_pool_connections: [
    'Database connections by state. "waiting" counts callers that wait for a connection.',
    'database',
    'state',
  ],
  workers: ['Serving threads that accept requests.'],
  monitor_backlog_imports: ['Imports that were not compared with monitors yet.'],
  billing_differences: [
    "Subscriptions that differed from the payment provider's in this server's last hourly comparison.",
  ],
  search_data_generation: ['The generation of the data that is searched.'],
  search_data_published_timestamp_seconds: ['When the data that is searched was imported.'],
  search_index_entities: ['Entities in the search index.'],
  search_index_overlay_documents: ['Documents of the search index that changed since its base was built.'],
  search_index_segments: ['Segments of the overlay of the search index.'],
  search_generations_behind: ['Imports that are not in the search index in ClickHouse yet.'],
  search_index_bytes: ['Memory of the search index, which all threads share.'],
  search_index_work_seconds: ['How long the last build, update or fold of the search index took.', 'work'],
  register_data_timestamp_seconds: ['Start of the day that the data of a register describes.', 'register'],
  register_imported_timestamp_seconds: ['When data of a register was last imported.', 'register'],
  register_checked_timestamp_seconds: [
    'When the publisher of a register was last asked for new files successfully.',
    'register',
  ],
  register_check_failures: ['Failed updates of a register since then.', 'register'],
  register_freshness: [
    'Whether a register is fresh, due (one publishing period has passed) or overdue (two have): 1 for its state.',
    'register',
    'state',
  ],
  webhook_deliveries_waiting: ['Deliveries of enabled endpoints that wait.'],
  webhook_endpoints_failed: ['Endpoints that are disabled because ten attempts failed.'],
  webhook_oldest_waiting_seconds: ['Age of the oldest delivery that waits.'],
} as const satisfies Definitions;

/** A null value is not known. */
export type GaugeValue = readonly [
  name: keyof typeof GAUGES,
  value: number | null,
  labels?: Readonly<Record<string, string>>,
];

export type Metrics = ReturnType<typeof createMetrics>;

/**
 * Prometheus metrics: requests, event-loop delay, process, database pools, serving threads. Each thread has its own counters; the
 * thread that is scraped adds up the reports of all. `ofThread` leaves out the metrics of the process, which the supervising thread reports.
 */
export function createMetrics({ ofThread = false } = {}) {
  const collected = new MetricSet();
  const registers = [collected];
  collectDefaultMetrics({ register: collected });
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its response.',
    labelNames: ['method', 'route', 'status'],
    registers,
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  });
  const counters = mapValues(
    COUNTERS,
    (name, [help, ...labelNames]) => new Counter({ name, help, labelNames, registers }),
  );
  const gauges = mapValues(GAUGES, (name, [help, ...labelNames]) => new Gauge({ name, help, labelNames, registers }));
  // Prometheus does not see the increase that creates a series, such as that of the first failure.
  for (const outcome of ['delivered', 'retry', 'gone', 'exhausted'])
    counters.webhook_attempts_total.inc({ outcome }, 0);
  for (const outcome of ['updated', 'unchanged', 'failed']) counters.register_updates_total.inc({ outcome }, 0);
  if (ofThread) {
    for (const { name } of collected.getMetricsAsArray()) {
      if (name.startsWith('process_') || OF_PROCESS.has(name)) collected.removeSingleMetric(name);
    }
  }

  const watches: (() => void | Promise<void>)[] = [];

  function setAll(values: readonly GaugeValue[]): void {
    for (const [name, value, labels = {}] of values) if (value !== null) gauges[name].set(labels, value);
  }

  async function report(): Promise<MetricsReport> {
    for (const [name, [, label]] of Object.entries<Definitions[string]>(GAUGES)) {
      if (label !== undefined) gauges[name as keyof typeof GAUGES].reset();
    }
    await Promise.all(watches.map((watch) => watch()));
    return collected.getMetricsAsJSON();
  }

  return {
    observeRequest: (method: string, route: string, status: number, seconds: number): void =>
      requests.observe({ method: METHODS.has(method) ? method : 'other', route, status }, seconds),
    count(name: keyof typeof COUNTERS, labels: Readonly<Record<string, string>> = {}, by = 1): void {
      counters[name].inc(labels, by);
    },
    set: (name: 'billing_differences' | 'monitor_backlog_imports', value: number): void => setAll([[name, value]]),
    watch: (read: () => readonly GaugeValue[]): void => void watches.push(() => setAll(read())),
    /** Calls `read`, which queries a database, at a scrape, but at most every 30 seconds. If it fails, the last known values stay. */
    watchStore(read: () => Promise<readonly GaugeValue[]>): void {
      const readRecent = keepRecent(read);
      watches.push(async () => setAll(await readRecent()));
    },
    report,
    /** Renders the metrics of this thread and the given reports of other threads in Prometheus text format. */
    async render(others: readonly MetricsReport[] = []): Promise<{ contentType: string; text: string }> {
      const sum = addUp([await report(), ...others]);
      return { contentType: sum.contentType, text: await sum.metrics() };
    },
  };
}

function mapValues<Name extends string, Value, Result>(
  values: Readonly<Record<Name, Value>>,
  make: (name: Name, value: Value) => Result,
): Record<Name, Result> {
  const entries = Object.entries<Value>(values).map(([name, value]) => [name, make(name as Name, value)]);
  return Object.fromEntries(entries);
}

const OF_PROCESS = new Set([
  'nodejs_version_info',
  'workers',
  'register_updates_total',
  'monitor_events_total',
  'monitor_backlog_imports',
  'billing_differences',
  'webhook_attempts_total',
]);
const MAX_AGE_MS = 30_000;
/** A scrape does not wait longer than this for the database: it then reports the last known values. */
const MAX_WAIT_MS = 1_000;

function keepRecent<T>(read: () => Promise<readonly T[]>): () => Promise<readonly T[]> {
  let values: readonly T[] = [];
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;
  async function readNow(): Promise<void> {
    try {
      values = await read();
      readAt = performance.now();
    } catch {
      // The next scrape reads again.
    } finally {
      reading = undefined;
    }
  }
  return async () => {
    if (performance.now() - readAt >= MAX_AGE_MS) {
      reading ??= readNow();
      await Promise.race([reading, sleep(MAX_WAIT_MS, undefined, { ref: false })]);
    }
    return values;
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

/** A server for operators: only `GET /metrics`, on loopback and under loopback names. Under another name, a page of another site could read it. */
export async function listenAdmin(render: Metrics['render'], port: number) {
  const server = createServer(async ({ headers, method, url }, response) => {
    const send = (status: number, text: string, type = 'text/plain') =>
      response.writeHead(status, { 'Content-Type': type }).end(text);
    if (!isLoopbackName(parseHostName(headers.host ?? ''))) {
      return send(403, 'Use 127.0.0.1 or localhost as the host name.\n');
    }
    if (url !== '/metrics' || method !== 'GET') return send(404, 'Use GET /metrics.\n');
    const { contentType, text } = await render();
    return send(200, text, contentType);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
    },
  };
}
