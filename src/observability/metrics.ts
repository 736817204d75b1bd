import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  Registry as MetricSet,
} from 'prom-client';
import { type IndexMetrics, registerIndexMetrics } from './index-metrics.ts';
import { type RegisterMetrics, registerRegisterMetrics } from './register-metrics.ts';
import { registerWebhookMetrics, type WebhookMetrics } from './webhook-metrics.ts';

/**
 * Prometheus metrics: requests, event-loop delay, process, database pools, serving threads. Each thread has its own counters; the
 * thread that is scraped adds up the reports of all.
 */
export interface Metrics {
  observeRequest(method: string, route: string, status: number, seconds: number): void;
  /** Calls `read` at every scrape. */
  watchPool(database: string, read: () => { open: number; idle: number; waiting: number }): void;
  /** Calls `read` at every scrape for the number of serving threads. */
  watchWorkers(read: () => number): void;
  /** Calls `read` at every scrape for what is known of the search index. */
  watchIndex(read: () => IndexMetrics | undefined): void;
  /** Calls `read` at most every 30 seconds, at a scrape, for how current each register is. */
  watchRegisters(read: () => Promise<readonly RegisterMetrics[]>): void;
  /** Counts registers that the schedule updated or tried to, by outcome. */
  countUpdate(outcome: string): void;
  /** Counts events that this process has written for monitors. */
  countMonitorEvents(count: number): void;
  /** The number of imports that were not compared with monitors yet. */
  setMonitorBacklog(imports: number): void;
  /** Calls `read` at most every 30 seconds, at a scrape, for what waits to be delivered. */
  watchWebhooks(read: () => Promise<readonly WebhookMetrics[]>): void;
  /** The number of subscriptions that differ from the payment provider's. */
  setBillingDifferences(count: number): void;
  /** Counts an attempt to deliver a webhook, by outcome. */
  countWebhook(outcome: string): void;
  countRestart(): void;
  /** Counts the call of a tool by an assistant. */
  countToolCall(tool: string, outcome: string): void;
  /** Counts records that were looked up on the replica, by outcome. */
  countReplicaReads(outcome: string, records: number): void;
  /** The metrics of this thread. */
  report(): Promise<MetricsReport>;
  /** Renders the metrics of this thread and the given reports of other threads in Prometheus text format. */
  render(others?: readonly MetricsReport[]): Promise<{ contentType: string; text: string }>;
}

export type MetricsReport = Awaited<ReturnType<MetricSet['getMetricsAsJSON']>>;

interface MetricsOptions {
  /** For a serving thread: leaves out the metrics of the process, which the supervising thread reports. */
  readonly ofThread?: boolean;
}

/** All other methods share one label. Otherwise a client could create any number of time series with invented methods. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS']);

export function createMetrics({ ofThread = false }: MetricsOptions = {}): Metrics {
  const collected = new MetricSet();
  collectDefaultMetrics({ register: collected });
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its response.',
    labelNames: ['method', 'route', 'status'],
    registers: [collected],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  });
  const pools = new Map<string, () => { open: number; idle: number; waiting: number }>();
  const connections = new Gauge({
    name: 'database_pool_connections',
    help: 'Database connections by state. "waiting" counts callers that wait for a connection.',
    labelNames: ['database', 'state'],
    registers: [collected],
    collect() {
      for (const [database, read] of pools) {
        for (const [state, count] of Object.entries(read())) this.set({ database, state }, count);
      }
    },
  });
  connections.reset();
  const count = (name: string, help: string, labelNames: readonly string[] = []) =>
    new Counter({ name, help, labelNames, registers: [collected] });
  const replicaReads = count(
    'registry_replica_reads_total',
    'Records looked up by outcome, if there is a replica. "used": read from the replica. All others: read from the primary.',
    ['outcome'],
  );
  let countWorkers = () => 0;
  new Gauge({
    name: 'workers',
    help: 'Serving threads that accept requests.',
    registers: [collected],
    collect() {
      this.set(countWorkers());
    },
  });
  const restarts = count('worker_restarts_total', 'Serving threads that crashed and were replaced.');
  const updates = count(
    'register_updates_total',
    'Registers that the schedule of this server updated or tried to update, by outcome.',
    ['outcome'],
  );
  const monitorEvents = count('monitor_events_total', 'Events that this server has written for monitors.');
  const monitorBacklog = new Gauge({
    name: 'monitor_backlog_imports',
    help: 'Imports that were not compared with monitors yet.',
    registers: [collected],
  });
  const billingDifferences = new Gauge({
    name: 'billing_differences',
    help: "Subscriptions that differed from the payment provider's in this server's last hourly comparison.",
    registers: [collected],
  });
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
  // Otherwise the first failure would be a new series, whose increase Prometheus does not see.
  for (const outcome of ['updated', 'unchanged', 'failed']) updates.inc({ outcome }, 0);
  const ofProcess = [
    ...processMetricsOf(collected),
    'workers',
    'register_updates_total',
    'monitor_events_total',
    'monitor_backlog_imports',
    'billing_differences',
    'webhook_attempts_total',
  ];
  if (ofThread) for (const name of ofProcess) collected.removeSingleMetric(name);

  return {
    observeRequest: (method, route, status, seconds) =>
      requests.observe({ method: METHODS.has(method) ? method : 'other', route, status }, seconds),
    watchPool: (database, read) => void pools.set(database, read),
    countReplicaReads: (outcome, records) => replicaReads.inc({ outcome }, records),
    watchWorkers(read) {
      countWorkers = read;
    },
    watchIndex: (read) => registerIndexMetrics(collected, read),
    watchRegisters: (read) => registerRegisterMetrics(collected, read),
    watchWebhooks: (read) => registerWebhookMetrics(collected, read),
    setBillingDifferences: (count) => billingDifferences.set(count),
    countWebhook: (outcome) => webhooks.inc({ outcome }),
    countUpdate: (outcome) => updates.inc({ outcome }),
    countMonitorEvents: (count) => monitorEvents.inc(count),
    setMonitorBacklog: (imports) => monitorBacklog.set(imports),
    countRestart: () => restarts.inc(),
    countToolCall: (tool, outcome) => toolCalls.inc({ tool, outcome }),
    report: () => collected.getMetricsAsJSON(),
    async render(others = []) {
      const sum = addUp([await collected.getMetricsAsJSON(), ...others]);
      return { contentType: sum.contentType, text: await sum.metrics() };
    },
  };
}

/** The counters of threads that have ended. Without them, the sum over all threads would decrease, which Prometheus would treat as a
 *  restart of the process. */
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

function processMetricsOf(collected: MetricSet): string[] {
  const names = collected.getMetricsAsArray().map(({ name }) => name);
  return names.filter((name) => name.startsWith('process_') || name === 'nodejs_version_info');
}
