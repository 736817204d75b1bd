import type { Stripe } from 'stripe';
import type { Price } from './prices.ts';

/**
 * Everything the sandbox keeps, in Stripe's shapes. Each object has only the fields that our SDK calls read, the hosted
 * pages show or the sandbox itself needs. `Pick` ties them to the SDK's types: if an update of the SDK changes one of
 * these fields, this file stops compiling.
 */
export interface PaymentState {
  readonly version: 1;
  readonly secretKey: string;
  readonly webhookSecret: string;
  /** How many milliseconds sandbox time is ahead of the clock. */
  ahead: number;
  readonly delivery: { duplicate: boolean; reorder: boolean; hold: boolean };
  readonly customers: Record<string, Customer>;
  readonly checkouts: Record<string, Checkout>;
  readonly portalSessions: Record<string, PortalSession>;
  readonly subscriptions: Record<string, Subscription>;
  readonly invoices: Record<string, Invoice>;
  /** Ids of the customers whose next payment fails. */
  readonly nextPaymentFails: Record<string, true>;
  /** Events that the webhook has not accepted yet, oldest first. */
  readonly outbox: PaymentEvent[];
  /** Responses by idempotency key. */
  readonly answers: Record<string, StoredAnswer>;
}

export interface Customer extends Pick<Stripe.Customer, 'id' | 'object' | 'created' | 'email' | 'metadata'> {
  readonly invoice_prefix: string;
  next_invoice_sequence: number;
}

export interface Checkout {
  readonly session: CheckoutSession;
  readonly price: Price;
  readonly subscriptionMetadata: Readonly<Record<string, string>>;
}

export interface CheckoutSession
  extends Pick<
    Stripe.Checkout.Session,
    'id' | 'object' | 'client_reference_id' | 'expires_at' | 'mode' | 'payment_status'
  > {
  readonly customer: string;
  customer_details: { email: string | null };
  status: 'open' | 'complete' | 'expired';
  subscription: string | null;
  readonly success_url: string;
  readonly cancel_url: string;
}

export interface PortalSession {
  readonly session: Pick<Stripe.BillingPortal.Session, 'id' | 'object' | 'created' | 'customer'> & {
    readonly customer: string;
    readonly return_url: string;
  };
  /** Real time in milliseconds: advancing sandbox time from the portal must not close the portal. */
  readonly openUntil: number;
  /** The change that the session was opened to confirm. */
  readonly change?: PortalChange | undefined;
}

export interface PortalChange {
  readonly subscription: string;
  readonly price: string;
  readonly doneUrl: string;
}

export interface Subscription
  extends Pick<
    Stripe.Subscription,
    | 'id'
    | 'object'
    | 'billing_cycle_anchor'
    | 'cancel_at'
    | 'cancel_at_period_end'
    | 'canceled_at'
    | 'created'
    | 'ended_at'
    | 'metadata'
  > {
  readonly customer: string;
  readonly items: { readonly object: 'list'; readonly data: readonly [SubscriptionItem] };
  latest_invoice: string;
  status: 'active' | 'past_due' | 'paused' | 'canceled';
}

interface SubscriptionItem
  extends Pick<Stripe.SubscriptionItem, 'id' | 'object' | 'current_period_start' | 'current_period_end'> {
  price: Price;
}

export interface Invoice
  extends Pick<Stripe.Invoice, 'id' | 'object' | 'created' | 'description' | 'number' | 'total'> {
  readonly customer: string;
  readonly parent: { readonly subscription_details: { readonly subscription: string } };
  status: 'open' | 'paid';
}

/** `data.object` is a snapshot of the object at the time of the event. */
export interface PaymentEvent extends Pick<Stripe.Event, 'id' | 'object' | 'api_version' | 'created' | 'livemode'> {
  readonly type: string;
  readonly data: { readonly object: object };
}

export interface StoredAnswer {
  readonly fingerprint: string;
  readonly body: unknown;
  /** Real time in milliseconds. */
  readonly at: number;
}

/** Finds an object by an id that comes from a request: `__proto__` and its like are not found. */
export function findById<T>(objects: Readonly<Record<string, T>>, id: string): T | undefined {
  return Object.hasOwn(objects, id) ? objects[id] : undefined;
}
