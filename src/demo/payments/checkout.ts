import type { Stripe } from 'stripe';
import { attachCard, checkCard, createCustomer, findCustomer } from './customers.ts';
import { notFound, PaymentError } from './errors.ts';
import { makeId } from './ids.ts';
import { recordInvoice } from './invoices.ts';
import type { Ledger, PaymentState } from './ledger.ts';
import type { Price } from './prices.ts';
import { startSubscription } from './subscriptions.ts';

/** A purchase that somebody is about to make on the hosted page: what Stripe shows of it, and what it keeps to itself. */
export interface Checkout {
  readonly session: CheckoutSession;
  readonly price: Price;
  readonly subscriptionMetadata: Readonly<Record<string, string>>;
}

export type CheckoutSession = ReturnType<typeof makeSession>;

export interface NewCheckout {
  readonly customer: string | undefined;
  readonly customerEmail: string | undefined;
  readonly price: Price;
  readonly clientReferenceId: string | undefined;
  readonly successUrl: string;
  readonly cancelUrl: string | undefined;
  readonly metadata: ReadonlyMap<string, string>;
  readonly subscriptionMetadata: ReadonlyMap<string, string>;
}

const DAY = 86_400;
/** Of those that are over, the newest so many. */
const KEPT_CHECKOUTS = 1_000;

export function findCheckout({ checkouts }: PaymentState, id: string): Checkout {
  const checkout = Object.hasOwn(checkouts, id) ? checkouts[id] : undefined;
  if (checkout === undefined) throw notFound('checkout.session', id);
  return checkout;
}

export function createCheckout(ledger: Ledger, wanted: NewCheckout): Checkout {
  const email = wanted.customer === undefined ? null : findCustomer(ledger.state, wanted.customer, 'customer').email;
  const session = makeSession(wanted, email, ledger.now());
  const subscriptionMetadata = Object.fromEntries(wanted.subscriptionMetadata);
  const checkout = { session, price: wanted.price, subscriptionMetadata };
  ledger.state.checkouts[session.id] = checkout;
  dropOldCheckouts(ledger.state);
  return checkout;
}

function dropOldCheckouts({ checkouts }: PaymentState): void {
  const over = Object.values(checkouts).filter(({ session }) => session.status !== 'open');
  for (const { session } of over.slice(0, -KEPT_CHECKOUTS)) delete checkouts[session.id];
}

/** Pays once, however often the button is pressed: a purchase that is complete already stays as it is. */
export function payCheckout(ledger: Ledger, id: string, payer: { email: string; card: string }): CheckoutSession {
  const { session, price, subscriptionMetadata } = findCheckout(ledger.state, id);
  if (session.status !== 'open') return session;
  const card = checkCard(payer.card);
  const customer =
    session.customer === null
      ? createCustomer(ledger, { email: payer.email, metadata: new Map() })
      : findCustomer(ledger.state, session.customer);
  const paymentMethod = attachCard(ledger, customer, card).id;
  const metadata = new Map(Object.entries(subscriptionMetadata));
  const { subscription, invoice } = startSubscription(ledger, {
    customer: customer.id,
    price,
    metadata,
    paymentMethod,
  });
  session.status = 'complete';
  session.payment_status = 'paid';
  session.customer = customer.id;
  session.customer_details = describePayer(payer.email);
  session.subscription = subscription.id;
  session.invoice = invoice.id;
  ledger.record('checkout.session.completed', session);
  recordInvoice(ledger, invoice);
  return session;
}

export function expireCheckout(ledger: Ledger, id: string): Checkout {
  const checkout = findCheckout(ledger.state, id);
  const { session } = checkout;
  if (session.status !== 'open') {
    throw new PaymentError(
      `Only Checkout Sessions with a status of open can be expired; this one is ${session.status}.`,
    );
  }
  session.status = 'expired';
  ledger.record('checkout.session.expired', session);
  return checkout;
}

/** Where the browser goes after paying. */
export function returnAddress({ id, success_url }: CheckoutSession): string {
  return success_url.replaceAll('{CHECKOUT_SESSION_ID}', id);
}

function makeSession(wanted: NewCheckout, email: string | null, created: number) {
  const { customer, customerEmail, price, clientReferenceId, successUrl, cancelUrl, metadata } = wanted;
  return {
    id: makeId('cs_test', 58),
    object: 'checkout.session' as const,
    adaptive_pricing: null,
    after_expiration: null,
    allow_promotion_codes: null,
    allowed_payment_method_types: null,
    amount_subtotal: price.unit_amount,
    amount_total: price.unit_amount,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    billing_address_collection: null,
    cancel_url: cancelUrl ?? null,
    client_reference_id: clientReferenceId ?? null,
    client_secret: null,
    collected_information: null,
    consent: null,
    consent_collection: null,
    created,
    currency: price.currency,
    currency_conversion: null,
    custom_fields: [],
    custom_text: { after_submit: null, shipping_address: null, submit: null, terms_of_service_acceptance: null },
    customer: customer ?? null,
    customer_account: null,
    customer_creation: customer === undefined ? ('always' as const) : null,
    customer_details: email === null ? null : describePayer(email),
    customer_email: customerEmail ?? null,
    discounts: null,
    expires_at: created + DAY,
    integration_identifier: null,
    invoice: null as string | null,
    invoice_creation: null,
    livemode: false,
    locale: null,
    managed_payments: null,
    metadata: Object.fromEntries(metadata) as Record<string, string>,
    mode: 'subscription' as const,
    origin_context: null,
    payment_intent: null,
    payment_link: null,
    payment_method_collection: 'always' as const,
    payment_method_configuration_details: null,
    payment_method_options: null,
    payment_method_types: ['card'],
    payment_status: 'unpaid' as 'unpaid' | 'paid',
    permissions: null,
    phone_number_collection: { enabled: false },
    recovered_from: null,
    saved_payment_method_options: {
      allow_redisplay_filters: ['always' as const],
      payment_method_remove: null,
      payment_method_save: null,
    },
    setup_intent: null,
    shipping_address_collection: null,
    shipping_cost: null,
    shipping_options: [],
    status: 'open' as 'open' | 'complete' | 'expired',
    submit_type: null,
    subscription: null as string | null,
    success_url: successUrl,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ui_mode: 'hosted_page' as const,
    // Filled in when it is shown, for the server may have another address by then.
    url: null,
    wallet_options: null,
  } satisfies Stripe.Checkout.Session;
}

function describePayer(email: string) {
  return {
    address: null,
    business_name: null,
    email,
    individual_name: null,
    name: null,
    phone: null,
    tax_exempt: 'none' as const,
    tax_ids: [],
  };
}
