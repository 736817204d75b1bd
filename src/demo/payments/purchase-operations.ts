import { type Checkout, type CheckoutSession, createCheckout, expireCheckout, findCheckout } from './checkout.ts';
import { noSuch, PaymentError } from './errors.ts';
import { listPage } from './lists.ts';
import type { Call, Route } from './operations.ts';
import type { Parameters } from './parameters.ts';
import { createPortalSession } from './portal-sessions.ts';
import { findPrice, type Price } from './prices.ts';

/** The ways to the hosted pages: checkout, and the customer portal. */
export const purchaseOperations: readonly Route[] = [
  ['GET', '/v1/checkout/sessions', listCheckouts],
  ['POST', '/v1/checkout/sessions', startCheckout],
  ['GET', '/v1/checkout/sessions/:id', readCheckout],
  ['POST', '/v1/checkout/sessions/:id/expire', endCheckout],
  ['POST', '/v1/billing_portal/sessions', openPortal],
];

/** Wishes about the look of the page and about taxes, of which the sandbox knows nothing. */
const OF_NO_MATTER = [
  'allow_promotion_codes',
  'automatic_tax',
  'billing_address_collection',
  'customer_update',
  'locale',
  'payment_method_collection',
  'payment_method_types',
  'tax_id_collection',
];

function startCheckout({ ledger, params, address }: Call): object {
  if (params.requireText('mode') !== 'subscription') {
    throw params.invalid('mode', 'The sandbox sells subscriptions only: mode must be subscription');
  }
  const wanted = {
    customer: params.text('customer'),
    customerEmail: params.text('customer_email'),
    price: readLineItem(params),
    clientReferenceId: params.text('client_reference_id'),
    successUrl: params.requireText('success_url') && String(params.url('success_url')),
    cancelUrl: params.url('cancel_url'),
    metadata: params.metadata('metadata'),
    subscriptionMetadata: params.part('subscription_data').metadata('metadata'),
  };
  params.choice('ui_mode', ['hosted_page']);
  params.ignore(...OF_NO_MATTER);
  params.refuseOthers();
  return showCheckout(createCheckout(ledger, wanted), address);
}

function readLineItem(params: Parameters): Price {
  const [item, ...others] = params.parts('line_items');
  if (item === undefined) {
    throw new PaymentError('Missing required param: line_items.', { code: 'parameter_missing', param: 'line_items' });
  }
  if (others.length > 0) throw params.invalid('line_items', 'The sandbox sells one price at a time');
  item.integer('quantity', 1, 1);
  return readPrice(item);
}

/** The price that a part of the request names. */
export function readPrice(item: Parameters): Price {
  const id = item.requireText('price');
  const price = findPrice(id);
  if (price === undefined) throw noSuch('price', id, item.nameOf('price'));
  return price;
}

function listCheckouts({ ledger, params, address }: Call): object {
  const customer = params.text('customer');
  const subscription = params.text('subscription');
  const status = params.choice('status', ['open', 'complete', 'expired']);
  const matching = Object.values(ledger.state.checkouts)
    .map((checkout) => showCheckout(checkout, address))
    .filter(
      (session) =>
        (customer === undefined || session.customer === customer) &&
        (subscription === undefined || session.subscription === subscription) &&
        (status === undefined || session.status === status),
    );
  const page = listPage('/v1/checkout/sessions', matching, params);
  params.refuseOthers();
  return page;
}

function readCheckout({ ledger, params, id, address }: Call): object {
  params.refuseOthers();
  return showCheckout(findCheckout(ledger.state, id), address);
}

function endCheckout({ ledger, params, id, address }: Call): object {
  params.refuseOthers();
  return showCheckout(expireCheckout(ledger, id), address);
}

function showCheckout({ session }: Checkout, address: string): Omit<CheckoutSession, 'url'> & { url: string | null } {
  return { ...session, url: session.status === 'open' ? `${address}/checkout/${session.id}` : null };
}

function openPortal({ ledger, params, address }: Call): object {
  const customer = params.requireText('customer');
  const returnUrl = params.url('return_url');
  params.ignore('locale');
  params.refuseOthers();
  const { session } = createPortalSession(ledger, customer, returnUrl);
  return { ...session, url: `${address}/portal/${session.id}` };
}
