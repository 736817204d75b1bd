import type { Queries } from '../base/db/db.ts';
import { defineTable } from '../base/db/rows.ts';
import {
  type BillingEvent,
  type Entitlement,
  LIVE_STATUSES,
  type Position,
  type Snapshot,
  type Subscription,
} from './events.ts';

/** The SQL of billing. To avoid deadlocks, all transactions take their locks in one order: customer, event, subscription, account. */

export async function insertEvent(db: Queries, event: BillingEvent, payload: string, now: number): Promise<void> {
  const sql = `
    INSERT INTO billing_events (id, kind, created, received_at, payload) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (id) DO NOTHING`;
  await db.run(sql, [event.id, event.kind, event.created, now, payload]);
}

/** Locks the event until the transaction ends. Returns the outcome of the event, which is null until the event is applied. */
export async function holdEvent(tx: Queries, id: string): Promise<string | null> {
  const sql = 'UPDATE billing_events SET id = id WHERE id = $1 RETURNING outcome';
  const row = await tx.one<{ outcome: string | null }>(sql, [id]);
  if (row === undefined) throw new Error('the event has not been stored');
  return row.outcome;
}

const REDUCIBLE = 'reduced_at IS NULL AND outcome IS NOT NULL';

/** Removes all but id, kind, times and outcome from up to `limit` applied events received before `receivedBefore`. Returns their number. */
export function reduceEvents(tx: Queries, receivedBefore: number, limit: number, now: number): Promise<number> {
  const sql = `
    UPDATE billing_events SET payload = '', customer_id = NULL, subscription_id = NULL, account_id = NULL, reduced_at = $3
    WHERE ${REDUCIBLE} AND id IN (
      SELECT id FROM billing_events WHERE ${REDUCIBLE} AND received_at < $1 ORDER BY received_at LIMIT $2)`;
  return tx.run(sql, [receivedBefore, limit, now]);
}

/** The entitlement of an account, which other rooms read. */
export const accounts = defineTable<Entitlement & { readonly id: string }>('accounts');
export const events = defineTable<StoredEvent & { readonly appliedAt: number }>('billing_events');

type EventKeys = 'id' | 'kind' | 'created' | 'customerId' | 'subscriptionId' | 'accountId';
export interface StoredEvent extends Pick<BillingEvent, EventKeys> {
  readonly receivedAt: number;
  readonly outcome: string | null;
  /** When the payload was removed; null if the event is complete. */
  readonly reducedAt: number | null;
}

/** An event belongs to the account of its customer, even if the link became known after the event. */
const EVENT = `e.id AS id, e.kind AS kind, e.created AS created, e.received_at AS "receivedAt", e.outcome AS outcome,
  e.customer_id AS "customerId", e.subscription_id AS "subscriptionId", coalesce(e.account_id, c.account_id) AS "accountId",
  e.reduced_at AS "reducedAt"
  FROM billing_events e LEFT JOIN billing_customers c ON c.id = e.customer_id`;

export interface EventFilter {
  readonly accountId?: string | undefined;
  /** Only events that should belong to an account but match no account. */
  readonly unmatched?: boolean;
  readonly limit: number;
}

export function listEvents(db: Queries, { accountId, unmatched = false, limit }: EventFilter): Promise<StoredEvent[]> {
  const conditions = ['1 = 1'];
  const params: (string | number)[] = [limit];
  if (accountId !== undefined) conditions.push(`coalesce(e.account_id, c.account_id) = $${params.push(accountId)}`);
  if (unmatched) {
    conditions.push(
      'coalesce(e.account_id, c.account_id) IS NULL AND e.reduced_at IS NULL',
      "e.outcome IS NOT NULL AND e.outcome <> 'ignored'",
    );
  }
  const sql = `SELECT ${EVENT} WHERE ${conditions.join(' AND ')} ORDER BY e.received_at DESC, e.id DESC LIMIT $1`;
  return db.all<StoredEvent>(sql, params);
}

type StoredPayload = Pick<StoredEvent, 'reducedAt'> & { readonly payload: string };

