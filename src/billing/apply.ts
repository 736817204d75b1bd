import type { Clock } from '../base/clock.ts';
import type { Db, Queries } from '../base/db/db.ts';
import type { Log } from '../base/log.ts';
import type { BillingEvent, EventOutcome } from './events.ts';
import { type Answer, agrees, compare, resolveTie } from './order.ts';
import type { Provider, ReadPaymentSettings } from './provider.ts';
import {
  assignAccount,
  findAccount,
  finishEvent,
  holdAccount,
  holdCustomer,
  holdEvent,
  holdSubscription,
  listSubscriptions,
  type StoredSubscription,
  writeEntitlement,
  writeSubscription,
} from './store.ts';
import { type Entitlement, entitlementOf, type FindPlanOfPrice } from './subscription.ts';

interface Applied {
  readonly outcome: EventOutcome;
  readonly duplicate: boolean;
  readonly accountId: string | null;
}

interface ApplyOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly ask: (subscriptionId: string) => Promise<Answer>;
  /** Called after a commit that changed the entitlement of an account. */
  readonly onChange: (accountId: string, entitlement: Entitlement) => void;
}

export type Applier = ReturnType<typeof createApplier>;

/**
 * Turns events into stored state and entitlements. One transaction holds the locks of the customer, the event, the subscription and the account, so
 * events lead to the same state in any order, repeated or concurrent (`order.ts`). The stored state of a subscription always comes from a signed
 * event: an answer of the provider only decides which of two events counts.
 */
export function createApplier({ db, clock, ask, onChange }: ApplyOptions) {
  /** Computes the entitlement from all subscriptions of the account. If the entitlement has changed, writes and returns it. */
  async function refreshEntitlement(tx: Queries, accountId: string): Promise<Refreshed | undefined> {
    const before = await holdAccount(tx, accountId);
    const subscriptions = await listSubscriptions(tx, accountId);
    // An account without subscriptions keeps its plan, which was not bought.
    const after = subscriptions.length > 0 ? entitlementOf(subscriptions) : before;
    const isSame =
      after.plan === before.plan && after.periodAnchor === before.periodAnchor && after.periodEnd === before.periodEnd;
    if (isSame) return undefined;
    await writeEntitlement(tx, accountId, after);
    return { accountId, entitlement: after };
  }

  function announce(refreshed: Refreshed | undefined): void {
    if (refreshed !== undefined) onChange(refreshed.accountId, refreshed.entitlement);
  }

  /** Returns the account of the customer. A customer without an account is linked to the account that the event names. */
  async function findOwner(tx: Queries, { customerId, accountId }: BillingEvent): Promise<string | null> {
    if (customerId !== null) return holdCustomer(tx, customerId, accountId, clock.now());
    return accountId === null ? null : findAccount(tx, accountId);
  }

  /** One attempt. If two events of the same second contradict each other, the attempt changes nothing and returns a question. */
  async function attempt(tx: Queries, event: BillingEvent, again: boolean, asked: Asked | undefined) {
    const { id, customerId, subscriptionId, snapshot } = event;
    const accountId = await findOwner(tx, event);
    const before = await holdEvent(tx, id);
    if (before !== null && !again) return { applied: { outcome: before as EventOutcome, duplicate: true, accountId } };

    let outcome: EventOutcome = event.outcome;
    if (snapshot !== null) {
      const known = await holdSubscription(tx, snapshot.state.id);
      const verdict = compare(known, snapshot);
      if (verdict === 'older') outcome = 'stale';
      if (verdict === 'newer') await writeSubscription(tx, snapshot);
      if (verdict === 'tie') {
        if (asked?.revision !== known.revision) return { question: known };
        await writeSubscription(tx, resolveTie(known, snapshot, asked.answer));
      }
    }
    let refreshed: Refreshed | undefined;
    if (accountId !== null) {
      await assignAccount(tx, accountId, { id: subscriptionId, customerId });
      refreshed = await refreshEntitlement(tx, accountId);
    }
    await finishEvent(tx, { id, outcome, customerId, subscriptionId, accountId }, clock.now());
    return { applied: { outcome, duplicate: false, accountId }, refreshed };
  }

  return {
    /** With `again`, an event is applied even if it was applied before, for `billing replay`. */
    async applyEvent(event: BillingEvent, { again = false }: { again?: boolean } = {}): Promise<Applied> {
      let asked: Asked | undefined;
      for (;;) {
        const result = await db.transaction((tx) => attempt(tx, event, again, asked));
        if (result.question === undefined) {
          announce(result.refreshed);
          return result.applied;
        }
        // The provider is asked outside the transaction, so that no lock is held while it answers.
        const { id, revision } = result.question;
        asked = { revision, answer: await ask(id) };
      }
    },
    /**
     * Asks the provider which event counts: the source of the stored state, or one of `rivals`, which have its second and rank. If no event agrees
     * with the answer, a newer event is on its way, and the stored state stays.
     */
    async settle(expected: StoredSubscription, rivals: readonly BillingEvent[]): Promise<void> {
      const answer = await ask(expected.id);
      if (answer === undefined) return;
      const refreshed = await db.transaction(async (tx) => {
        const { customerId } = expected;
        if (customerId !== null) await holdCustomer(tx, customerId, null, clock.now());
        const known = await holdSubscription(tx, expected.id);
        if (known.revision !== expected.revision) return undefined;
        const chosen = rivals.find(({ snapshot }) => snapshot !== null && agrees(snapshot.state, answer))?.snapshot;
        await writeSubscription(tx, chosen ?? { state: known, position: known });
        return known.accountId === null ? undefined : refreshEntitlement(tx, known.accountId);
      });
      announce(refreshed);
    },
  };
}

interface Refreshed {
  readonly accountId: string;
  readonly entitlement: Entitlement;
}

interface Asked {
  /** The subscription's revision at the time of the question. The answer is outdated if the revision has changed since. */
  readonly revision: number;
  readonly answer: Answer;
}

export interface BillingParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: ReadPaymentSettings;
  readonly provider: Provider;
  readonly planOfPrice: FindPlanOfPrice;
  readonly applier: Applier;
}
