import type { Stripe } from 'stripe';
import { type Customer, chargeCustomer, findCustomer } from './customers.ts';
import { notFound, PaymentError } from './errors.ts';
import { makeId } from './ids.ts';
import type { Ledger, PaymentState } from './ledger.ts';
import type { Subscription } from './subscription-object.ts';

export type Invoice = ReturnType<typeof makeInvoice>;
export type BillingReason = 'subscription_create' | 'subscription_cycle' | 'subscription_update';

const DAY = 86_400;

export function findInvoice({ invoices }: PaymentState, id: string): Invoice {
  const invoice = Object.hasOwn(invoices, id) ? invoices[id] : undefined;
  if (invoice === undefined) throw notFound('invoice', id);
  return invoice;
}

/** Bills the current period and tries to collect. The invoice is paid or open then; its event is the caller's to record. */
export function billPeriod(ledger: Ledger, subscription: Subscription, reason: BillingReason): Invoice {
  const customer = findCustomer(ledger.state, subscription.customer);
  const invoice = makeInvoice(customer, subscription, reason, ledger.now());
  customer.next_invoice_sequence++;
  ledger.state.invoices[invoice.id] = invoice;
  subscription.latest_invoice = invoice.id;
  if (chargeCustomer(ledger, customer.id)) markPaid(invoice, ledger.now());
  else markFailed(invoice, ledger.now());
  return invoice;
}

export function recordInvoice(ledger: Ledger, invoice: Invoice): void {
  ledger.record(invoice.status === 'paid' ? 'invoice.paid' : 'invoice.payment_failed', invoice);
}

/** Tries once more to collect an open invoice. */
export function collectInvoice(ledger: Ledger, id: string): Invoice {
  const invoice = findInvoice(ledger.state, id);
  if (invoice.status === 'paid') throw new PaymentError('Invoice is already paid');
  if (chargeCustomer(ledger, invoice.customer)) markPaid(invoice, ledger.now());
  else markFailed(invoice, ledger.now());
  return invoice;
}

function markPaid(invoice: Invoice, now: number): void {
  invoice.attempt_count++;
  invoice.status = 'paid';
  invoice.amount_paid = invoice.total;
  invoice.amount_remaining = 0;
  invoice.auto_advance = false;
  invoice.next_payment_attempt = null;
  invoice.status_transitions.paid_at = now;
}

function markFailed(invoice: Invoice, now: number): void {
  invoice.attempt_count++;
  invoice.next_payment_attempt = now + 3 * DAY;
}

function makeInvoice(customer: Customer, subscription: Subscription, reason: BillingReason, created: number) {
  const id = makeId('in');
  const [item] = subscription.items.data;
  const total = item.price.unit_amount;
  const period = { end: item.current_period_end, start: item.current_period_start };
  return {
    id,
    object: 'invoice' as const,
    account_country: 'MD',
    account_name: 'Firmament demo',
    account_tax_ids: null,
    amount_due: total,
    amount_overpaid: 0,
    amount_paid: 0,
    amount_remaining: total,
    amount_shipping: 0,
    application: null,
    attempt_count: 0,
    attempted: true,
    auto_advance: true as boolean,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null, provider: null, status: null },
    automatically_finalizes_at: null,
    billing_reason: reason,
    collection_method: 'charge_automatically' as const,
    created,
    currency: item.price.currency,
    custom_fields: null,
    customer: customer.id,
    customer_account: null,
    customer_address: null,
    customer_email: customer.email,
    customer_name: customer.name,
    customer_phone: null,
    customer_shipping: null,
    customer_tax_exempt: 'none' as const,
    customer_tax_ids: [],
    default_payment_method: null,
    default_source: null,
    default_tax_rates: [],
    description: null,
    discounts: [],
    due_date: null,
    effective_at: created,
    ending_balance: 0,
    footer: null,
    from_invoice: null,
    hosted_invoice_url: null,
    invoice_pdf: null,
    issuer: { type: 'self' as const },
    last_finalization_error: null,
    latest_revision: null,
    lines: {
      object: 'list' as const,
      data: [makeLine(id, subscription, period)],
      has_more: false,
      total_count: 1,
      url: `/v1/invoices/${id}/lines`,
    },
    livemode: false,
    metadata: {},
    next_payment_attempt: null as number | null,
    number: `${customer.invoice_prefix}-${String(customer.next_invoice_sequence).padStart(4, '0')}`,
    on_behalf_of: null,
    parent: {
      quote_details: null,
      subscription_details: { metadata: { ...subscription.metadata }, subscription: subscription.id },
      type: 'subscription_details' as const,
    },
    payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: null },
    period_end: created,
    period_start: created,
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    receipt_number: null,
    rendering: null,
    shipping_cost: null,
    shipping_details: null,
    starting_balance: 0,
    statement_descriptor: null,
    status: 'open' as 'open' | 'paid',
    status_transitions: {
      finalized_at: created,
      marked_uncollectible_at: null,
      paid_at: null as number | null,
      voided_at: null,
    },
    subtotal: total,
    subtotal_excluding_tax: total,
    test_clock: null,
    total,
    total_discount_amounts: [],
    total_excluding_tax: total,
    total_pretax_credit_amounts: [],
    total_taxes: [],
    webhooks_delivered_at: created,
  } satisfies Omit<Stripe.Invoice, 'lines'> & { lines: unknown };
}

function makeLine(invoice: string, subscription: Subscription, period: { end: number; start: number }) {
  const [{ id, price }] = subscription.items.data;
  return {
    id: makeId('il'),
    object: 'line_item' as const,
    amount: price.unit_amount,
    currency: price.currency,
    description: `1 × ${price.nickname} (at €${(price.unit_amount / 100).toFixed(2)} / month)`,
    discount_amounts: [],
    discountable: true,
    discounts: [],
    invoice,
    livemode: false,
    metadata: { ...subscription.metadata },
    parent: {
      invoice_item_details: null,
      subscription_item_details: {
        invoice_item: null,
        proration: false,
        proration_details: { credited_items: null },
        subscription: subscription.id,
        subscription_item: id,
      },
      type: 'subscription_item_details' as const,
    },
    period,
    pretax_credit_amounts: [],
    pricing: {
      price_details: { price: price.id, product: price.product },
      type: 'price_details' as const,
      unit_amount_decimal: price.unit_amount_decimal,
    },
    quantity: 1,
    quantity_decimal: '1',
    subscription: subscription.id,
    subtotal: price.unit_amount,
    taxes: [],
  } satisfies Omit<Stripe.InvoiceLineItem, 'pricing' | 'quantity_decimal'> & {
    pricing: unknown;
    quantity_decimal: string;
  };
}
