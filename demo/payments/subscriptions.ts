import { isDeepStrictEqual } from 'node:util';
import { addMonths } from '../../src/base/plans.ts';
import { notFound, PaymentError } from './errors.ts';
import { makeId } from './ids.ts';
import { billPeriod, collectInvoice, recordInvoice } from './invoices.ts';
import type { Ledger } from './ledger.ts';
import type { Price } from './prices.ts';
import { findById, type Invoice, type PaymentState, type Subscription } from './state.ts';

/** The life of a subscription. Each step changes it and its invoices, and records the events that Stripe would send. */
export function findSubscription({ subscriptions }: PaymentState, id: string): Subscription {
  const subscription = findById(subscriptions, id);
  if (subscription === undefined) throw notFound('subscription', id);
  return subscription;
}

/** The caller records the event of the invoice, after its own. */
export function startSubscription(
  ledger: Ledger,
  customer: string,
  price: Price,
  metadata: Readonly<Record<string, string>>,
): { readonly subscription: Subscription; readonly invoice: Invoice } {
  const subscription = makeSubscription(customer, price, metadata, ledger.now());
  ledger.state.subscriptions[subscription.id] = subscription;
  const invoice = bill(ledger, subscription);
  ledger.record('customer.subscription.created', subscription);
  return { subscription, invoice };
}

function makeSubscription(
  customer: string,
  price: Price,
  metadata: Readonly<Record<string, string>>,
  created: number,
): Subscription {
  const period = { current_period_start: created, current_period_end: nextPeriodEnd(created, created) };
  return {
    id: makeId('sub'),
    object: 'subscription',
    billing_cycle_anchor: created,
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    created,
    customer,
    ended_at: null,
    items: { object: 'list', data: [{ id: makeId('si', 14), object: 'subscription_item', ...period, price }] },
    latest_invoice: '',
    metadata: { ...metadata },
    status: 'active',
  };
}

export function changePrice(ledger: Ledger, subscription: Subscription, price: Price): void {
  requireNotCanceled(subscription);
  update(ledger, subscription, () => {
    subscription.items.data[0].price = price;
  });
}

/** Cancels at the end of the period, or takes such a cancellation back. */
export function cancelAtPeriodEnd(ledger: Ledger, subscription: Subscription, isWanted: boolean): void {
  requireNotCanceled(subscription);
  if (subscription.cancel_at_period_end === isWanted) return;
  update(ledger, subscription, () => {
    subscription.cancel_at_period_end = isWanted;
    subscription.cancel_at = isWanted ? subscription.items.data[0].current_period_end : null;
    subscription.canceled_at = isWanted ? ledger.now() : null;
  });
}

export function cancelSubscription(ledger: Ledger, subscription: Subscription): void {
  if (subscription.status === 'canceled') throw notFound('subscription', subscription.id);
  subscription.canceled_at = ledger.now();
  end(ledger, subscription);
}

export function pauseSubscription(ledger: Ledger, subscription: Subscription): void {
  requireStatus(subscription, ['active', 'past_due'], 'paused');
  const pause = () => {
    subscription.status = 'paused';
  };
  update(ledger, subscription, pause, 'customer.subscription.paused');
}

/** Continues the period that was paid for. If it is over, a new one starts and is billed. */
export function resumeSubscription(ledger: Ledger, subscription: Subscription): void {
  requireStatus(subscription, ['paused'], 'resumed');
  let invoice: Invoice | undefined;
  const resume = () => {
    subscription.status = 'active';
    if (subscription.items.data[0].current_period_end > ledger.now()) return;
    setPeriodAround(subscription, ledger.now());
    invoice = bill(ledger, subscription);
  };
  update(ledger, subscription, resume, 'customer.subscription.resumed');
  if (invoice !== undefined) recordInvoice(ledger, invoice);
}

/** At the end of a period: starts the next one, or ends the subscription if it was cancelled. */
export function renewSubscription(ledger: Ledger, subscription: Subscription): void {
  if (subscription.cancel_at !== null) {
    end(ledger, subscription);
    return;
  }
  let invoice: Invoice | undefined;
  update(ledger, subscription, () => {
    setPeriodAround(subscription, ledger.now());
    invoice = bill(ledger, subscription);
  });
  if (invoice !== undefined) recordInvoice(ledger, invoice);
}

/** A subscription that is past due becomes active again when its latest invoice is paid. */
export function payInvoice(ledger: Ledger, invoice: Invoice): void {
  collectInvoice(ledger, invoice);
  const subscription = findSubscription(ledger.state, invoice.parent.subscription_details.subscription);
  if (subscription.latest_invoice !== invoice.id || subscription.status !== 'past_due') return;
  update(ledger, subscription, () => {
    subscription.status = 'active';
  });
}

/** When time changes the subscription next, if ever. */
export function dueTime({ status, cancel_at, items }: Subscription): number | undefined {
  if (status === 'canceled') return undefined;
  if (cancel_at !== null) return cancel_at;
  return status === 'paused' ? undefined : items.data[0].current_period_end;
}

/** Records an event only if something changed. */
function update(ledger: Ledger, subscription: Subscription, work: () => void, firstEvent?: string): void {
  const before = structuredClone(subscription);
  work();
  if (isDeepStrictEqual(before, subscription)) return;
  if (firstEvent !== undefined) ledger.record(firstEvent, subscription);
  ledger.record('customer.subscription.updated', subscription);
}

function end(ledger: Ledger, subscription: Subscription): void {
  subscription.status = 'canceled';
  subscription.ended_at = ledger.now();
  ledger.record('customer.subscription.deleted', subscription);
}

function bill(ledger: Ledger, subscription: Subscription): Invoice {
  const invoice = billPeriod(ledger, subscription);
  subscription.status = invoice.status === 'paid' ? 'active' : 'past_due';
  return invoice;
}

/** Sets the month of the anchor that contains this instant. A planned cancellation moves to the new end. */
function setPeriodAround(subscription: Subscription, instant: number): void {
  const { billing_cycle_anchor: anchor } = subscription;
  const [item] = subscription.items.data;
  let start = anchor;
  for (let next = nextPeriodEnd(anchor, start); next <= instant; next = nextPeriodEnd(anchor, start)) start = next;
  item.current_period_start = start;
  item.current_period_end = nextPeriodEnd(anchor, start);
  if (subscription.cancel_at !== null) subscription.cancel_at = item.current_period_end;
}

/** Counts months from the anchor, so that a subscription of the 31st returns to the 31st after a shorter month. */
function nextPeriodEnd(anchor: number, start: number): number {
  let months = 1;
  while (addMonths(anchor * 1000, months) / 1000 <= start) months++;
  return addMonths(anchor * 1000, months) / 1000;
}

function requireNotCanceled({ status }: Subscription): void {
  if (status === 'canceled') throw new PaymentError('A canceled subscription can only update its metadata.');
}

function requireStatus({ status }: Subscription, statuses: readonly string[], verb: string): void {
  if (statuses.includes(status)) return;
  throw new PaymentError(`Only ${statuses.join(' or ')} subscriptions can be ${verb}; this one is ${status}.`);
}
