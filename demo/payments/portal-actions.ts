import { attachCard, checkCard, findCustomer } from './customers.ts';
import type { Deliveries } from './deliveries.ts';
import { noSuch, PaymentError } from './errors.ts';
import { findInvoice } from './invoices.ts';
import type { Ledger } from './ledger.ts';
import { findPrice } from './prices.ts';
import type { Subscription } from './state.ts';
import {
  cancelAtPeriodEnd,
  cancelSubscription,
  changePrice,
  findSubscription,
  pauseSubscription,
  payInvoice,
  resumeSubscription,
} from './subscriptions.ts';
import { advanceTo } from './time.ts';

export interface PortalServices {
  readonly ledger: Ledger;
  readonly deliveries: Deliveries;
}

export interface PortalCall extends PortalServices {
  readonly customer: string;
  readonly form: URLSearchParams;
}

interface PortalAction {
  /** What the portal says afterwards. */
  readonly confirmation: string;
  run(call: PortalCall): void;
}

/** An action on the subscription that the form names. */
const ofSubscription = (
  confirmation: string,
  work: (ledger: Ledger, subscription: Subscription, form: URLSearchParams) => void,
): PortalAction => ({
  confirmation,
  run(call) {
    const subscription = findOwnSubscription(call);
    call.ledger.change(() => work(call.ledger, subscription, call.form));
  },
});

/** What a customer can do in the portal, by the value of the button. */
export const portalActions: Readonly<Record<string, PortalAction>> = {
  'change-plan': ofSubscription('Plan changed.', (ledger, subscription, form) => {
    const price = findPrice(form.get('price') ?? '');
    if (price === undefined) throw new PaymentError('Choose a plan.');
    changePrice(ledger, subscription, price);
  }),
  'cancel-at-period-end': ofSubscription('Your subscription ends with the current period.', (ledger, subscription) =>
    cancelAtPeriodEnd(ledger, subscription, true),
  ),
  keep: ofSubscription('Your subscription continues.', (ledger, subscription) =>
    cancelAtPeriodEnd(ledger, subscription, false),
  ),
  'cancel-now': ofSubscription('Your subscription has ended.', cancelSubscription),
  pause: ofSubscription('Your subscription is paused.', pauseSubscription),
  resume: ofSubscription('Your subscription continues.', resumeSubscription),
  'replace-card': {
    confirmation: 'Card replaced.',
    run({ ledger, customer, form }) {
      const card = checkCard(form.get('card') ?? '');
      ledger.change(() => attachCard(ledger, findCustomer(ledger.state, customer), card));
    },
  },
  'pay-invoice': {
    confirmation: 'Invoice paid.',
    run({ ledger, customer, form }) {
      const invoice = findInvoice(ledger.state, form.get('invoice') ?? '');
      if (invoice.customer !== customer) throw noSuch('invoice', invoice.id, 'invoice');
      ledger.change(() => payInvoice(ledger, invoice.id));
      if (invoice.status !== 'paid') throw new PaymentError('The payment failed again.', { status: 402 });
    },
  },
  renew: ofSubscription('The next period has started.', renew),
  'fail-next-payment': {
    confirmation: 'The next payment will fail.',
    run: ({ ledger, customer }) => ledger.change(() => failNextPayment(ledger, customer)),
  },
  'fail-payment': ofSubscription('The next period has started, and its payment has failed.', (ledger, subscription) => {
    requireRenewable(subscription);
    failNextPayment(ledger, subscription.customer);
    renew(ledger, subscription);
  }),
  'set-deliveries': {
    confirmation: 'Event delivery changed.',
    run({ deliveries, form }) {
      const read = (name: string) => (form.has(name) ? form.get(name) === 'true' : undefined);
      deliveries.configure({ duplicate: read('duplicate'), reorder: read('reorder'), hold: read('hold') });
    },
  },
  'release-deliveries': {
    confirmation: 'Held events are being delivered.',
    run: ({ deliveries }) => deliveries.configure({ release: true }),
  },
};

/** Treats subscriptions of other customers as unknown. */
export function findOwnSubscription({ ledger, customer, form }: PortalCall): Subscription {
  const id = form.get('subscription') ?? '';
  const subscription = findSubscription(ledger.state, id);
  if (subscription.customer !== customer) throw noSuch('subscription', id, 'subscription');
  return subscription;
}

function failNextPayment({ state }: Ledger, customer: string): void {
  state.nextPaymentFails[customer] = true;
}

function requireRenewable({ status }: Subscription): void {
  if (status !== 'active' && status !== 'past_due') throw new PaymentError(`A ${status} subscription is not renewed.`);
}

function renew(ledger: Ledger, subscription: Subscription): void {
  requireRenewable(subscription);
  advanceTo(ledger, subscription.items.data[0].current_period_end);
}
