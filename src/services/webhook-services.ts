import type { Accounts } from '../accounts/accounts.ts';
import { type Config, version } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Db } from '../db/db.ts';
import type { MonitorEvents } from '../monitors/events/events.ts';
import type { Monitors } from '../monitors/monitors.ts';
import type { Metrics } from '../observability/metrics.ts';
import { createWebhooks, type WebhookOptions, type Webhooks } from '../webhooks/webhooks.ts';

/** What webhooks are made of. */
interface WebhookParts {
  readonly accountsDb: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'countWebhook' | 'watchWebhooks'>;
  readonly accounts: Pick<Accounts, 'findTerms'>;
  readonly monitors: Pick<Monitors, 'list'>;
  readonly monitorEvents: MonitorEvents;
  readonly isThread: boolean;
}

/** Replaces settings, for tests with receivers on this machine. */
export type WebhookOverrides = Partial<Pick<WebhookOptions, 'rules' | 'keys' | 'timeoutMs' | 'lease'>>;

/** On these ports there are web servers, and no databases or mail servers. */
const RECEIVER_PORTS = [443, 8443];

/** Part of the composition root: wires webhooks to accounts, monitors and metrics. */
export function openWebhooks(config: Config, parts: WebhookParts, overrides: WebhookOverrides = {}): Webhooks {
  const { accountsDb: db, clock, log, metrics, accounts, monitors, monitorEvents: events, isThread } = parts;
  const webhooks = createWebhooks({
    db,
    clock,
    log,
    version,
    keys: config.webhooks.keys,
    rules: { ports: RECEIVER_PORTS, allowsLoopback: config.demo },
    timeoutMs: config.timeLimits.webhookMs,
    events,
    readTerms: accounts.findTerms,
    async hasMonitors(accountId, ids) {
      const own = new Set((await monitors.list(accountId)).map(({ id }) => id));
      return ids.every((id) => own.has(id));
    },
    count: metrics.countWebhook,
    ...overrides,
  });
  // All machines of a cluster report the same: what the database says.
  if (!isThread)
    metrics.watchWebhooks(() => webhooks.readFigures().then((figures) => [{ ...figures, now: clock.now() }]));
  return webhooks;
}
