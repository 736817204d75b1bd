import type { Queries } from '../db/db.ts';
import type { Entitlement, Known } from './entitlement.ts';
import type { BillingEvent } from './events.ts';
import { LIVE_STATUSES, type Subscription } from './subscription.ts';

/**
 * The SQL for events, customers and subscriptions, and for the entitlement of an account. To avoid deadlocks, every
 * transaction takes its locks in the same order: customer, event, subscription, account.
 */

export async function insertEvent(db: Queries, event: BillingEvent, payload: string, now: number): Promise<void> {
  const sql = `
    INSERT INTO billing_events (id, kind, created, received_at, payload) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (id) DO NOTHING`;
  await db.run(sql, [event.id, event.kind, event.created, now, payload]);
}

/** Locks the event until the transaction ends. */
export async function holdEvent(tx: Queries, id: string): Promise<{ outcome: string | null; receivedAt: number }> {
  const row = await tx.one<{ outcome: string | null; receivedAt: number }>(
    'UPDATE billing_events SET id = id WHERE id = $1 RETURNING outcome, received_at AS "receivedAt"',
    [id],
  );
  if (row === undefined) throw new Error('the event has not been stored');
  return row;
}

interface AppliedEvent {
  readonly outcome: string;
  readonly customerId: string | null;
  readonly subscriptionId: string | null;
  readonly accountId: string | null;
}

export async function finishEvent(tx: Queries, id: string, applied: AppliedEvent, now: number): Promise<void> {
  const sql = `
    UPDATE billing_events SET outcome = $2, customer_id = $3, subscription_id = $4, account_id = $5, applied_at = $6
    WHERE id = $1`;
  const { outcome, customerId, subscriptionId, accountId } = applied;
  await tx.run(sql, [id, outcome, customerId, subscriptionId, accountId, now]);
}

/** The record of a change that no event of the provider made. */
export interface OwnEvent {
  readonly id: string;
  readonly kind: 'operator.sync' | 'server.check' | 'server.expiry';
  /** Who made the change: an operator, or `server`. */
  readonly operator: string;
  readonly customerId: string | null;
  readonly subscriptionId: string | null;
  readonly accountId: string | null;
  /** The state before and after, as JSON. */
  readonly change: string;
}

export async function insertOwnEvent(tx: Queries, event: OwnEvent, now: number): Promise<void> {
  const sql = `
    INSERT INTO billing_events (id, kind, created, received_at, payload, customer_id, subscription_id, account_id, outcome,
      applied_at, operator)
    VALUES ($1, $9, $2, $3, $4, $5, $6, $7, 'applied', $3, $8)`;
  const { id, kind, operator, customerId, subscriptionId, accountId, change } = event;
  const created = Math.floor(now / 1_000);
  await tx.run(sql, [id, created, now, change, customerId, subscriptionId, accountId, operator, kind]);
}

const REDUCIBLE = 'reduced_at IS NULL AND operator IS NULL AND outcome IS NOT NULL';

/**
 * Removes all but id, kind, times and outcome from up to `limit` events that are applied and were received before
 * `receivedBefore`. Returns how many.
 */
export function reduceEvents(tx: Queries, receivedBefore: number, limit: number, now: number): Promise<number> {
  const sql = `
    UPDATE billing_events SET payload = '', customer_id = NULL, subscription_id = NULL, account_id = NULL, reduced_at = $3
    WHERE ${REDUCIBLE} AND id IN (
      SELECT id FROM billing_events WHERE ${REDUCIBLE} AND received_at < $1 ORDER BY received_at LIMIT $2)`;
  return tx.run(sql, [receivedBefore, limit, now]);
}

export interface StoredEvent {
  readonly id: string;
  readonly kind: string;
  readonly created: number;
  readonly receivedAt: number;
  readonly outcome: string | null;
  readonly customerId: string | null;
  readonly subscriptionId: string | null;
  readonly accountId: string | null;
  /** When its payload was removed; null if it is complete. */
  readonly reducedAt: number | null;
  /** Who made the change, an operator or `server`; null for events of the payment provider. */
  readonly operator: string | null;
  /** The state before and after that change, as JSON; null for events of the payment provider. */
  readonly change: string | null;
}

/** An event belongs to the account of its customer, even if the link became known after the event. */
const EVENT = `e.id AS id, e.kind AS kind, e.created AS created, e.received_at AS "receivedAt", e.outcome AS outcome,
  e.customer_id AS "customerId", e.subscription_id AS "subscriptionId", coalesce(e.account_id, c.account_id) AS "accountId",
  e.reduced_at AS "reducedAt", e.operator AS operator, CASE WHEN e.operator IS NULL THEN NULL ELSE e.payload END AS change
  FROM billing_events e LEFT JOIN billing_customers c ON c.id = e.customer_id`;

