import type { Sessions } from '../accounts/accounts.ts';
import type { Guesses } from '../accounts/charging/guess-throttle.ts';
import type { Meter } from '../accounts/metering/meter.ts';
import type { NamedSecrets } from '../accounts/named-secrets.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/observability/log.ts';
import type { Metrics } from '../base/observability/metrics.ts';
import type { CountRequest } from '../base/requests/visitor-limit.ts';
import type { Site } from '../base/site.ts';
import type { Billing } from '../billing/billing.ts';
import type { Exports } from '../exports/offered.ts';
import type { ResultFiles } from '../exports/results/result-files.ts';
import type { ShowFailure } from '../http/errors.ts';
import type { TrustedProxies } from '../http/request.ts';
import type { Proofs } from '../import/proof/proofs.ts';
import type { Registry } from '../registry/registry.ts';
import type { Matcher } from '../search/match/matching.ts';
import type { Search } from '../search/search.ts';
import type { ChangeFeed } from '../watch/feed/feed.ts';
import type { MonitorChanges } from '../watch/monitors/events.ts';
import type { Monitors } from '../watch/monitors/monitors.ts';
import type { Webhooks } from '../watch/webhooks/webhooks.ts';
import type { RecordValue } from './reconciliation/properties.ts';

/** The services that the API is built from. A route picks the services that it needs, so a new route seldom adds to this list. */
export interface AppServices {
  readonly version: string;
  /** Base of the links in responses. The base is a function because the port may be known only after the server listens. */
  readonly publicUrl: () => string;
  readonly site: Site;
  readonly corsOrigins: readonly string[];
  readonly trustedProxies: TrustedProxies;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly clock: Clock;
  /** Whether a data request would be answered now. */
  readonly isReady: () => Promise<boolean>;
  /** Whether the service has been ready once. Until then, the tables may not exist. */
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
  readonly proofs: Proofs;
  readonly billing: Billing;
  /** Memory that all serving threads of the process share. */
  readonly shared: { readonly guesses: Guesses };
  readonly showPreview: (record: RecordValue) => { readonly body: string; readonly policy: string };
  /** Renders an error as a page. Without this function, errors are JSON everywhere. */
  readonly showFailure?: ShowFailure;
}
