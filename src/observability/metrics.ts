import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/**
 * Prometheus metrics: requests, event-loop delay, process, database pools, serving threads. Each thread counts for itself; the
 * one that is asked adds up the reports of all.
 */
export interface Metrics {
  observeRequest(method: string, route: string, status: number, seconds: number): void;
  /** `read` is asked at every scrape. */
  watchPool(database: string, read: () => { open: number; idle: number; waiting: number }): void;
  /** `read` tells how many threads serve. */
  watchWorkers(read: () => number): void;
  countRestart(): void;
  /** Records asked of the replica, by what came of it. */
  countReplicaReads(outcome: string, records: number): void;
  /** What this thread has counted. */
  report(): Promise<MetricsReport>;
  /** Prometheus text format, of this thread and those that sent a report. */
  render(others?: readonly MetricsReport[]): Promise<{ contentType: string; text: string }>;
}

export type MetricsReport = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

export interface MetricsOptions {
  /** Leaves out what is of the process: its supervisor tells that. */
  readonly ofThread?: boolean;
}

/** Methods of the API; others share a label, or a client could make as many series as it can invent words. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS']);

export function createMetrics({ ofThread = false }: MetricsOptions = {}): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its reply.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const pools = new Map<string, () => { open: number; idle: number; waiting: number }>();
  const connections = new Gauge({
    name: 'database_pool_connections',
    help: 'Database connections by state; "waiting" counts callers without one.',
    labelNames: ['database', 'state'],
    registers: [registry],
    collect() {
      for (const [database, read] of pools) {
        for (const [state, count] of Object.entries(read())) this.set({ database, state }, count);
      }
    },
  });
  connections.reset();
  const replicaReads = new Counter({
    name: 'registry_replica_reads_total',
    help: 'Records looked up where there is a replica: "used" came from it, all others from the primary.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  let countWorkers = () => 0;
  new Gauge({
    name: 'workers',
    help: 'Serving threads that take requests.',
    registers: [registry],
    collect() {
      this.set(countWorkers());
    },
  });
  const restarts = new Counter({
    name: 'worker_restarts_total',
    help: 'Serving threads that crashed and were replaced.',
    registers: [registry],
  });
  if (ofThread) for (const name of [...ofProcess(registry), 'workers']) registry.removeSingleMetric(name);

  return {
    observeRequest: (method, route, status, seconds) =>
      requests.observe({ method: METHODS.has(method) ? method : 'other', route, status }, seconds),
    watchPool: (database, read) => void pools.set(database, read),
    countReplicaReads: (outcome, records) => replicaReads.inc({ outcome }, records),
    watchWorkers(read) {
      countWorkers = read;
    },
    countRestart: () => restarts.inc(),
    report: () => registry.getMetricsAsJSON(),
    async render(others = []) {
      const sum = addUp([await registry.getMetricsAsJSON(), ...others]);
      return { contentType: sum.contentType, text: await sum.metrics() };
    },
  };
}

/** What threads that are gone have counted: a sum over threads must never fall, or Prometheus takes it for a restart. */
export async function keepCounts(reports: readonly MetricsReport[]): Promise<MetricsReport> {
  const counts = reports.map((report) => report.filter(({ type }) => COUNTING.has(String(type))));
  return addUp(counts).getMetricsAsJSON();
}

const COUNTING = new Set(['counter', 'histogram']);

function addUp(reports: readonly MetricsReport[]): Registry {
  return AggregatorRegistry.aggregate(
    reports.map((report) => report.map((metric) => ({ ...metric, ...rule(metric) }))),
  );
}

/** The delay of the event loop is that of the thread that is worst off; an average would hide it behind idle ones. */
function rule({ name }: { readonly name: string }): { aggregator?: string } {
  if (/^nodejs_eventloop_lag_(?!min)/.test(name)) return { aggregator: 'max' };
  return name === 'process_start_time_seconds' ? { aggregator: 'first' } : {};
}

function ofProcess(registry: Registry): string[] {
  const names = registry.getMetricsAsArray().map(({ name }) => name);
  return names.filter((name) => name.startsWith('process_') || name === 'nodejs_version_info');
}