export interface EventFilter {
  readonly accountId?: string | undefined;
  /** Only events that should belong to an account but match none. */
  readonly unmatched?: boolean;
  readonly limit: number;
}

/** Latest first. */
export function listEvents(db: Queries, { accountId, unmatched = false, limit }: EventFilter): Promise<StoredEvent[]> {
  const conditions = ['1 = 1'];
  const params: (string | number)[] = [limit];
  if (accountId !== undefined) conditions.push(`coalesce(e.account_id, c.account_id) = $${params.push(accountId)}`);
  if (unmatched) {
    conditions.push(
      'coalesce(e.account_id, c.account_id) IS NULL AND e.reduced_at IS NULL AND e.operator IS NULL',
      "e.outcome IS NOT NULL AND e.outcome <> 'ignored'",
    );
  }
  const sql = `SELECT ${EVENT} WHERE ${conditions.join(' AND ')} ORDER BY e.received_at DESC, e.id DESC LIMIT $1`;
  return db.all<StoredEvent>(sql, params);
}

type StoredPayload = Pick<StoredEvent, 'reducedAt' | 'operator'> & { readonly payload: string };

export function findPayload(db: Queries, id: string): Promise<StoredPayload | undefined> {
  const sql = 'SELECT payload, reduced_at AS "reducedAt", operator FROM billing_events WHERE id = $1';
  return db.one<StoredPayload>(sql, [id]);
}

/** Events that were stored before `receivedBefore` and never applied. */
export function listUnapplied(db: Queries, receivedBefore: number, limit: number): Promise<{ payload: string }[]> {
  const sql = `
    SELECT payload FROM billing_events WHERE outcome IS NULL AND received_at < $1 ORDER BY received_at, id LIMIT $2`;
  return db.all<{ payload: string }>(sql, [receivedBefore, limit]);
}

/**
 * Locks the customer until the transaction ends and returns its account. If it has none yet, it is linked to the
 * proposed account, provided that account exists.
 */
export async function holdCustomer(
  tx: Queries,
  id: string,
  proposedAccountId: string | null,
  now: number,
): Promise<string | null> {
  const sql = `
    INSERT INTO billing_customers (id, account_id, linked_at) VALUES ($1, (SELECT a.id FROM accounts a WHERE a.id = $2), $3)
    ON CONFLICT (id) DO UPDATE SET account_id = coalesce(billing_customers.account_id, excluded.account_id)
    RETURNING account_id AS "accountId"`;
  const row = await tx.one<{ accountId: string | null }>(sql, [id, proposedAccountId, now]);
  return row?.accountId ?? null;
}

export async function findAccount(tx: Queries, id: string): Promise<string | null> {
  return (await tx.one<{ id: string }>('SELECT id FROM accounts WHERE id = $1', [id]))?.id ?? null;
}

const LIVE = LIVE_STATUSES.map((status) => `'${status}'`).join(', ');

/** The customers of an account: those with a live subscription first, then the most recent. */
export function listCustomers(db: Queries, accountId: string): Promise<{ id: string }[]> {
  const sql = `
    SELECT c.id AS id FROM billing_customers c WHERE c.account_id = $1
    ORDER BY (SELECT count(*) FROM subscriptions s WHERE s.customer_id = c.id
      AND s.status IN (${LIVE})) DESC, c.linked_at DESC, c.id`;
  return db.all<{ id: string }>(sql, [accountId]);
}

export interface StoredSubscription extends Known {
  readonly eventRank: number;
  readonly eventId: string | null;
  readonly revision: number;
  readonly unsettled: boolean;
}

export type SubscriptionRow = Omit<StoredSubscription, 'cancelAtPeriodEnd' | 'unsettled'> & {
  readonly cancelAtPeriodEnd: number;
  readonly unsettled: number;
};

export const SUBSCRIPTION = `id, customer_id AS "customerId", account_id AS "accountId", status, plan, period_start AS "periodStart",
  period_end AS "periodEnd", cancel_at_period_end AS "cancelAtPeriodEnd", cancel_at AS "cancelAt", as_of AS "asOf",
  confirmed_at AS "confirmedAt",
  event_rank AS "eventRank", event_id AS "eventId", revision, unsettled`;

