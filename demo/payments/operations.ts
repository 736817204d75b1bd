import { createCheckout } from './checkout.ts';
import { createCustomer, findCustomer } from './customers.ts';
import { noSuch } from './errors.ts';
import type { Ledger } from './ledger.ts';
import type { Parameters } from './parameters.ts';
import { createPortalSession } from './portal-sessions.ts';
import { findPrice } from './prices.ts';
import { findById, type PortalChange } from './state.ts';
import { findSubscription } from './subscriptions.ts';

/** One request of the REST API. It reads all its parameters before it changes anything. */
export type Operation = (call: Call) => object;

interface Call {
  readonly ledger: Ledger;
  readonly params: Parameters;
  /** The id in the path; empty if the path has none. */
  readonly id: string;
  /** The address of the sandbox. */
  readonly address: string;
}

/** The five requests that our billing sends (`src/billing/provider.ts`). */
export const operations: readonly (readonly [method: 'GET' | 'POST', path: string, Operation])[] = [
  ['POST', '/v1/customers', addCustomer],
  ['POST', '/v1/checkout/sessions', startCheckout],
  ['POST', '/v1/billing_portal/sessions', openPortal],
  ['GET', '/v1/subscriptions', listSubscriptions],
  ['GET', '/v1/subscriptions/:id', readSubscription],
];

function addCustomer({ ledger, params }: Call): object {
  const email = params.text('email') ?? null;
  const metadata = params.metadata('metadata');
  params.rejectOthers();
  return createCustomer(ledger, email, metadata);
}

function startCheckout({ ledger, params, address }: Call): object {
  params.constant('mode', 'subscription');
  params.integer('line_items[0][quantity]', 1, 1);
  const priceId = params.requireText('line_items[0][price]');
  const wanted = {
    customer: params.requireText('customer'),
    clientReferenceId: params.requireText('client_reference_id'),
    successUrl: params.requireUrl('success_url'),
    cancelUrl: params.requireUrl('cancel_url'),
    subscriptionMetadata: params.metadata('subscription_data[metadata]'),
  };
  params.rejectOthers();
  const price = findPrice(priceId);
  if (price === undefined) throw noSuch('price', priceId, 'line_items[0][price]');
  const { session } = createCheckout(ledger, { ...wanted, price });
  return { ...session, url: `${address}/checkout/${session.id}` };
}

function openPortal({ ledger, params, address }: Call): object {
  const customer = params.requireText('customer');
  const returnUrl = params.requireUrl('return_url');
  const change = params.text('flow_data[type]') === undefined ? undefined : readChange(ledger, params, customer);
  params.rejectOthers();
  const { session } = createPortalSession(ledger, customer, returnUrl, change);
  return { ...session, url: `${address}/portal/${session.id}` };
}

/** The one flow that our billing uses: it confirms a change of plan. */
function readChange(ledger: Ledger, params: Parameters, customer: string): PortalChange {
  params.constant('flow_data[type]', 'subscription_update_confirm');
  const flow = 'flow_data[subscription_update_confirm]';
  const subscription = params.requireText(`${flow}[subscription]`);
  const itemId = params.requireText(`${flow}[items][0][id]`);
  const price = params.requireText(`${flow}[items][0][price]`);
  params.integer(`${flow}[items][0][quantity]`, 1, 1);
  params.constant('flow_data[after_completion][type]', 'redirect');
  const doneUrl = params.requireUrl('flow_data[after_completion][redirect][return_url]');
  const found = findById(ledger.state.subscriptions, subscription);
  if (found?.customer !== customer) throw noSuch('subscription', subscription, `${flow}[subscription]`);
  if (found.items.data[0].id !== itemId) throw noSuch('subscription item', itemId, `${flow}[items][0][id]`);
  if (findPrice(price) === undefined) throw noSuch('price', price, `${flow}[items][0][price]`);
  return { subscription, price, doneUrl };
}

/** A page of subscriptions, latest first, starting after the one that the client saw last. */
function listSubscriptions({ ledger, params }: Call): object {
  const customer = params.text('customer');
  const includesEnded = params.constant('status', 'all') === 'all';
  const limit = params.integer('limit', 1, 100) ?? 10;
  const after = params.text('starting_after');
  params.rejectOthers();
  if (customer !== undefined) findCustomer(ledger.state, customer, 'customer');
  const matching = Object.values(ledger.state.subscriptions)
    .filter(
      (each) => (customer === undefined || each.customer === customer) && (includesEnded || each.status !== 'canceled'),
    )
    .reverse();
  const last = matching.findIndex(({ id }) => id === after);
  if (after !== undefined && last < 0) throw noSuch('subscription', after, 'starting_after');
  const rest = matching.slice(last + 1);
  return { object: 'list', data: rest.slice(0, limit), has_more: rest.length > limit, url: '/v1/subscriptions' };
}

function readSubscription({ ledger, params, id }: Call): object {
  params.rejectOthers();
  return findSubscription(ledger.state, id);
}
