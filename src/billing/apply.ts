import type { Clock } from '../base/clock.ts';
import type { Db, Queries } from '../base/db/db.ts';
import type { Log } from '../base/log.ts';
import {
  type BillingEvent,
  compare,
  type Entitlement,
  type EventOutcome,
  entitlementOf,
  type FindPlanOfPrice,
  parseEvent,
  type Subscription,
  sameState,
} from './events.ts';
import type { CheckoutParts } from './provider.ts';
import * as store from './store.ts';

/** The provider's answer: null if the provider does not know the subscription, undefined if it cannot be reached. */
type Answer = Subscription | null | undefined;

interface ApplyOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly planOfPrice: FindPlanOfPrice;
  readonly ask: (subscriptionId: string) => Promise<Answer>;
  /** Called after a commit that changed the entitlement of an account. */
  readonly onChange: (accountId: string, entitlement: Entitlement) => void;
}

export type Applier = ReturnType<typeof createApplier>;

/**
 * Turns events into stored state and entitlements. One transaction holds the locks of the customer, the event, the subscription and the account, so
 * events lead to the same state in any order, repeated or concurrent (`events.ts`). The stored state of a subscription always comes from a signed
 * event: an answer of the provider only decides which of two events counts.
 */
export function createApplier({ db, clock, planOfPrice, ask, onChange }: ApplyOptions) {
  /** Computes the entitlement from all subscriptions of the account. Returns a function to call after the commit if the entitlement has changed. */
  async function refreshEntitlement(tx: Queries, accountId: string | null): Promise<(() => void) | undefined> {
    if (accountId === null) return undefined;
    const before = await store.holdAccount(tx, accountId);
    const subscriptions = await store.listSubscriptions(tx, accountId);
    // An account without subscriptions keeps its plan, which was not bought.
    const after = subscriptions.length > 0 ? entitlementOf(subscriptions) : before;
    const isSame =
      after.plan === before.plan && after.periodAnchor === before.periodAnchor && after.periodEnd === before.periodEnd;
    if (isSame) return undefined;
    await store.accounts.update(tx, { id: accountId }, after);
    return () => onChange(accountId, after);
  }

  /** Returns the account of the customer. A customer without an account is linked to the account that the event names. */
  async function findOwner(tx: Queries, { customerId, accountId }: BillingEvent): Promise<string | null> {
    if (customerId !== null) return store.holdCustomer(tx, customerId, accountId, clock.now());
    return accountId === null ? null : store.findAccount(tx, accountId);
  }

  async function applyIn(tx: Queries, event: BillingEvent, again: boolean) {
    const { id, customerId, subscriptionId, snapshot } = event;
    const accountId = await findOwner(tx, event);
    const before = await store.holdEvent(tx, id);
    if (before !== null && !again) return { applied: { outcome: before as EventOutcome, duplicate: true, accountId } };

    let outcome: EventOutcome = event.outcome;
    let tied: store.StoredSubscription | undefined;
    if (snapshot !== null) {
      const verdict = compare(await store.holdSubscription(tx, snapshot.state.id), snapshot);
      if (verdict === 'older') outcome = 'stale';
      if (verdict === 'newer') await store.writeSubscription(tx, snapshot, 'settled');
      // The event that arrived last counts until the provider has decided.
      if (verdict === 'tie') tied = await store.writeSubscription(tx, snapshot, 'unsettled');
    }
    if (accountId !== null) await store.assignAccount(tx, accountId, { id: subscriptionId, customerId });
    const announce = await refreshEntitlement(tx, accountId);
    const applied = { outcome, customerId, subscriptionId, accountId };
    await store.events.update(tx, { id }, { ...applied, appliedAt: clock.now() });
    return { applied: { outcome, duplicate: false, accountId }, announce, tied };
  }

  /**
   * Asks the provider which of the events of one second and rank counts. If no event agrees with the answer, a newer event is on its way, and the
   * stored state stays. The provider is asked outside the transaction, so that no lock is held while it answers.
   */
  async function settle(known: store.StoredSubscription): Promise<void> {
    const answer = await ask(known.id);
    if (answer === undefined) return;
    const announce = await db.transaction(async (tx) => {
      const stored = await store.holdSubscription(tx, known.id);
      // After another event, the answer may be outdated.
      if (stored.revision !== known.revision) return undefined;
      const others = (await store.listRivals(tx, known)).map(({ payload }) => parseEvent(payload, planOfPrice));
      const snapshots = others.flatMap(({ snapshot }) => snapshot ?? []);
      const rivals = snapshots.filter(({ position }) => position.eventRank === known.eventRank);
      const current = { state: stored, position: stored };
      const chosen = [current, ...rivals].find((each) => answer !== null && sameState(each.state, answer));
      await store.writeSubscription(tx, chosen ?? current, 'settled');
      return refreshEntitlement(tx, stored.accountId);
    });
    announce?.();
  }

  return {
    /** With `again`, an event is applied even if it was applied before, for `billing replay`. */
    async applyEvent(event: BillingEvent, { again = false } = {}) {
      const { applied, announce, tied } = await db.transaction((tx) => applyIn(tx, event, again));
      announce?.();
      if (tied !== undefined) await settle(tied);
      return applied;
    },
    settle,
  };
}

export interface BillingParts extends CheckoutParts {
  readonly log: Log;
  readonly planOfPrice: FindPlanOfPrice;
  readonly applier: Applier;
}
