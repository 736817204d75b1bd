import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Db } from '../db/db.ts';
import type { Applier } from './apply.ts';
import type { Provider, ReadPaymentSettings } from './provider.ts';
import type { FindPlanOfPrice } from './subscription.ts';

/** What the parts of billing are made of. Each one takes what it needs. */
export interface BillingParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: ReadPaymentSettings;
  readonly provider: Provider;
  readonly planOfPrice: FindPlanOfPrice;
  readonly applier: Applier;
}