export function findPayload(db: Queries, id: string): Promise<StoredPayload | undefined> {
  const sql = 'SELECT payload, reduced_at AS "reducedAt" FROM billing_events WHERE id = $1';
  return db.one<StoredPayload>(sql, [id]);
}

/** Events that were stored before `receivedBefore` and never applied. */
export function listUnapplied(db: Queries, receivedBefore: number, limit: number): Promise<{ payload: string }[]> {
  const sql = `
    SELECT payload FROM billing_events WHERE outcome IS NULL AND received_at < $1 ORDER BY received_at, id LIMIT $2`;
  return db.all<{ payload: string }>(sql, [receivedBefore, limit]);
}

/** The complete events of the same second about the subscription, except the event that the stored state comes from. */
export function listRivals(db: Queries, known: StoredSubscription): Promise<{ payload: string }[]> {
  const sql = `
    SELECT payload FROM billing_events
    WHERE customer_id = $1 AND subscription_id = $2 AND created = $3 AND id <> $4 AND outcome IS NOT NULL
      AND reduced_at IS NULL ORDER BY id`;
  return db.all<{ payload: string }>(sql, [known.customerId, known.id, known.asOf, known.eventId]);
}

/** Locks the customer and returns its account. A customer without an account is linked to the proposed account, if that account exists. */
export async function holdCustomer(tx: Queries, id: string, proposed: string | null, now: number) {
  const sql = `
    INSERT INTO billing_customers (id, account_id, linked_at) VALUES ($1, (SELECT a.id FROM accounts a WHERE a.id = $2), $3)
    ON CONFLICT (id) DO UPDATE SET account_id = coalesce(billing_customers.account_id, excluded.account_id)
    RETURNING account_id AS "accountId"`;
  const row = await tx.one<{ accountId: string | null }>(sql, [id, proposed, now]);
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

export interface StoredSubscription extends Subscription, Position {
  readonly revision: number;
}

type SubscriptionRow = Omit<StoredSubscription, 'cancelAtPeriodEnd'> & { readonly cancelAtPeriodEnd: number };

const SUBSCRIPTION = `id, customer_id AS "customerId", account_id AS "accountId", status, plan, period_start AS "periodStart",
  period_end AS "periodEnd", cancel_at_period_end AS "cancelAtPeriodEnd", as_of AS "asOf", event_rank AS "eventRank",
  event_id AS "eventId", revision`;

function fromRow(row: SubscriptionRow): StoredSubscription {
  return { ...row, cancelAtPeriodEnd: row.cancelAtPeriodEnd === 1 };
}

/** Locks the subscription until the transaction ends. A new subscription gets the minimum timestamp, so any event is newer. */
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

/** Returns the stored subscription. `unsettled`: the state is one of two states of a tie that the provider has not decided yet. */
export async function writeSubscription(tx: Queries, { state, position }: Snapshot, decision: 'settled' | 'unsettled') {
  const sql = `
    UPDATE subscriptions SET customer_id = coalesce($2, customer_id), status = $3, plan = $4, period_start = $5, period_end = $6,
      cancel_at_period_end = $7, as_of = $8, event_rank = $9, event_id = $10, unsettled = $11, revision = revision + 1
    WHERE id = $1 RETURNING ${SUBSCRIPTION}`;
  const { id, customerId, status, plan, periodStart, periodEnd, cancelAtPeriodEnd } = state;
  const { asOf, eventRank, eventId } = position;
  const content = [customerId, status, plan, periodStart, periodEnd, Number(cancelAtPeriodEnd)];
  const params = [id, ...content, asOf, eventRank, eventId, Number(decision === 'unsettled')];
  return fromRow((await tx.one<SubscriptionRow>(sql, params)) as SubscriptionRow);
}

/** Links the subscription, and all other subscriptions of the customer without an account, to the account. */
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
    RETURNING plan, period_anchor AS "periodAnchor", period_end AS "periodEnd"`;
  const row = await tx.one<Entitlement>(sql, [id]);
  if (row === undefined) throw new Error('the account of the customer does not exist');
  return row;
}
