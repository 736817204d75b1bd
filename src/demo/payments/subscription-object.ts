import type { Stripe } from 'stripe';
import { addMonths } from '../../core/period.ts';
import { makeId } from './ids.ts';
import { type Price, planOf } from './prices.ts';

/** A subscription as Stripe shows it, in the shape in which the period stands on the item. */
export type Subscription = ReturnType<typeof makeSubscription>;
export type SubscriptionItem = ReturnType<typeof makeItem>;

export interface NewSubscription {
  readonly customer: string;
  readonly price: Price;
  readonly metadata: ReadonlyMap<string, string>;
  readonly paymentMethod: string;
}

export function makeSubscription({ customer, price, metadata, paymentMethod }: NewSubscription, created: number) {
  const id = makeId('sub');
  return {
    id,
    object: 'subscription' as const,
    application: null,
    application_fee_percent: null,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null },
    billing_cycle_anchor: created,
    billing_cycle_anchor_config: null,
    billing_mode: { flexible: { proration_discounts: 'included' as const }, type: 'flexible' as const },
    billing_schedules: [],
    billing_thresholds: null,
    cancel_at: null as number | null,
    cancel_at_period_end: false as boolean,
    canceled_at: null as number | null,
    cancellation_details: {
      comment: null as string | null,
      feedback: null as string | null,
      feedback_option: null,
      reason: null as string | null,
    },
    collection_method: 'charge_automatically' as const,
    created,
    currency: price.currency,
    customer,
    customer_account: null,
    days_until_due: null,
    default_payment_method: paymentMethod as string | null,
    default_source: null,
    default_tax_rates: [],
    description: null as string | null,
    discounts: [],
    ended_at: null as number | null,
    invoice_settings: {
      account_tax_ids: null,
      custom_fields: null,
      description: null,
      footer: null,
      issuer: { type: 'self' as const },
    },
    items: {
      object: 'list' as const,
      data: [makeItem(id, price, created)] as [SubscriptionItem],
      has_more: false,
      total_count: 1,
      url: `/v1/subscription_items?subscription=${id}`,
    },
    latest_invoice: null as string | null,
    livemode: false,
    managed_payments: null,
    metadata: Object.fromEntries(metadata) as Record<string, string>,
    next_pending_invoice_item_invoice: null,
    on_behalf_of: null,
    pause_collection: null,
    payment_settings: {
      payment_method_options: null,
      payment_method_types: null,
      save_default_payment_method: 'off' as const,
    },
    pending_invoice_item_interval: null,
    pending_setup_intent: null,
    pending_update: null,
    schedule: null,
    start_date: created,
    status: 'active' as 'active' | 'past_due' | 'paused' | 'canceled',
    status_details: undefined as PausedDetails | undefined,
    test_clock: null,
    transfer_data: null,
    trial_end: null,
    trial_settings: {
      end_behavior: { billing_cycle_anchor: null, missing_payment_method: 'create_invoice' as const },
    },
    trial_start: null,
  } satisfies Complete<Stripe.Subscription, 'items' | 'status_details'>;
}

/** Only there while a subscription is paused. */
export interface PausedDetails {
  readonly paused: {
    readonly type: 'subscription';
    readonly subscription: { readonly type: 'pause_requested' };
    readonly transitioned_at: number;
  };
}

/** The types of the SDK, but for what it makes of texts on arrival. */
type Complete<T, Others extends keyof T> = Omit<T, Others> & Record<Others, unknown>;

function makeItem(subscription: string, price: Price, created: number) {
  return {
    id: makeId('si', 14),
    object: 'subscription_item' as const,
    billing_thresholds: null,
    created,
    current_period_end: nextPeriodEnd(created, created),
    current_period_start: created,
    current_trial: null,
    discounts: [],
    metadata: {},
    plan: planOf(price),
    price,
    quantity: 1,
    subscription,
    tax_rates: [],
  } satisfies Complete<Stripe.SubscriptionItem, 'plan' | 'price'>;
}

/** The first month after `start`, counted from the anchor so that the 31st comes back after a shorter month. */
export function nextPeriodEnd(anchor: number, start: number): number {
  let months = 1;
  while (addMonths(anchor * 1000, months) / 1000 <= start) months++;
  return addMonths(anchor * 1000, months) / 1000;
}
