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

export interface PortalCall {
  readonly ledger: Ledger;
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
  'pay-invoice': {
    confirmation: 'Invoice paid.',
    run({ ledger, customer, form }) {
      const invoice = findInvoice(ledger.state, form.get('invoice') ?? '');
      if (invoice.customer !== customer) throw noSuch('invoice', invoice.id, 'invoice');
      ledger.change(() => payInvoice(ledger, invoice));
    },
  },
  renew: ofSubscription('The next period has started.', renew),
  'fail-payment': ofSubscription('The next period has started, and its payment has failed.', (ledger, subscription) => {
    requireRenewable(subscription);
    ledger.state.nextPaymentFails[subscription.customer] = true;
    renew(ledger, subscription);
  }),
};

/** Treats subscriptions of other customers as unknown. */
export function findOwnSubscription({ ledger, customer, form }: PortalCall): Subscription {
  const id = form.get('subscription') ?? '';
  const subscription = findSubscription(ledger.state, id);
  if (subscription.customer !== customer) throw noSuch('subscription', id, 'subscription');
  return subscription;
}

function requireRenewable({ status }: Subscription): void {
  if (status !== 'active' && status !== 'past_due') throw new PaymentError(`A ${status} subscription is not renewed.`);
}

function renew(ledger: Ledger, subscription: Subscription): void {
  requireRenewable(subscription);
  advanceTo(ledger, subscription.items.data[0].current_period_end);
}
