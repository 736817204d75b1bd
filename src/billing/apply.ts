import type { Clock } from '../core/clock.ts';
import type { PlanId } from '../core/plans.ts';
import type { Db, Queries } from '../db/db.ts';
import { chooseSubscription, type Entitlement, entitlementOf } from './entitlement.ts';
import { type BillingEvent, type Change, isUnderstood, RANK_OF_READING } from './events.ts';
import { nextCheckAt } from './expiry/schedule.ts';
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
import { type Reading, type Subscription, sameState } from './subscription.ts';

/**
 * Turns an event, or a reading from the provider, into stored state. One transaction holds the locks of the customer,
 * the event, the subscription and the account, so events lead to the same state in any order, repeated or concurrent.
 */
export type EventOutcome = 'applied' | 'stale' | 'ignored' | 'unreadable' | 'unknown_price';

interface Applied {
  readonly outcome: EventOutcome;
  /** The event had been applied before; nothing was changed. */
  readonly duplicate: boolean;
  readonly accountId: string | null;
}

/** Returns undefined while the provider cannot be reached. */
export type AskProvider = (subscriptionId: string) => Promise<Reading | undefined>;

interface ApplyOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly ask: AskProvider;
  /** How long a subscription may be late with its renewal before the provider is asked. */
  readonly graceMs: number;
  /** Called after a commit that changed the entitlement of an account. */
  readonly onChange: (accountId: string, entitlement: Entitlement) => void;
}

export interface Applier {
  /** `again` applies an event that was applied before, for `billing replay`. */
  applyEvent(event: BillingEvent, options?: { again?: boolean }): Promise<Applied>;
  /**
   * Stores a reading unless something newer is stored. `known` is what was stored when the reading was requested.
   * `record` runs in the same transaction if the reading changes something.
   */
  applyReading(
    reading: Reading,
    known: StoredSubscription | undefined,
    record?: (tx: Queries, change: ReadingChange) => Promise<void>,
  ): Promise<'written' | 'unchanged' | 'overtaken'>;
  /**
   * Computes the entitlement of an account again, because time has passed. `record` runs in the same transaction if the
   * plan changes.
   */
  refreshAccount(accountId: string, record: (tx: Queries, change: Ended) => Promise<void>): Promise<void>;
}

/** The plan of an account before and after a change. */
interface PlanChange {
  readonly before: PlanId;
  readonly after: PlanId;
}

/** What time alone has changed. */
interface Ended extends PlanChange {
  /** The subscription that entitled the account before. */
  readonly subscription: StoredSubscription | undefined;
}

/** What a reading changed. */
interface ReadingChange {
  readonly accountId: string | null;
  /** Undefined if the subscription was not known. */
  readonly before: StoredSubscription | undefined;
  /** The plan of the account before and after; undefined without an account. */
  readonly plans: PlanChange | undefined;
}

