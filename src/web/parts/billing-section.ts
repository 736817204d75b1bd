import type { Plan } from '../../core/plans.ts';
import type { BillingState } from '../../core/usage.ts';
import { type Html, html } from '../html.ts';
import { writeDay } from '../text/formatting.ts';
import { layout, type Visitor } from './layout.ts';
import { notice } from './notice.ts';
import { planCards } from './plan-cards.ts';

/** What the account pays for, and how to change that. Money changes hands at the payment provider, never here. */
export interface BillingView {
  readonly plan: Plan;
  readonly state: BillingState;
  /** Whether plans can be bought on this server. */
  readonly isOn: boolean;
}

export function billingSection({ plan, state, isOn }: BillingView): Html {
  return html`<section class="card wide" aria-labelledby="billing-title" id="billing">
    <h2 id="billing-title">Plan and billing</h2>
    ${stateText(plan, state)}
    ${
      isOn && state.portalAvailable
        ? html`<form method="post" action="/dashboard/billing"><button class="quiet">Manage billing</button>
          <p class="hint">Invoices, payment method, cancellation: at our payment provider.</p></form>`
        : false
    }
    ${planCards((offered) => isOn && upgrade(offered, plan), plan)}
    ${!isOn && html`<p class="empty">Plans cannot be bought on this server: payments are not set up.</p>`}
  </section>`;
}

function upgrade(offered: Plan, current: Plan): Html | false {
  if (offered.id === 'free' || offered.id === current.id) return false;
  const verb = offered.monthlyPriceEur > current.monthlyPriceEur ? 'Upgrade' : 'Change';
  return html`<form method="post" action="/dashboard/checkout">
    <input type="hidden" name="plan" value="${offered.id}"><button>${verb} to ${offered.name}</button>
  </form>`;
}

/** In the provider's words, and what follows from them. */
function stateText(plan: Plan, { status, currentPeriodEnd, cancelAtPeriodEnd }: BillingState): Html {
  const until = currentPeriodEnd === null ? 'the end of the period' : writeDay(currentPeriodEnd);
  const afterwards = 'Then the account goes back to Free: keys keep working, with the limits of that plan.';
  if (status === 'none') {
    return plan.id === 'free'
      ? html`<p>You are on <strong>${plan.name}</strong>: nothing is charged. At the end of each calendar month the count starts anew.</p>`
      : html`<p>You are on <strong>${plan.name}</strong>, without a subscription.</p>`;
  }
  if (status === 'canceled')
    return html`<p>The subscription is <strong>cancelled</strong>; you are on ${plan.name}.</p>`;
  if (cancelAtPeriodEnd) {
    return html`<p>You are on <strong>${plan.name}</strong>, <strong>cancelled</strong> and paid until ${until}. ${afterwards}</p>`;
  }
  switch (status) {
    case 'active':
    case 'trialing':
      return html`<p>You are on <strong>${plan.name}</strong>, €${plan.monthlyPriceEur} a month. It renews on ${until}, and the count
        of requests starts anew.</p>`;
    case 'past_due':
      return html`<p>You are on <strong>${plan.name}</strong>, but the last payment <strong>failed</strong>. The payment provider tries
        again; check the payment method. If it keeps failing, the account goes back to Free.</p>`;
    case 'paused':
      return html`<p>The subscription is <strong>paused</strong>; you are on ${plan.name} until it is resumed.</p>`;
    default:
      return html`<p>The subscription is <strong>${status.replaceAll('_', ' ')}</strong>; you are on ${plan.name}.</p>`;
  }
}

export type CheckoutState = 'waiting' | 'done' | 'cancelled';

export function checkoutNotice(state: CheckoutState, plan: Plan): Html {
  switch (state) {
    case 'waiting':
      return notice(
        'info',
        'Payment received, waiting for the confirmation',
        'The plan changes when our payment provider confirms it, usually within seconds. This page looks again by itself.',
      );
    case 'done':
      return notice('good', `You are on ${plan.name}`, 'The payment is confirmed. The new limits count from now on.');
    case 'cancelled':
      return notice('info', 'Nothing was bought', 'You left the payment page. The plan is as it was.');
  }
}

/** For a payment page that a form of ours must not be redirected to: a link may lead anywhere. */
export function goOnPage(url: string, visitor: Visitor): Html {
  return layout(
    'To the payment provider',
    html`<h1>One more step</h1>
    <p class="lead">You pay at our payment provider. Nothing is charged before you confirm it there.</p>
    <p><a class="button" href="${url}">Go on to the payment page</a></p>`,
    { section: '/dashboard', visitor },
  );
}
