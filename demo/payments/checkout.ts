import { checkCard, findCustomer } from './customers.ts';
import { makeId } from './ids.ts';
import { recordInvoice } from './invoices.ts';
import type { Ledger } from './ledger.ts';
import type { Price } from './prices.ts';
import type { Checkout, CheckoutSession, PaymentState } from './state.ts';
import { startSubscription } from './subscriptions.ts';

/** The purchases made on the hosted checkout page. */
interface NewCheckout {
  readonly customer: string;
  readonly price: Price;
  readonly clientReferenceId: string;
  readonly successUrl: string;
  readonly cancelUrl: string;
  readonly subscriptionMetadata: Readonly<Record<string, string>>;
}

const DAY = 86_400;
/** How many completed and expired checkouts are kept. */
const MAX_CLOSED_CHECKOUTS = 1_000;

export function createCheckout(ledger: Ledger, wanted: NewCheckout): Checkout {
  const { price, subscriptionMetadata } = wanted;
  const { email } = findCustomer(ledger.state, wanted.customer, 'customer');
  const session: CheckoutSession = {
    id: makeId('cs_test', 58),
    object: 'checkout.session',
    mode: 'subscription',
    customer: wanted.customer,
    customer_details: { email },
    client_reference_id: wanted.clientReferenceId,
    success_url: wanted.successUrl,
    cancel_url: wanted.cancelUrl,
    expires_at: ledger.now() + DAY,
    status: 'open',
    payment_status: 'unpaid',
    subscription: null,
  };
  const checkout = { session, price, subscriptionMetadata };
  ledger.state.checkouts[session.id] = checkout;
  dropOldCheckouts(ledger.state);
  return checkout;
}

function dropOldCheckouts({ checkouts }: PaymentState): void {
  const closed = Object.values(checkouts).filter(({ session }) => session.status !== 'open');
  for (const { session } of closed.slice(0, -MAX_CLOSED_CHECKOUTS)) delete checkouts[session.id];
}

/** Pays only once, however often the button is pressed: a completed checkout stays as it is. */
export function payCheckout(ledger: Ledger, checkout: Checkout, payer: { email: string; card: string }): void {
  const { session, price, subscriptionMetadata } = checkout;
  if (session.status !== 'open') return;
  checkCard(payer.card);
  const { subscription, invoice } = startSubscription(ledger, session.customer, price, subscriptionMetadata);
  session.status = 'complete';
  session.payment_status = 'paid';
  session.customer_details = { email: payer.email };
  session.subscription = subscription.id;
  ledger.record('checkout.session.completed', session);
  recordInvoice(ledger, invoice);
}

export function expireCheckout(ledger: Ledger, session: CheckoutSession): void {
  session.status = 'expired';
  ledger.record('checkout.session.expired', session);
}
