import { findCustomer, findPaymentMethod } from './customers.ts';
import { noSuch, PaymentError } from './errors.ts';
import { recordInvoice } from './invoices.ts';
import { listPage } from './lists.ts';
import type { Call, Route } from './operations.ts';
import type { Parameters } from './parameters.ts';
import type { Price } from './prices.ts';
import { readPrice } from './purchase-operations.ts';
import type { Subscription } from './subscription-object.ts';
import {
  cancelSubscription,
  findSubscription,
  pauseSubscription,
  resumeSubscription,
  startSubscription,
  updateSubscription,
} from './subscriptions.ts';

export const subscriptionOperations: readonly Route[] = [
  ['GET', '/v1/subscriptions', listSubscriptions],
  ['POST', '/v1/subscriptions', createSubscription],
  ['POST', '/v1/subscriptions/:id', changeSubscription],
  ['DELETE', '/v1/subscriptions/:id', endSubscription],
  ['POST', '/v1/subscriptions/:id/pause', pause],
  ['POST', '/v1/subscriptions/:id/resume', resume],
];

const STATUSES = [
  'active',
  'all',
  'canceled',
  'ended',
  'incomplete',
  'incomplete_expired',
  'past_due',
  'paused',
  'trialing',
  'unpaid',
] as const;

/** How differences in price are billed: the sandbox never does. */
const OF_NO_MATTER = ['proration_behavior', 'payment_behavior', 'billing_mode', 'off_session'];

function listSubscriptions({ ledger, params }: Call): object {
  const customer = params.text('customer');
  const price = params.text('price');
  const status = params.choice('status', STATUSES);
  if (customer !== undefined) findCustomer(ledger.state, customer, 'customer');
  const matching = Object.values(ledger.state.subscriptions).filter(
    (subscription) =>
      (customer === undefined || subscription.customer === customer) &&
      (price === undefined || subscription.items.data[0].price.id === price) &&
      hasStatus(subscription, status),
  );
  const page = listPage('/v1/subscriptions', matching, params);
  params.refuseOthers();
  return page;
}

/** Ended ones are shown to whoever asks for them only. */
function hasStatus({ status }: Subscription, wanted: (typeof STATUSES)[number] | undefined): boolean {
  if (wanted === undefined) return status !== 'canceled';
  if (wanted === 'ended') return status === 'canceled';
  return wanted === 'all' || status === wanted;
}

function createSubscription({ ledger, params }: Call): object {
  const customer = findCustomer(ledger.state, params.requireText('customer'), 'customer');
  const [item, ...others] = params.parts('items');
  if (item === undefined) {
    throw new PaymentError('Missing required param: items.', { code: 'parameter_missing', param: 'items' });
  }
  const price = readOneItem(params, item, others);
  const metadata = params.metadata('metadata');
  params.ignore(...OF_NO_MATTER);
  params.refuseOthers();
  const paymentMethod = findPaymentMethod(ledger.state, customer)?.id;
  if (price === undefined)
    throw new PaymentError('Missing required param: items[0][price].', { code: 'parameter_missing' });
  if (paymentMethod === undefined) {
    const message =
      'This customer has no attached payment source or default payment method. ' +
      'Give it one with payment_method=pm_card_visa, or by a checkout.';
    throw new PaymentError(message, { code: 'resource_missing' });
  }
  const wanted = { customer: customer.id, price, metadata, paymentMethod };
  const { subscription, invoice } = startSubscription(ledger, wanted);
  recordInvoice(ledger, invoice);
  return subscription;
}

function readOneItem(params: Parameters, item: Parameters, others: readonly Parameters[]): Price | undefined {
  if (others.length > 0) throw params.invalid('items', 'In the sandbox a subscription has one item');
  item.integer('quantity', 1, 1);
  return item.isText('price') ? readPrice(item) : undefined;
}

function changeSubscription({ ledger, params, id }: Call): object {
  const subscription = findSubscription(ledger.state, id);
  const [item, ...others] = params.parts('items');
  const price = item && readItemChange(params, subscription, item, others);
  const changes = {
    price,
    cancelAtPeriodEnd: params.flag('cancel_at_period_end'),
    metadata: params.metadata('metadata'),
    description: params.text('description'),
  };
  params.ignore(...OF_NO_MATTER);
  params.refuseOthers();
  return updateSubscription(ledger, id, changes);
}

function readItemChange(
  params: Parameters,
  { items }: Subscription,
  item: Parameters,
  others: readonly Parameters[],
): Price | undefined {
  const id = item.text('id');
  if (id === undefined) {
    const message = `Without items[0][id] a second item would be added, which the sandbox does not know: send ${items.data[0].id}`;
    throw new PaymentError(message, { code: 'parameter_missing', param: item.nameOf('id') });
  }
  if (id !== items.data[0].id) throw noSuch('subscription item', id, item.nameOf('id'));
  return readOneItem(params, item, others);
}

function endSubscription({ ledger, params, id }: Call): object {
  params.ignore('invoice_now', 'prorate', 'cancellation_details');
  params.refuseOthers();
  return cancelSubscription(ledger, id);
}

function pause({ ledger, params, id }: Call): object {
  params.choice('type', ['subscription']);
  params.ignore('bill_for', 'invoicing_behavior');
  params.refuseOthers();
  return pauseSubscription(ledger, id);
}

/** The anchor is a word in older versions of the API, an object with a type in newer ones. */
function resume({ ledger, params, id }: Call): object {
  const name = 'billing_cycle_anchor';
  const [holder, key] = params.isText(name) ? [params, name] : [params.part(name), 'type'];
  const anchor = holder.choice(key, ['now', 'unchanged']) ?? 'now';
  params.ignore(...OF_NO_MATTER);
  params.refuseOthers();
  return resumeSubscription(ledger, id, anchor);
}
