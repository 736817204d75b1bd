import type { Denied } from '../../accounts/charging/operation.ts';
import { type Html, html } from '../../base/html.ts';
import { findPlan, isPaid, type Plan, plans } from '../../base/plans.ts';
import { formatAmount, formatCount, formatMoment, formatWait } from '../text/formatting.ts';
import { notice } from './blocks.ts';

/** Shows plans side by side. `action` returns the button or link of a plan. */
export function planCards(
  action: (plan: Plan) => Html | false,
  current?: Plan,
  level: 'h2' | 'h3' = 'h3',
  shown: readonly Plan[] = plans,
): Html {
  const heading = (text: Html) => (level === 'h2' ? html`<h2>${text}</h2>` : html`<h3>${text}</h3>`);
  return html`<ul class="plans">${shown.map(
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

export function limitNotice({ code, resetsAt, plan, units, limits }: Denied, now: number, hint: Html | '' = ''): Html {
  const wait = formatWait(resetsAt - now);
  if (code === 'insufficient_quota') {
    return notice(
      'bad',
      'Not enough requests left',
      html`This uses ${formatAmount(units, 'request')}, and you have ${formatAmount(limits.quota.remaining, 'request')} left until
      ${formatMoment(limits.quota.resetsAt)}. Nothing was charged. ${hint}${upgradeHint(plan, '/dashboard#billing')}`,
    );
  }
  if (code === 'rate_limit_exceeded') {
    return notice(
      'warn',
      'Too many requests',
      `Your plan allows ${formatAmount(plan.requestsPerMinute, 'request')} per minute. Try again in ${wait}.`,
    );
  }
  return notice(
    'bad',
    'Quota used up',
    html`You have used all ${formatAmount(plan.monthlyRequests, 'request')} in this period. Your quota resets in ${wait}, on
    ${formatMoment(resetsAt)}. No overage fees.${upgradeHint(plan, '/dashboard#billing')}`,
  );
}
