import { findPlan, isPaid, type Plan, plans } from '../../../core/plans.ts';
import { type Html, html } from '../../html.ts';
import { formatAmount, formatCount } from '../../text/formatting.ts';

/** The page that asks before a plan is bought. Visitors sign in first and return to it. */
export function planAddress({ id }: Pick<Plan, 'id'>): string {
  return `/dashboard/plans/${id}`;
}

/** The verb for a change from one plan to another. */
export function nameChange(wanted: Plan, current: Plan): 'Upgrade' | 'Change' {
  return wanted.monthlyPriceEur > current.monthlyPriceEur ? 'Upgrade' : 'Change';
}

/** The plans side by side. `action` is the button or link of each. */
export function planCards(action: (plan: Plan) => Html | false, current?: Plan): Html {
  return html`<ul class="plans">${plans.map(
    (plan) => html`<li class="plan${plan.id === current?.id && ' current'}">
      <h3>${plan.name}${plan.id === current?.id && html` <span class="badge good">your plan</span>`}</h3>
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
