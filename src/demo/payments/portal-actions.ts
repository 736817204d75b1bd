import { attachCard, checkCard, findCustomer } from './customers.ts';
import { noSuch, PaymentError } from './errors.ts';
import { findInvoice } from './invoices.ts';
import { type Cause, TIME } from './ledger.ts';
import { findPrice } from './prices.ts';
import { type ControlServices, setDeliveries } from './sandbox-controls.ts';
import type { Subscription } from './subscription-object.ts';
import {
  cancelSubscription,
  findSubscription,
  pauseSubscription,
  payInvoice,
  resumeSubscription,
  updateSubscription,
} from './subscriptions.ts';
import { advanceTo } from './time.ts';

/** What a customer can do in the portal, by the names of its buttons, with what the portal says afterwards. */
export interface PortalCall extends ControlServices {
  readonly customer: string;
  readonly form: URLSearchParams;
  readonly cause: Cause;
}

interface PortalAction {
  readonly said: string;
  act(call: PortalCall): void;
}

export const portalActions: Readonly<Record<string, PortalAction>> = {
  'change-plan': {
    said: 'The plan was changed.',
    act: (call) => {
      const price = findPrice(call.form.get('price') ?? '');
      if (price === undefined) throw new PaymentError('Choose a plan.');
      change(call, ({ id }) => updateSubscription(call.ledger, id, { price }));
    },
  },
  'cancel-at-period-end': {
    said: 'The subscription ends with the current period.',
    act: (call) => change(call, ({ id }) => updateSubscription(call.ledger, id, { cancelAtPeriodEnd: true })),
  },
  keep: {
    said: 'The subscription goes on.',
    act: (call) => change(call, ({ id }) => updateSubscription(call.ledger, id, { cancelAtPeriodEnd: false })),
  },
  'cancel-now': {
    said: 'The subscription has ended.',
    act: (call) => change(call, ({ id }) => cancelSubscription(call.ledger, id)),
  },
  pause: {
    said: 'The subscription is paused.',
    act: (call) => change(call, ({ id }) => pauseSubscription(call.ledger, id)),
  },
  resume: {
    said: 'The subscription goes on.',
    act: (call) => change(call, ({ id }) => resumeSubscription(call.ledger, id, 'unchanged')),
  },
  'replace-card': {
    said: 'The card was replaced.',
    act: ({ ledger, customer, form, cause }) => {
      const card = checkCard(form.get('card') ?? '');
      ledger.change(cause, () => attachCard(ledger, findCustomer(ledger.state, customer), card));
    },
  },
  'pay-invoice': {
    said: 'The invoice was paid.',
    act: ({ ledger, customer, form, cause }) => {
      const invoice = findInvoice(ledger.state, form.get('invoice') ?? '');
      if (invoice.customer !== customer) throw noSuch('invoice', invoice.id, 'invoice');
      ledger.change(cause, () => payInvoice(ledger, invoice.id));
      if (invoice.status !== 'paid') throw new PaymentError('The payment failed again.', { status: 402 });
    },
  },
  renew: { said: 'The period is over, and time has moved to its end.', act: (call) => renew(call) },
  'fail-next-payment': {
    said: 'The next payment will fail.',
    act: (call) => call.ledger.change(call.cause, () => failNextPayment(call)),
  },
  'fail-payment': {
    said: 'The period is over, and the payment for the next one has failed.',
    act: (call) => renew(call, () => failNextPayment(call)),
  },
  'set-deliveries': {
    said: 'Deliveries were changed.',
    act: (call) => {
      const read = (name: string) => (call.form.has(name) ? call.form.get(name) === 'true' : undefined);
      setDeliveries(call, { duplicate: read('duplicate'), reorder: read('reorder'), hold: read('hold') });
    },
  },
  'release-deliveries': { said: 'Held events are delivered.', act: (call) => setDeliveries(call, { release: true }) },
};

/** Subscriptions of others do not exist here. */
export function findOwnSubscription({ ledger, customer, form }: PortalCall): Subscription {
  const id = form.get('subscription') ?? '';
  const subscription = findSubscription(ledger.state, id);
  if (subscription.customer !== customer) throw noSuch('subscription', id, 'subscription');
  return subscription;
}

function change(call: PortalCall, work: (subscription: Subscription) => void): void {
  const subscription = findOwnSubscription(call);
  call.ledger.change(call.cause, () => work(subscription));
}

function failNextPayment({ ledger, customer }: PortalCall): void {
  ledger.state.nextPaymentFails[customer] = true;
}

function renew(call: PortalCall, prepare = () => {}): void {
  const { ledger } = call;
  const { status, items } = findOwnSubscription(call);
  if (status !== 'active' && status !== 'past_due') throw new PaymentError(`A ${status} subscription is not renewed.`);
  ledger.change(TIME, () => {
    prepare();
    advanceTo(ledger, items.data[0].current_period_end);
  });
}
