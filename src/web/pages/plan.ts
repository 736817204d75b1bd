import { BILLING_NOT_CONFIGURED } from '../../core/errors.ts';
import { isPaid, type Plan } from '../../core/plans.ts';
import { type Html, html } from '../html.ts';
import { nameChange } from '../parts/account/plan-cards.ts';
import { messagePage, type Visitor } from '../parts/layout.ts';
import { notice } from '../parts/notice.ts';
import { termsHint } from '../parts/operator-links.ts';
import { formatCount } from '../text/formatting.ts';

/** Asks before a plan is bought or changed, and shows what changes. */
export interface PlanPageView {
  readonly visitor: Visitor;
  readonly current: Plan;
  readonly wanted: Plan;
  /** Whether there is a subscription to change, so that nothing new is bought. */
  readonly isSubscribed: boolean;
  /** Whether this server sells plans. */
  readonly isOn: boolean;
}

export function planPage(view: PlanPageView): Html {
  const { visitor, current, wanted, isOn } = view;
  const frame = { section: '/dashboard', visitor };
  if (current.id === wanted.id) {
    const link = html`<p><a class="button" href="/dashboard">Go to the dashboard</a></p>`;
    return messagePage(`You are on ${wanted.name}`, 'There is nothing to change.', link, frame);
  }
  return messagePage(
    `${nameChange(wanted, current)} to ${wanted.name}`,
    `€${wanted.monthlyPriceEur} per month. Cancel any time; access lasts until the month ends.`,
    html`${comparison(current, wanted)}
    ${isOn ? purchaseForm(view) : notice('info', 'Plans cannot be changed here', BILLING_NOT_CONFIGURED)}`,
    frame,
  );
}

function comparison(current: Plan, wanted: Plan): Html {
  const rows: [string, (plan: Plan) => string][] = [
    ['Price per month', ({ monthlyPriceEur }) => `€${monthlyPriceEur}`],
    ['Requests per month', ({ monthlyRequests }) => formatCount(monthlyRequests)],
    ['Requests per minute per key', ({ requestsPerMinute }) => formatCount(requestsPerMinute)],
    ['API keys', ({ maxApiKeys }) => formatCount(maxApiKeys)],
    ['Monitors', ({ maxMonitors }) => formatCount(maxMonitors)],
    ['Watched companies', ({ maxWatchedCompanies }) => formatCount(maxWatchedCompanies)],
    ['Exports and whole results as files', (plan) => (isPaid(plan) ? 'Yes' : 'No')],
  ];
  return html`<table class="numbers compare">
    <thead><tr><td></td><th scope="col" class="number">${current.name} (now)</th><th scope="col" class="number">${wanted.name}</th></tr></thead>
    <tbody>${rows.map(
      ([label, read]) =>
        html`<tr><th scope="row">${label}</th><td class="number">${read(current)}</td><td><strong>${read(wanted)}</strong></td></tr>`,
    )}</tbody>
  </table>`;
}

function purchaseForm({ current, wanted, isSubscribed }: PlanPageView): Html {
  const next = isSubscribed
    ? 'Our payment provider shows what the change costs today. Nothing changes until you confirm there.'
    : 'You pay on our payment provider’s site. Nothing is charged until you confirm there.';
  return html`<p>${next}</p>
    ${termsHint()}
    <form method="post" action="/dashboard/checkout" class="inline">
      <input type="hidden" name="plan" value="${wanted.id}">
      <button>Continue to payment</button>
      <a href="/dashboard">Keep ${current.name}</a>
    </form>`;
}
