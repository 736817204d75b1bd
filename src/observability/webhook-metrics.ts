import { Gauge, type Registry as MetricSet } from 'prom-client';
import { keepRecent } from './register-metrics.ts';

/** What waits to be delivered. Times are epoch ms. */
export interface WebhookMetrics {
  readonly waiting: number;
  /** Endpoints that were disabled because ten attempts failed. */
  readonly failed: number;
  readonly oldestAt: number | null;
  readonly now: number;
}

export function registerWebhookMetrics(metrics: MetricSet, read: () => Promise<readonly WebhookMetrics[]>): void {
  const readRecent = keepRecent(read);
  const addGauge = (name: string, help: string, pick: (figures: WebhookMetrics) => number) => {
    new Gauge({
      name,
      help,
      registers: [metrics],
      async collect() {
        const [figures] = await readRecent();
        if (figures !== undefined) this.set(pick(figures));
      },
    });
  };
  addGauge('webhook_deliveries_waiting', 'Deliveries of enabled endpoints that wait.', ({ waiting }) => waiting);
  addGauge(
    'webhook_endpoints_failed',
    'Endpoints that are disabled because ten attempts failed.',
    ({ failed }) => failed,
  );
  addGauge('webhook_oldest_waiting_seconds', 'Age of the oldest delivery that waits.', ({ oldestAt, now }) =>
    oldestAt === null ? 0 : (now - oldestAt) / 1_000,
  );
}
