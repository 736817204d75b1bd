import { type Plan, plans } from '../../core/plans.ts';
import { type Html, html } from '../html.ts';
import { writeAmount, writeCount } from '../text/formatting.ts';

/** The plans side by side; `action` is what one can do about each. */
export function planCards(action: (plan: Plan) => Html | false, current?: Plan): Html {
  return html`<ul class="plans">${plans.map(
    (plan) => html`<li class="plan${plan.id === current?.id && ' current'}">
      <h3>${plan.name}${plan.id === current?.id && html` <span class="badge good">your plan</span>`}</h3>
      <p class="price"><strong>€${plan.monthlyPriceEur}</strong> a month</p>
      <ul>
        <li>${writeCount(plan.monthlyRequests)} requests a month</li>
        <li>${writeCount(plan.requestsPerMinute)} a minute for each key</li>
        <li>${writeAmount(plan.maxApiKeys, 'API key')}</li>
        <li>All countries, all fields</li>
      </ul>
      ${action(plan)}
    </li>`,
  )}</ul>`;
}
