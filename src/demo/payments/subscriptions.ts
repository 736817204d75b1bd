import { applyMetadata, chargeCustomer, findCustomer } from './customers.ts';
import { cardDeclined, notFound, PaymentError } from './errors.ts';
import { findPreviousAttributes } from './events.ts';
import { type BillingReason, billPeriod, collectInvoice, type Invoice, recordInvoice } from './invoices.ts';
import type { Ledger, PaymentState } from './ledger.ts';
import { type Price, planOf } from './prices.ts';
import { makeSubscription, type NewSubscription, nextPeriodEnd, type Subscription } from './subscription-object.ts';

/** The life of a subscription: each step changes it, its invoices, and records the events that Stripe would send. */
export function findSubscription({ subscriptions }: PaymentState, id: string): Subscription {
  const subscription = Object.hasOwn(subscriptions, id) ? subscriptions[id] : undefined;
  if (subscription === undefined) throw notFound('subscription', id);
  return subscription;
}

/** Without a first payment there is none. The event of its invoice is the caller's to record, after its own. */
export function startSubscription(ledger: Ledger, wanted: NewSubscription): Started {
  if (!chargeCustomer(ledger, wanted.customer)) throw cardDeclined();
  const subscription = makeSubscription(wanted, ledger.now());
  ledger.state.subscriptions[subscription.id] = subscription;
  const invoice = bill(ledger, subscription, 'subscription_create');
  ledger.record('customer.subscription.created', subscription);
  return { subscription, invoice };
}

interface Started {
  readonly subscription: Subscription;
  readonly invoice: Invoice;
}

export interface SubscriptionChanges {
  readonly price?: Price | undefined;
  readonly cancelAtPeriodEnd?: boolean | undefined;
  readonly metadata?: ReadonlyMap<string, string>;
  readonly description?: string | undefined;
}

export function updateSubscription(ledger: Ledger, id: string, changes: SubscriptionChanges): Subscription {
  const { price, cancelAtPeriodEnd, metadata = new Map(), description } = changes;
  const subscription = findSubscription(ledger.state, id);
  if (subscription.status === 'canceled' && (price !== undefined || cancelAtPeriodEnd !== undefined)) {
    const message = 'A canceled subscription can only update its cancellation_details and metadata.';
    throw new PaymentError(message, { code: 'invalid_canceled_subscription_fields' });
  }
  return update(ledger, subscription, () => {
    if (price !== undefined) setPrice(subscription, price);
    if (cancelAtPeriodEnd === true && !subscription.cancel_at_period_end)
      scheduleCancellation(subscription, ledger.now());
    if (cancelAtPeriodEnd === false) dropCancellation(subscription);
    if (description !== undefined) subscription.description = description || null;
    applyMetadata(subscription.metadata, metadata);
  });
}

export function cancelSubscription(ledger: Ledger, id: string): Subscription {
  const subscription = findSubscription(ledger.state, id);
  if (subscription.status === 'canceled') throw notFound('subscription', id);
  subscription.canceled_at = ledger.now();
  return end(ledger, subscription);
}

export function pauseSubscription(ledger: Ledger, id: string): Subscription {
  const subscription = findSubscription(ledger.state, id);
  requireStatus(subscription, ['active', 'past_due'], 'paused');
  return update(ledger, subscription, () => setPaused(subscription, ledger.now()), 'customer.subscription.paused');
}

/** From now on a new period begins and is billed; or the old one goes on, with what was paid for it. */
export function resumeSubscription(ledger: Ledger, id: string, anchor: 'now' | 'unchanged'): Subscription {
  const subscription = findSubscription(ledger.state, id);
  requireStatus(subscription, ['paused'], 'resumed');
  let invoice: Invoice | undefined;
  const resume = () => {
    subscription.status = 'active';
    subscription.status_details = undefined;
    if (anchor === 'now') subscription.billing_cycle_anchor = ledger.now();
    const isPaid = anchor === 'unchanged' && subscription.items.data[0].current_period_end > ledger.now();
    if (isPaid) return;
    setPeriodAround(subscription, ledger.now());
    invoice = bill(ledger, subscription, 'subscription_update');
  };
  update(ledger, subscription, resume, 'customer.subscription.resumed');
  if (invoice !== undefined) recordInvoice(ledger, invoice);
  return subscription;
}

