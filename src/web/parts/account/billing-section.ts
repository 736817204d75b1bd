import { BILLING_NOT_CONFIGURED } from '../../../core/errors.ts';
import type { Plan } from '../../../core/plans.ts';
import type { BillingState } from '../../../core/usage.ts';
import { type Html, html } from '../../html.ts';
import { formatDay } from '../../text/formatting.ts';
import { notice } from '../notice.ts';
import { nameChange, planCards } from './plan-cards.ts';

/** The account's plan and how to change it. Payments happen on the payment provider's pages, never here. */
export interface BillingView {
  readonly plan: Plan;
  readonly state: BillingState;
  /** Whether this server sells plans. */
  readonly isOn: boolean;
}

export function billingSection({ plan, state, isOn }: BillingView): Html {
  return html`<section class="card wide" aria-labelledby="billing-title" id="billing">
    <h2 id="billing-title">Plan and billing</h2>
    ${stateText(plan, state)}
    ${
      state.portalAvailable && state.status !== 'none'
        ? html`<form method="post" action="/dashboard/billing"><button class="quiet">Manage billing</button>
          <p class="hint">Invoices, payment method and cancellation, on our payment provider’s site.</p></form>`
        : false
    }
    ${planCards((offered) => isOn && upgrade(offered, plan), plan)}
    ${!isOn && html`<p class="empty">${BILLING_NOT_CONFIGURED}</p>`}
  </section>`;
}

function upgrade(offered: Plan, current: Plan): Html | false {
  if (offered.id === 'free' || offered.id === current.id) return false;
  return html`<form method="post" action="/dashboard/checkout">
    <input type="hidden" name="plan" value="${offered.id}"><button>${nameChange(offered, current)} to ${offered.name}</button>
  </form>`;
}

/** What the provider's subscription status means for the user. */
function stateText(plan: Plan, { status, currentPeriodEnd, cancelAtPeriodEnd }: BillingState): Html {
  const until = currentPeriodEnd === null ? 'the end of the period' : formatDay(currentPeriodEnd);
  const at = currentPeriodEnd === null ? 'at' : 'on';
  if (status === 'none') {
    return plan.id === 'free'
      ? html`<p>You are on <strong>${plan.name}</strong>. Usage resets monthly.</p>`
      : html`<p>You are on <strong>${plan.name}</strong>, without a subscription.</p>`;
  }
  if (status === 'canceled')
    return html`<p>Your subscription is <strong>cancelled</strong>. You are on ${plan.name}.</p>`;
  if (cancelAtPeriodEnd) {
    return html`<p>You are on <strong>${plan.name}</strong>. Your subscription is <strong>cancelled</strong> and paid until
      ${until}. After that you move to Free: your keys keep working, with the limits of that plan.</p>`;
  }
  switch (status) {
    case 'active':
    case 'trialing':
      return html`<p>You are on <strong>${plan.name}</strong>, €${plan.monthlyPriceEur} per month. Your plan renews and your usage
        resets ${at} ${until}.</p>`;
    case 'past_due':
      return html`<p>You are on <strong>${plan.name}</strong>, but your last payment <strong>failed</strong>. Check your payment
        method: our payment provider will retry. If it keeps failing, you move to Free.</p>`;
    case 'paused':
      return html`<p>Your subscription is <strong>paused</strong>. You are on ${plan.name} until you resume it.</p>`;
    default:
      return html`<p>Your subscription is <strong>${status.replaceAll('_', ' ')}</strong>. You are on ${plan.name}.</p>`;
  }
}

/** Confirms what changed on the payment provider's site. */
export function billingNotice(plan: Plan, state: BillingState): Html {
  return notice('good', 'Your subscription has changed', stateText(plan, state));
}

export type CheckoutState = 'waiting' | 'done' | 'cancelled';

export function checkoutNotice(state: CheckoutState, plan: Plan): Html {
  switch (state) {
    case 'waiting':
      return notice(
        'info',
        'Payment received, waiting for confirmation',
        'Your plan changes when our payment provider confirms the payment, usually within seconds. This page refreshes automatically.',
      );
    case 'done':
      return notice('good', `You are on ${plan.name}`, 'Payment confirmed. Your new limits are active.');
    case 'cancelled':
      return notice('info', 'Checkout cancelled', 'You were not charged, and your plan has not changed.');
  }
}