export function fromRow(row: SubscriptionRow): StoredSubscription {
  return { ...row, cancelAtPeriodEnd: row.cancelAtPeriodEnd === 1, unsettled: row.unsettled === 1 };
}

/** Locks the subscription until the transaction ends. A new one gets the minimum timestamp, so any event is newer. */
export async function holdSubscription(tx: Queries, id: string): Promise<StoredSubscription> {
  const sql = `
    INSERT INTO subscriptions (id, status, cancel_at_period_end, as_of, event_rank, revision, unsettled)
    VALUES ($1, 'unknown', 0, -1, 0, 0, 0)
    ON CONFLICT (id) DO UPDATE SET id = excluded.id
    RETURNING ${SUBSCRIPTION}`;
  const row = await tx.one<SubscriptionRow>(sql, [id]);
  if (row === undefined) throw new Error('the subscription was neither found nor inserted');
  return fromRow(row);
}

/** The position of a state in the provider's history; a state never replaces one with a later position. */
export interface Position {
  readonly asOf: number;
  readonly eventRank: number;
  readonly eventId: string | null;
  readonly unsettled: boolean;
}

interface SubscriptionTimes {
  readonly confirmedAt: number;
  /** When the provider has to be asked if no event renews the subscription; null if it is not live. */
  readonly checkAt: number | null;
}

export async function writeSubscription(
  tx: Queries,
  state: Subscription,
  position: Position,
  { confirmedAt, checkAt }: SubscriptionTimes,
): Promise<void> {
  const sql = `
    UPDATE subscriptions SET customer_id = coalesce($2, customer_id), status = $3, plan = $4, period_start = $5, period_end = $6,
      cancel_at_period_end = $7, as_of = $8, event_rank = $9, event_id = $10, unsettled = $11, cancel_at = $12,
      check_at = $13, confirmed_at = $14, revision = revision + 1
    WHERE id = $1`;
  const { id, customerId, status, plan, periodStart, periodEnd, cancelAtPeriodEnd, cancelAt } = state;
  const { asOf, eventRank, eventId, unsettled } = position;
  await tx.run(sql, [
    id,
    customerId,
    status,
    plan,
    periodStart,
    periodEnd,
    Number(cancelAtPeriodEnd),
    asOf,
    eventRank,
    eventId,
    Number(unsettled),
    cancelAt,
    checkAt,
    confirmedAt,
  ]);
}

/** Links the subscription, and all others of the customer that have no account yet, to the account. */
export async function assignAccount(
  tx: Queries,
  accountId: string,
  { id, customerId }: { readonly id: string | null; readonly customerId: string | null },
): Promise<void> {
  const sql = 'UPDATE subscriptions SET account_id = $1 WHERE account_id IS NULL AND (id = $2 OR customer_id = $3)';
  await tx.run(sql, [accountId, id, customerId]);
}

export async function listSubscriptions(db: Queries, accountId?: string): Promise<StoredSubscription[]> {
  const where = accountId === undefined ? '' : 'WHERE account_id = $1';
  const sql = `SELECT ${SUBSCRIPTION} FROM subscriptions ${where} ORDER BY id`;
  return (await db.all<SubscriptionRow>(sql, accountId === undefined ? [] : [accountId])).map(fromRow);
}

export async function listUnsettled(db: Queries, limit: number): Promise<StoredSubscription[]> {
  const sql = `SELECT ${SUBSCRIPTION} FROM subscriptions WHERE unsettled = 1 ORDER BY id LIMIT $1`;
  return (await db.all<SubscriptionRow>(sql, [limit])).map(fromRow);
}

/** Locks the account until the transaction ends, so that concurrent events cannot compute its entitlement from old data. */
export async function holdAccount(tx: Queries, id: string): Promise<Entitlement> {
  const sql = `
    UPDATE accounts SET plan = plan WHERE id = $1
    RETURNING plan, period_anchor AS "periodAnchor", period_end AS "periodEnd", plan_ends_at AS "planEndsAt"`;
  const row = await tx.one<Entitlement>(sql, [id]);
  if (row === undefined) throw new Error('the account of the customer does not exist');
  return row;
}

export async function writeEntitlement(tx: Queries, accountId: string, entitlement: Entitlement): Promise<void> {
  const { plan, periodAnchor, periodEnd, planEndsAt } = entitlement;
  const sql = 'UPDATE accounts SET plan = $2, period_anchor = $3, period_end = $4, plan_ends_at = $5 WHERE id = $1';
  await tx.run(sql, [accountId, plan, periodAnchor, periodEnd, planEndsAt]);
}
