import type { Clock } from '../base/clock.ts';
import type { Db, Queries } from '../base/db/db.ts';
import type { Log } from '../base/log.ts';
import type { BillingEvent, Change } from './events.ts';
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
  type Position,
  type StoredSubscription,
  writeEntitlement,
  writeSubscription,
} from './store.ts';
import { type Entitlement, entitlementOf, type FindPlanOfPrice, type Subscription, sameState } from './subscription.ts';

/**
 * Turns an event into stored state. One transaction holds the locks of the customer, the event, the subscription and the
 * account, so events lead to the same state in any order, repeated or concurrent. What is stored of a subscription is always
 * what a signed event reported: an answer of the provider only decides which of two events counts.
 */
export type EventOutcome = 'applied' | 'stale' | 'ignored' | 'unreadable' | 'unknown_price';

interface Applied {
  readonly outcome: EventOutcome;
  readonly duplicate: boolean;
  readonly accountId: string | null;
}

/** The provider's answer: null if it does not know the subscription, undefined while it cannot be reached. */
type Answer = Subscription | null | undefined;
export type AskProvider = (subscriptionId: string) => Promise<Answer>;

interface ApplyOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly ask: AskProvider;
  /** Called after a commit that changed the entitlement of an account. */
  readonly onChange: (accountId: string, entitlement: Entitlement) => void;
}

export type Applier = ReturnType<typeof createApplier>;

export function createApplier({ db, clock, ask, onChange }: ApplyOptions) {
  /** Computes the entitlement from all subscriptions of the account and writes it if it changed. */
  async function refreshEntitlement(tx: Queries, accountId: string): Promise<Refreshed> {
    const before = await holdAccount(tx, accountId);
    const subscriptions = await listSubscriptions(tx, accountId);
    // A plan without a subscription was not bought: it stays.
    const after = subscriptions.length > 0 ? entitlementOf(subscriptions) : before;
    const isChanged =
      after.plan !== before.plan || after.periodAnchor !== before.periodAnchor || after.periodEnd !== before.periodEnd;
    if (isChanged) await writeEntitlement(tx, accountId, after);
    return { accountId, after, isChanged };
  }

  function announce(refreshed: Refreshed | undefined): void {
    if (refreshed?.isChanged === true) onChange(refreshed.accountId, refreshed.after);
  }

  async function findOwner(tx: Queries, { customerId, proposed }: Owner): Promise<string | null> {
    if (customerId !== null) return holdCustomer(tx, customerId, proposed, clock.now());
    return proposed === null ? null : findAccount(tx, proposed);
  }

  /** One attempt. If two events of the same second contradict each other, it changes nothing and returns a question. */
  async function attempt(tx: Queries, event: BillingEvent, again: boolean, asked: Asked | undefined) {
    const owner = ownerOf(event.change);
    const accountId = await findOwner(tx, owner);
    const before = await holdEvent(tx, event.id);
    if (before !== null && !again) return { applied: { outcome: before as EventOutcome, duplicate: true, accountId } };

    let outcome = outcomeWithoutState(event.change);
    if (event.change.type === 'subscription') {
      const known = await holdSubscription(tx, event.change.subscription.id);
      const verdict = compare(known, event.created, event.change.rank, event.id, event.change.subscription);
      if (verdict === 'tie' && asked?.revision !== known.revision) return { question: known };
      const next =
        verdict === 'tie' ? choose(event, known, asked?.answer) : verdict === 'newer' ? stateOf(event) : undefined;
      if (next !== undefined) await writeSubscription(tx, next.state, next.position);
      outcome = verdict === 'older' ? 'stale' : 'applied';
    }
    let refreshed: Refreshed | undefined;
    if (accountId !== null) {
      await assignAccount(tx, accountId, { id: owner.subscriptionId, customerId: owner.customerId });
      refreshed = await refreshEntitlement(tx, accountId);
    }
    const { customerId, subscriptionId } = owner;
    await finishEvent(tx, event.id, { outcome, customerId, subscriptionId, accountId }, clock.now());
    return { applied: { outcome, duplicate: false, accountId }, refreshed };
  }

  return {
    /** `again` applies an event that was applied before, for `billing replay`. */
    async applyEvent(event: BillingEvent, { again = false }: { again?: boolean } = {}): Promise<Applied> {
      let asked: Asked | undefined;
      for (;;) {
        const result = await db.transaction((tx) => attempt(tx, event, again, asked));
        if (result.question === undefined) {
          announce(result.refreshed);
          return result.applied;
        }
        // Outside the transaction, so that no lock is held while the provider answers.
        const { id, revision } = result.question;
        asked = { revision, answer: await ask(id) };
      }
    },
    /**
     * Asks the provider which of the events counts: the one that the stored state is from, or one of `rivals`, which are of the
     * same second and rank. If none of them agrees with the answer, a newer event is on its way, and the stored state stays.
     */
    async settle(expected: StoredSubscription, rivals: readonly BillingEvent[]): Promise<void> {
      const answer = await ask(expected.id);
      if (answer === undefined) return;
      const refreshed = await db.transaction(async (tx) => {
        const { customerId } = expected;
        if (customerId !== null) await holdCustomer(tx, customerId, null, clock.now());
        const known = await holdSubscription(tx, expected.id);
        if (known.revision !== expected.revision) return undefined;
        const chosen = rivals.find(({ change }) => agrees(change, answer));
        const { state, position } = (chosen && stateOf(chosen)) ?? keep(known);
        await writeSubscription(tx, state, position);
        return known.accountId === null ? undefined : refreshEntitlement(tx, known.accountId);
      });
      announce(refreshed);
    },
  };
}