export function createApplier({ db, clock, ask, graceMs, onChange }: ApplyOptions): Applier {
  /** Computes the entitlement from all subscriptions of the account and writes it if it changed. */
  async function refreshEntitlement(tx: Queries, accountId: string): Promise<Refreshed> {
    const before = await holdAccount(tx, accountId);
    const subscriptions = await listSubscriptions(tx, accountId);
    // A plan without a subscription was not bought: it stays.
    const isBought = subscriptions.length > 0 || before.planEndsAt !== null;
    const after = isBought ? entitlementOf(subscriptions, { now: clock.now(), graceMs }) : before;
    const isChanged =
      after.plan !== before.plan || after.periodAnchor !== before.periodAnchor || after.periodEnd !== before.periodEnd;
    if (isChanged || after.planEndsAt !== before.planEndsAt) await writeEntitlement(tx, accountId, after);
    return { accountId, subscriptions, before, after, isChanged };
  }

  async function write(tx: Queries, { state, position }: Write, confirmedAt: number): Promise<void> {
    const checkAt = nextCheckAt({ ...state, asOf: position.asOf }, { now: clock.now(), graceMs });
    await writeSubscription(tx, state, position, { confirmedAt, checkAt });
  }

  function announce(refreshed: Refreshed | undefined): void {
    if (refreshed?.isChanged === true) onChange(refreshed.accountId, refreshed.after);
  }

  async function findOwner(tx: Queries, { customerId, proposed }: Owner): Promise<string | null> {
    if (customerId !== null) return holdCustomer(tx, customerId, proposed, clock.now());
    return proposed === null ? null : findAccount(tx, proposed);
  }

  /** One attempt. If two events of the same second contradict each other, it changes nothing and returns a question. */
  async function attempt(tx: Queries, event: BillingEvent, again: boolean, answer: Answer | undefined) {
    const owner = ownerOf(event.change);
    const accountId = await findOwner(tx, owner);
    const { outcome: before, receivedAt } = await holdEvent(tx, event.id);
    if (before !== null && !again) return { applied: { outcome: before as EventOutcome, duplicate: true, accountId } };

    let outcome = outcomeWithoutState(event.change);
    if (event.change.type === 'subscription') {
      const known = await holdSubscription(tx, event.change.subscription.id);
      const verdict = compare(known, event.created, event.change.rank, event.id, event.change.subscription);
      if (verdict === 'tie' && answer?.revision !== known.revision) return { question: known };
      const next = verdict === 'tie' ? settle(event, known, answer) : verdict === 'newer' ? stateOf(event) : undefined;
      if (next !== undefined) await write(tx, next, receivedAt);
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
    async applyEvent(event, { again = false } = {}) {
      let answer: Answer | undefined;
      for (;;) {
        const result = await db.transaction((tx) => attempt(tx, event, again, answer));
        if (result.question === undefined) {
          announce(result.refreshed);
          return result.applied;
        }
        // Outside the transaction, so that no lock is held while the provider answers.
        const { id, revision } = result.question;
        answer = { revision, reading: await ask(id) };
      }
    },
    async applyReading(reading, expected, record) {
      const { subscription, asOf } = reading;
      const { outcome, refreshed } = await db.transaction(async (tx) => {
        const accountId = await findOwner(tx, {
          customerId: subscription.customerId,
          proposed: subscription.accountId,
        });
        const known = await holdSubscription(tx, subscription.id);
        const before = known.asOf >= 0 ? known : undefined;
        // A reading of the same second may settle a tie that is still open; otherwise only a newer reading counts.
        const answers = expected?.unsettled === true && expected.revision === known.revision;
        const isSame = before !== undefined && sameState(known, subscription);
        if (!answers && known.asOf >= asOf) return { outcome: isSame ? UNCHANGED : OVERTAKEN };
        // A reading of the same state confirms it at a later second.
        await write(tx, { state: subscription, position: positionOf(reading, known) }, clock.now());
        if (accountId !== null) await assignAccount(tx, accountId, subscription);
        const refreshed = accountId === null ? undefined : await refreshEntitlement(tx, accountId);
        if (isSame && refreshed?.isChanged !== true) return { outcome: UNCHANGED };
        const plans = refreshed && { before: refreshed.before.plan, after: refreshed.after.plan };
        await record?.(tx, { accountId, before, plans });
        return { outcome: WRITTEN, refreshed };
      });
      announce(refreshed);
      return outcome;
    },
    async refreshAccount(accountId, record) {
      const refreshed = await db.transaction(async (tx) => {
        const result = await refreshEntitlement(tx, accountId);
        const { before, after, subscriptions } = result;
        // At the minimum timestamp, no live subscription has ended.
        const subscription = chooseSubscription(subscriptions, { now: 0, graceMs });
        if (before.plan !== after.plan) await record(tx, { before: before.plan, after: after.plan, subscription });
        return result;
      });
      announce(refreshed);
    },
  };
}

interface Refreshed {
  readonly accountId: string;
  readonly subscriptions: readonly StoredSubscription[];
  readonly before: Entitlement;
  readonly after: Entitlement;
  readonly isChanged: boolean;
}

const [WRITTEN, UNCHANGED, OVERTAKEN] = ['written', 'unchanged', 'overtaken'] as const;

interface Answer {
  /** The subscription's revision at the time of the question. If it has changed, the answer is outdated. */
  readonly revision: number;
  readonly reading: Reading | undefined;
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

/** The provider's answer decides. Without one, the event that arrived last wins for now, and the provider is asked again later. */
function settle(event: BillingEvent, known: StoredSubscription, answer: Answer | undefined): Write | undefined {
  const reading = answer?.reading;
  if (reading === undefined) return stateOf(event, true);
  if (!isUnderstood(reading.subscription)) return stateOf(event);
  return { state: reading.subscription, position: positionOf(reading, known) };
}

/** The second of the reading; if that is not later than the stored state, the reading takes its position. */
function positionOf({ asOf }: Reading, known: StoredSubscription): Position {
  const { asOf: second, eventRank } = asOf > known.asOf ? { asOf, eventRank: RANK_OF_READING } : known;
  return { asOf: second, eventRank, eventId: null, unsettled: false };
}
