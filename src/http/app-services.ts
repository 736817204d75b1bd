import type { NamedSecrets } from '../accounts/named-secrets.ts';
import type { Sessions } from '../accounts/sessions.ts';
import type { Billing } from '../billing/billing.ts';
import type { Clock } from '../core/clock.ts';
import type { CountRequest } from '../core/requests/visitor-limit.ts';
import type { Site } from '../core/site.ts';
import type { Exports } from '../exports/offered.ts';
import type { ChangeFeed } from '../journal/feed/feed.ts';
import type { Matcher } from '../matching/matching.ts';
import type { Mcp } from '../mcp/mcp.ts';
import type { Meter } from '../metering/meter.ts';
import type { MonitorChanges } from '../monitors/events.ts';
import type { Monitors } from '../monitors/monitors.ts';
import type { Logger } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Guesses } from '../operations/guess-throttle.ts';
import type { RecordValue } from '../reconciliation/properties.ts';
import type { Registry } from '../registry/registry.ts';
import type { ResultFiles } from '../result-files/result-files.ts';
import type { Search } from '../search/search.ts';
import type { TrustedProxies } from '../transport/client-address.ts';
import type { ShowFailure } from '../transport/errors.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';

/** What the API is built from. A route picks what it needs from these services, so a new route seldom adds to this list. */
export interface AppServices {
  readonly version: string;
  /** Base of the links in responses. It is a function because the port may be known only after the server listens. */
  readonly publicUrl: () => string;
  /** The names under which browsers reach the service. */
  readonly site: Site;
  /** Origins whose pages may read data responses in a browser. */
  readonly corsOrigins: readonly string[];
  readonly trustedProxies: TrustedProxies;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly clock: Clock;
  /** Whether a data request would be answered now. */
  readonly isReady: () => Promise<boolean>;
  /** Whether the service has been ready once. Before that, the tables may not exist. */
  readonly isPrepared: () => boolean;
  readonly registry: Registry;
  readonly changes: ChangeFeed;
  readonly monitors: Monitors;
  readonly monitorChanges: MonitorChanges;
  readonly webhooks: Webhooks;
  readonly search: Search;
  readonly matcher: Matcher;
  readonly exports: Exports;
  readonly apiKeys: NamedSecrets;
  readonly reconcileLinks: NamedSecrets;
  readonly sessions: Sessions;
  readonly countRequest: CountRequest;
  readonly meter: Meter;
  readonly resultFiles: ResultFiles;
  readonly mcp: Mcp;
  readonly billing: Billing;
  /** Memory that all serving threads of the process share. */
  readonly shared: { readonly guesses: Guesses };
  /** Renders a company as a small page for programs that match names. */
  readonly showPreview: (record: RecordValue) => { readonly body: string; readonly policy: string };
  /** Renders an error as a page. Without it, errors are JSON everywhere. */
  readonly showFailure?: ShowFailure;
}