interface Refreshed {
  readonly accountId: string;
  readonly after: Entitlement;
  readonly isChanged: boolean;
}

interface Asked {
  /** The subscription's revision at the time of the question. If it has changed, the answer is outdated. */
  readonly revision: number;
  readonly answer: Answer;
}

interface Owner {
  readonly customerId: string | null;
  /** The account that the event names; used if the customer is not linked to an account yet. */
  readonly proposed: string | null;
}

function ownerOf(change: Change): Owner & { readonly subscriptionId: string | null } {
  if (change.type === 'none') return { customerId: null, proposed: null, subscriptionId: null };
  if (change.type === 'customer') {
    return { customerId: change.customerId, proposed: change.accountId, subscriptionId: null };
  }
  const { customerId, accountId, id } = change.subscription;
  return { customerId, proposed: accountId, subscriptionId: id };
}

function outcomeWithoutState(change: Change): EventOutcome {
  if (change.type === 'none') return change.reason;
  return change.type === 'unknown_price' ? 'unknown_price' : 'applied';
}

/** Compares an event with the stored state: `same` if both agree, `tie` if they differ and time does not decide. */
function compare(
  known: StoredSubscription,
  created: number,
  rank: number,
  eventId: string,
  reported: Subscription,
): 'newer' | 'older' | 'same' | 'tie' {
  if (created !== known.asOf) return created > known.asOf ? 'newer' : 'older';
  if (rank !== known.eventRank) return rank > known.eventRank ? 'newer' : 'older';
  if (eventId === known.eventId) return 'newer';
  return sameState(known, reported) ? 'same' : 'tie';
}

interface Write {
  readonly state: Subscription;
  readonly position: Position;
}

function stateOf({ id, created, change }: BillingEvent, unsettled = false): Write | undefined {
  if (change.type !== 'subscription') return undefined;
  const position = { asOf: created, eventRank: change.rank, eventId: id, unsettled };
  return { state: change.subscription, position };
}

/** The state that was stored, now for good. */
function keep(known: StoredSubscription): Write {
  return { state: known, position: { ...known, unsettled: false } };
}

/**
 * Which of two events counts: the one that the provider's answer agrees with. If neither does, the event that arrived last
 * counts for now, and the provider is asked again later, because the right event may have lost against another one before.
 */
function choose(event: BillingEvent, known: StoredSubscription, answer: Answer): Write | undefined {
  if (answer && sameState(known, answer)) return keep(known);
  return stateOf(event, !agrees(event.change, answer));
}

function agrees(change: Change, answer: Answer): boolean {
  return answer ? change.type === 'subscription' && sameState(change.subscription, answer) : false;
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
