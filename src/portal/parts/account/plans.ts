import { BILLING_NOT_CONFIGURED } from '../../../base/errors.ts';
import { type Html, html } from '../../../base/html.ts';
import { findPlan, isPaid, type Plan, plans } from '../../../base/plans.ts';
import type { BillingState } from '../../../base/usage.ts';
import { formatAmount, formatCount, formatDay } from '../../text/formatting.ts';
import { notice } from '../blocks.ts';

/** The page that asks before a plan is bought. Visitors sign in first and return to it. */
export function planAddress({ id }: Pick<Plan, 'id'>): string {
  return `/dashboard/plans/${id}`;
}

export function nameChange(wanted: Plan, current: Plan): 'Upgrade' | 'Change' {
  return wanted.monthlyPriceEur > current.monthlyPriceEur ? 'Upgrade' : 'Change';
}

/** The plans side by side. `action` is the button or link of each. */
export function planCards(action: (plan: Plan) => Html | false, current?: Plan, level: 'h2' | 'h3' = 'h3'): Html {
  const heading = (text: Html) => (level === 'h2' ? html`<h2>${text}</h2>` : html`<h3>${text}</h3>`);
  return html`<ul class="plans">${plans.map(
    (plan) => html`<li class="plan${plan.id === current?.id && ' current'}">
      ${heading(html`${plan.name}${plan.id === current?.id && html` <span class="badge good">your plan</span>`}`)}
      <p class="price"><strong>€${plan.monthlyPriceEur}</strong> per month</p>
      <ul>
        <li>${formatCount(plan.monthlyRequests)} requests per month</li>
        <li>${formatCount(plan.requestsPerMinute)} requests per minute per key</li>
        <li>${formatAmount(plan.maxApiKeys, 'API key')}</li>
        <li>${formatAmount(plan.maxMonitors, 'monitor')}, ${formatAmount(plan.maxWatchedCompanies, 'watched company', 'watched companies')}</li>
        <li>All countries, all fields</li>
        ${isPaid(plan) && html`<li>Exports and whole results as files</li>`}
      </ul>
      ${action(plan)}
    </li>`,
  )}</ul>`;
}

export function freePlanHint(): string {
  return `The free plan includes ${formatAmount(findPlan('free').monthlyRequests, 'request')} per month.`;
}

/** Suggests an upgrade. Returns false for the largest plan, which cannot be upgraded. */
export function upgradeHint(plan: Plan, address: string): Html | false {
  if (plan.id === 'business') return false;
  return html` For more requests now, <a href="${address}">upgrade your plan</a>.`;
}

/** The account's plan and how to change it. Payments happen on the payment provider's pages, never here. */
export interface BillingView {
  readonly plan: Plan;
  readonly state: BillingState;
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
