import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Prometheus metrics of one process: requests, event-loop delay, process, database pools. */
export interface Metrics {
  observeRequest(method: string, route: string, status: number, seconds: number): void;
  /** `read` is asked at every scrape. */
  watchPool(database: string, read: () => { open: number; idle: number; waiting: number }): void;
  /** Prometheus text format. */
  render(): Promise<{ contentType: string; text: string }>;
}

/** Methods of the API; others share a label, or a client could make as many series as it can invent words. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS']);

export function createMetrics(): Metrics {
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
  return {
    observeRequest: (method, route, status, seconds) =>
      requests.observe({ method: METHODS.has(method) ? method : 'other', route, status }, seconds),
    watchPool: (database, read) => void pools.set(database, read),
    render: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}
