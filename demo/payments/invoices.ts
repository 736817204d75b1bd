import { findCustomer } from './customers.ts';
import { notFound, PaymentError } from './errors.ts';
import { makeId } from './ids.ts';
import type { Ledger } from './ledger.ts';
import { describePrice } from './prices.ts';
import { findById, type Invoice, type PaymentState, type Subscription } from './state.ts';

export function findInvoice({ invoices }: PaymentState, id: string): Invoice {
  const invoice = findById(invoices, id);
  if (invoice === undefined) throw notFound('invoice', id);
  return invoice;
}

/** Bills the current period and tries to collect the payment. The caller records the event, after its own. */
export function billPeriod(ledger: Ledger, subscription: Subscription): Invoice {
  const customer = findCustomer(ledger.state, subscription.customer);
  const [{ price }] = subscription.items.data;
  const invoice: Invoice = {
    id: makeId('in'),
    object: 'invoice',
    created: ledger.now(),
    customer: customer.id,
    description: `1 × ${price.nickname} (${describePrice(price)})`,
    number: `${customer.invoice_prefix}-${String(customer.next_invoice_sequence).padStart(4, '0')}`,
    parent: { subscription_details: { subscription: subscription.id } },
    status: ledger.state.nextPaymentFails[customer.id] ? 'open' : 'paid',
    total: price.unit_amount,
  };
  delete ledger.state.nextPaymentFails[customer.id];
  customer.next_invoice_sequence++;
  ledger.state.invoices[invoice.id] = invoice;
  subscription.latest_invoice = invoice.id;
  return invoice;
}

export function recordInvoice(ledger: Ledger, invoice: Invoice): void {
  ledger.record(invoice.status === 'paid' ? 'invoice.paid' : 'invoice.payment_failed', invoice);
}

/** Collects the payment that has failed before. */
export function collectInvoice(ledger: Ledger, invoice: Invoice): void {
  if (invoice.status === 'paid') throw new PaymentError('Invoice is already paid');
  invoice.status = 'paid';
  recordInvoice(ledger, invoice);
}
