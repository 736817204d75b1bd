import type { Accounts, Sessions } from '../accounts/accounts.ts';
import type { Executor } from '../accounts/charging/execute.ts';
import type { UserOperation } from '../accounts/charging/operation.ts';
import type { SignIn } from '../accounts/issuer.ts';
import type { Meter } from '../accounts/metering/meter.ts';
import type { NamedSecrets } from '../accounts/named-secrets.ts';
import type { Clock } from '../base/clock.ts';
import type { CountRequest } from '../base/requests/visitor-limit.ts';
import type { Operator, Site } from '../base/site.ts';
import type { Incident, StatusDay } from '../base/status.ts';
import type { Billing } from '../billing/billing.ts';
import type { Exports } from '../exports/offered.ts';
import type { ResultFiles } from '../exports/results/result-files.ts';
import type { Proofs } from '../import/proof/proofs.ts';
import type { Registry } from '../registry/registry.ts';
import type { Matcher } from '../search/match/matching.ts';
import type { Search } from '../search/search.ts';
import type { ChangeFeed } from '../watch/feed/feed.ts';
import type { MailAlerts } from '../watch/mail/alerts.ts';
import type { MonitorChanges } from '../watch/monitors/events.ts';
import type { Monitors } from '../watch/monitors/monitors.ts';
import type { Webhooks } from '../watch/webhooks/webhooks.ts';

/** The services that pages use: the services that answer the API, and the description of this server. */
export interface PageServices {
  readonly version: string;
  readonly publicUrl: () => string;
  readonly site: Site;
  readonly operator: Operator;
  readonly clock: Clock;
  readonly isPrepared: () => boolean;
  readonly isReady: () => Promise<boolean>;
  /** The OpenAPI document of the API. It is complete when all routes are registered. */
  readonly contract: () => object;
  /** The operations of the API by id. */
  readonly userOperations: ReadonlyMap<string, UserOperation>;
  readonly executor: Executor;
  readonly countRequest: CountRequest;
  readonly accounts: Accounts;
  readonly apiKeys: NamedSecrets;
  readonly billing: Billing;
  readonly changes: ChangeFeed;
  readonly exports: Exports;
  readonly mailAlerts: MailAlerts;
  readonly matcher: Matcher;
  readonly meter: Meter;
  readonly monitorChanges: MonitorChanges;
  readonly monitors: Monitors;
  readonly proofs: Proofs;
  readonly reconcileLinks: NamedSecrets;
  readonly registry: Registry;
  readonly resultFiles: ResultFiles;
  readonly search: Search;
  readonly sessions: Sessions;
  readonly signIn: SignIn;
  readonly statusHistory: {
    listDays(): Promise<readonly StatusDay[]>;
    listIncidents(): Promise<readonly Incident[]>;
  };
  readonly webhooks: Webhooks;
}
