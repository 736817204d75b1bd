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

/** What a customer can do in the portal, by the value of the button. */
export const portalActions: Readonly<Record<string, PortalAction>> = {
  'change-plan': {
    confirmation: 'Plan changed.',
    run: (call) => {
      const price = findPrice(call.form.get('price') ?? '');
      if (price === undefined) throw new PaymentError('Choose a plan.');
      change(call, (subscription) => changePrice(call.ledger, subscription, price));
    },
  },
  'cancel-at-period-end': {
    confirmation: 'Your subscription ends with the current period.',
    run: (call) => change(call, (subscription) => cancelAtPeriodEnd(call.ledger, subscription, true)),
  },
  keep: {
    confirmation: 'Your subscription continues.',
    run: (call) => change(call, (subscription) => cancelAtPeriodEnd(call.ledger, subscription, false)),
  },
  'cancel-now': {
    confirmation: 'Your subscription has ended.',
    run: (call) => change(call, (subscription) => cancelSubscription(call.ledger, subscription)),
  },
  pause: {
    confirmation: 'Your subscription is paused.',
    run: (call) => change(call, (subscription) => pauseSubscription(call.ledger, subscription)),
  },
  resume: {
    confirmation: 'Your subscription continues.',
    run: (call) => change(call, (subscription) => resumeSubscription(call.ledger, subscription)),
  },
  'replace-card': {
    confirmation: 'Card replaced.',
    run: ({ ledger, customer, form }) => {
      const card = checkCard(form.get('card') ?? '');
      ledger.change(() => attachCard(ledger, findCustomer(ledger.state, customer), card));
    },
  },
  'pay-invoice': {
    confirmation: 'Invoice paid.',
    run: ({ ledger, customer, form }) => {
      const invoice = findInvoice(ledger.state, form.get('invoice') ?? '');
      if (invoice.customer !== customer) throw noSuch('invoice', invoice.id, 'invoice');
      ledger.change(() => payInvoice(ledger, invoice.id));
      if (invoice.status !== 'paid') throw new PaymentError('The payment failed again.', { status: 402 });
    },
  },
  renew: { confirmation: 'The next period has started.', run: (call) => renew(call) },
  'fail-next-payment': {
    confirmation: 'The next payment will fail.',
    run: (call) => call.ledger.change(() => failNextPayment(call)),
  },
  'fail-payment': {
    confirmation: 'The next period has started, and its payment has failed.',
    run: (call) => renew(call, () => failNextPayment(call)),
  },
  'set-deliveries': {
    confirmation: 'Event delivery changed.',
    run: ({ deliveries, form }) => {
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

function change(call: PortalCall, work: (subscription: Subscription) => void): void {
  const subscription = findOwnSubscription(call);
  call.ledger.change(() => work(subscription));
}

function failNextPayment({ ledger, customer }: PortalCall): void {
  ledger.state.nextPaymentFails[customer] = true;
}

function renew(call: PortalCall, prepare = () => {}): void {
  const { ledger } = call;
  const { status, items } = findOwnSubscription(call);
  if (status !== 'active' && status !== 'past_due') throw new PaymentError(`A ${status} subscription is not renewed.`);
  ledger.change(() => {
    prepare();
    advanceTo(ledger, items.data[0].current_period_end);
  });
}