/** At the end of a period: the next one, or the end. */
export function renewSubscription(ledger: Ledger, subscription: Subscription): void {
  if (subscription.cancel_at !== null) {
    end(ledger, subscription);
    return;
  }
  let invoice: Invoice | undefined;
  update(ledger, subscription, () => {
    setPeriodAround(subscription, ledger.now());
    invoice = bill(ledger, subscription, 'subscription_cycle');
  });
  if (invoice !== undefined) recordInvoice(ledger, invoice);
}

/** Of the latest invoice it depends whether a subscription is past due. */
export function payInvoice(ledger: Ledger, invoiceId: string): Invoice {
  const invoice = collectInvoice(ledger, invoiceId);
  recordInvoice(ledger, invoice);
  const subscription = findSubscription(ledger.state, invoice.parent.subscription_details.subscription);
  const isSettled = invoice.status === 'paid' && subscription.latest_invoice === invoice.id;
  if (isSettled) findCustomer(ledger.state, invoice.customer).delinquent = false;
  if (isSettled && subscription.status === 'past_due') {
    update(ledger, subscription, () => {
      subscription.status = 'active';
    });
  }
  return invoice;
}

/** When time changes a subscription next, if it does. */
export function dueTime({ status, cancel_at, items }: Subscription): number | undefined {
  if (status === 'canceled') return undefined;
  if (cancel_at !== null) return cancel_at;
  return status === 'paused' ? undefined : items.data[0].current_period_end;
}

/** The events tell what was there before; where nothing changed there is none. */
function update(ledger: Ledger, subscription: Subscription, work: () => void, alsoRecord?: string): Subscription {
  const before = structuredClone(subscription);
  work();
  const previous = findPreviousAttributes(before, subscription);
  if (previous === undefined) return subscription;
  if (alsoRecord !== undefined) ledger.record(alsoRecord, subscription);
  ledger.record('customer.subscription.updated', subscription, previous);
  return subscription;
}

function end(ledger: Ledger, subscription: Subscription): Subscription {
  subscription.status = 'canceled';
  subscription.ended_at = ledger.now();
  subscription.cancellation_details.reason = 'cancellation_requested';
  subscription.status_details = undefined;
  ledger.record('customer.subscription.deleted', subscription);
  return subscription;
}

function bill(ledger: Ledger, subscription: Subscription, reason: BillingReason): Invoice {
  const invoice = billPeriod(ledger, subscription, reason);
  subscription.status = invoice.status === 'paid' ? 'active' : 'past_due';
  findCustomer(ledger.state, subscription.customer).delinquent = invoice.status !== 'paid';
  return invoice;
}

function setPrice(subscription: Subscription, price: Price): void {
  const [item] = subscription.items.data;
  item.price = price;
  item.plan = planOf(price);
}

function setPaused(subscription: Subscription, now: number): void {
  subscription.status = 'paused';
  subscription.status_details = {
    paused: { type: 'subscription', subscription: { type: 'pause_requested' }, transitioned_at: now },
  };
}

function scheduleCancellation(subscription: Subscription, now: number): void {
  subscription.cancel_at_period_end = true;
  subscription.cancel_at = subscription.items.data[0].current_period_end;
  subscription.canceled_at = now;
  subscription.cancellation_details.reason = 'cancellation_requested';
}

function dropCancellation(subscription: Subscription): void {
  subscription.cancel_at_period_end = false;
  subscription.cancel_at = null;
  subscription.canceled_at = null;
  subscription.cancellation_details.reason = null;
}

/** The month of the anchor that holds this instant; a planned cancellation moves along with its end. */
function setPeriodAround(subscription: Subscription, instant: number): void {
  const { billing_cycle_anchor: anchor } = subscription;
  const [item] = subscription.items.data;
  let start = anchor;
  for (let next = nextPeriodEnd(anchor, start); next <= instant; next = nextPeriodEnd(anchor, start)) start = next;
  item.current_period_start = start;
  item.current_period_end = nextPeriodEnd(anchor, start);
  if (subscription.cancel_at !== null) subscription.cancel_at = item.current_period_end;
}

function requireStatus({ status }: Subscription, statuses: readonly string[], verb: string): void {
  if (statuses.includes(status)) return;
  throw new PaymentError(`Only ${statuses.join(' or ')} subscriptions can be ${verb}; this one is ${status}.`);
}
