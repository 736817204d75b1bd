import type { SignedIn } from '../../accounts/accounts.ts';
import type { ListedSecret } from '../../accounts/named-secrets.ts';
import { showName } from '../../base/display-text.ts';
import { type Html, html } from '../../base/html.ts';
import { type Plan, requestsOfAllKeys } from '../../base/plans.ts';
import { type MonthlyUse, portalKeyId, type Usage, type UsageHistory, webhookKeyId } from '../../base/usage.ts';
import type { Routes } from '../../http/app.ts';
import type { HttpReply } from '../../http/reply.ts';
import type { AccountPages, Shown, ShowProblem } from '../account.ts';
import { factList, notice, section } from '../parts/blocks.ts';
import { layout } from '../parts/layout.ts';
import { upgradeHint } from '../parts/plans.ts';
import type { PageServices } from '../services.ts';
import {
  formatAmount,
  formatCount,
  formatDate,
  formatDay,
  formatMoment,
  formatMonth,
  formatPercent,
  formatShortDay,
} from '../text/formatting.ts';
import { describeVisitor, sendPage } from '../visitor.ts';
import { describeExports } from './exports.ts';
import { billingSection, type CheckoutState, checkoutNotice, PAYMENT_POLICY, registerPlans } from './plans.ts';
import { keyTexts, linkTexts, registerSecretForms, secretsSection } from './secrets.ts';
import { webhooksSection, webhookWarning } from './webhooks.ts';

/** How often the page reloads while a payment is being confirmed. */
const REFRESH_SECONDS = 3;

/** The signed-in user's account: usage, keys, links, exports and plan. Every change is a form, so changes work without JavaScript. */
export function registerDashboard(app: Routes, services: PageServices, pages: AccountPages): void {
  const { publicUrl, site, clock, apiKeys, reconcileLinks, meter, billing, exports, webhooks } = services;

  async function show(reply: HttpReply, signedIn: SignedIn, { done, problem }: Shown, checkout?: CheckoutState) {
    const { account } = signedIn;
    const { accountId, plan } = account;
    const [usage, history, months, state, keys, links, endpoints, offered] = await Promise.all([
      meter.readUsage(account),
      meter.listUseByKey(account),
      meter.listMonthlyUse(accountId),
      billing.readBilling(accountId),
      apiKeys.list(accountId),
      reconcileLinks.list(accountId),
      webhooks.list(accountId),
      // An error of the folder of exports must not break the dashboard. The API reports such errors.
      exports.list().catch(() => undefined),
    ]);
    const isWaiting = checkout === 'waiting';
    const secrets = { plan, keys, links, history, now: clock.now() };
    const visitor = describeVisitor(signedIn);
    // What a new account needs first.
    const keySection = secretsSection(keyTexts, secrets);
    const content = html`<h1>Dashboard</h1>
    <p class="lead">${visitor !== 'anonymous' && html`<bdi>${visitor.name}</bdi> · `}${plan.name} plan</p>
    <div id="dashboard"${isWaiting && html` data-waiting`}>
      ${checkout !== undefined && checkoutNotice(checkout, plan)}
      ${done}
      ${problem !== undefined && notice('bad', 'Request failed', problem.message)}
      ${usageWarning(usage, plan)}
      ${webhookWarning(endpoints)}
      <div class="cards">${keys.length === 0 && keySection}${usageSection(usage, plan, months, historyParts(usage, history, listUsers(accountId, [...keys, ...links], history.counts)))}
        ${keys.length > 0 && keySection}${secretsSection(linkTexts, secrets)}${webhooksSection(endpoints)}
        ${section('exports', 'Exports', describeExports(plan, publicUrl(), offered, site.isClosed), 'card wide')}
        ${billingSection(plan, state, billing.isOn())}</div>
    </div>`;
    const frame = { section: '/dashboard', visitor, scripts: ['copy.js', 'once.js', 'dashboard.js', 'waiting.js'] };
    const page = layout('Dashboard', content, { ...frame, ...(isWaiting && { refreshSeconds: REFRESH_SECONDS }) });
    return sendPage(reply, page, PAYMENT_POLICY);
  }

  const showAgain: ShowProblem = (_request, reply, signedIn, problem) => show(reply, signedIn, { problem });
  const readReturn = registerPlans(app, services, pages, showAgain);
  pages.get('/dashboard', async (request, reply, signedIn) => {
    const { checkout, done = pages.takeConfirmation(reply) } = await readReturn(request, reply, signedIn);
    return show(reply, signedIn, { done }, checkout);
  });
  registerSecretForms(app, pages, apiKeys, keyTexts, publicUrl, show);
  registerSecretForms(app, pages, reconcileLinks, linkTexts, publicUrl, show);
}

function usageWarning({ used, limit, periodEnd, warning }: Usage, plan: Plan): Html | false {
  if (warning === null) return false;
  const upgrade = upgradeHint(plan, '#billing');
  if (warning === 'quota_used') {
    return notice(
      'bad',
      'You have used 100% of your quota',
      html`Requests fail with <a href="/docs/errors/monthly_quota_exceeded"><code>monthly_quota_exceeded</code></a>
      until ${formatMoment(periodEnd)}. No overage fees.${upgrade}`,
    );
  }
  return notice(
    'warn',
    `You have used ${formatPercent(used, limit)} of your quota`,
    html`${formatAmount(limit - used, 'request')} left until ${formatMoment(periodEnd)}.${upgrade}`,
  );
}

/** The requests of the current period compared with the quota, and the requests of the last days per day and per key. */
function usageSection(usage: Usage, plan: Plan, months: readonly MonthlyUse[], past: Html): Html {
  const { used, limit, periodEnd, previous } = usage;
  const days = (period: Pick<Usage, 'periodStart' | 'periodEnd'>) =>
    `${formatDay(period.periodStart)} to ${formatDay(period.periodEnd - 1)}`;
  const ofAll = plan.maxApiKeys > 1 && ` per key, ${formatCount(requestsOfAllKeys(plan))} with all keys`;
  const before = previous !== null && `${days(previous)}: ${formatAmount(previous.used, 'request')}`;
  const perMonth = months.toReversed().map(({ month, requests }) => [formatMonth(month), requests] as const);
  const content = html`<div>
      <p class="figure"><strong>${formatCount(used)}</strong> of ${formatAmount(limit, 'request')}</p>
      ${usageBar(usage)}
      ${factList([
        ['Period', days(usage)],
        ['Resets', formatMoment(periodEnd)],
        ...(before ? [['Period before', before] as const] : []),
        ['Rate limit', html`${formatAmount(plan.requestsPerMinute, 'request')} per minute${ofAll}`],
      ])}
    </div>
    ${past}
    <details class="months"><summary>Requests per month</summary>${barTable('Month (UTC)', perMonth)}</details>`;
  return section('usage', 'Usage', content, 'card wide usage');
}

function usageBar({ used, limit, warning }: Usage): Html {
  const share = Math.min(100, (used / limit) * 100);
  const tone = warning === null ? 'good' : warning === 'quota_used' ? 'bad' : 'warn';
  return html`<svg class="usage-bar ${tone}" role="img" aria-label="${formatPercent(used, limit)} of your quota used" width="100%" height="12">
    <rect class="track" width="100%" height="12" rx="6"/>
    <rect class="fill" width="${share.toFixed(2)}%" height="12" rx="6"/>
  </svg>`;
}

function historyParts(
  { used, periodStart }: Usage,
  { days, counts }: UsageHistory,
  users: Parameters<typeof barTable>[1],
): Html {
  const total = sumOf(counts, () => true);
  const title = html`<h3 id="daily-title">Requests per day</h3>`;
  if (total === 0) {
    return html`<div class="days">${title}
      <p class="empty">No requests in the last ${days.length} days. <a href="/docs">Send your first one</a>.</p></div>`;
  }
  const perDay = days.map((day) => [day, sumOf(counts, ({ date }) => date === day)] as const);
  // A change of plan starts a new period, whose count starts at zero.
  const isLonger = Date.parse(days[0] ?? '') <= periodStart && used < total;
  const rows = perDay.toReversed().map(([day, requests]) => [formatDate(day), requests] as const);
  return html`<div class="days">${title}
      <p class="hint">${formatAmount(total, 'request')} from ${formatShortDay(days[0] ?? '')} to ${formatDate(days.at(-1) ?? '')}
      (UTC)${isLonger && `, ${formatCount(used)} of them in this period`}.</p>
      ${dayChart(perDay)}
      <details><summary>Show as table</summary>${barTable('Day (UTC)', rows)}</details>
    </div>
    <div><h3>Requests per key</h3>${barTable('Key', users)}</div>`;
}

/** Lists who sent requests. All revoked keys are one row: their names are no longer listed, but their requests still count. */
function listUsers(accountId: string, keys: readonly ListedSecret[], counts: Counts): (readonly [Html, number])[] {
  const [portal, webhooks] = [portalKeyId(accountId), webhookKeyId(accountId)];
  const known = new Set([portal, webhooks, ...keys.map(({ id }) => id)]);
  const of = (id: string) => sumOf(counts, ({ keyId }) => keyId === id);
  const note = (name: string, text: string) => html`${name} <span class="quiet">(${text})</span>`;
  const rare = [
    [note('Webhooks', 'delivered events'), of(webhooks)],
    [html`Revoked keys`, sumOf(counts, ({ keyId }) => !known.has(keyId))],
  ] as const;
  return [
    ...keys.map(({ id, name }) => [showName(name), of(id)] as const),
    [note('Portal', 'your searches on this site'), of(portal)] as const,
    ...rare.filter(([, requests]) => requests > 0),
  ].toSorted(([, a], [, b]) => b - a);
}

type Counts = UsageHistory['counts'];

function sumOf(counts: Counts, isCounted: (count: Counts[number]) => boolean): number {
  return counts.reduce((sum, count) => sum + (isCounted(count) ? count.requests : 0), 0);
}

/** A table of rows, each with a bar in proportion to the highest number. */
function barTable(heading: string, rows: readonly (readonly [label: Html | string, requests: number])[]): Html {
  const most = Math.max(1, ...rows.map(([, requests]) => requests));
  return html`<table class="numbers bars"><thead><tr><th>${heading}</th><th><span class="hidden">Share of the highest number</span></th><th>Requests</th></tr></thead>
    <tbody>${rows.map(
      ([label, requests]) => html`<tr><td>${label}</td>
      <td class="bar-cell"><svg aria-hidden="true" width="100%" height="10"><rect width="${((requests / most) * 100).toFixed(1)}%" height="10" rx="2"/></svg></td>
      <td class="keep">${formatCount(requests)}</td></tr>`,
    )}</tbody></table>`;
}

const CHART_HEIGHT = 140;

/** A chart with one bar per day. Bars have widths in percent and heights in pixels, so that they fit any screen. A table has the numbers. */
function dayChart(days: readonly (readonly [day: string, requests: number])[]): Html {
  const most = Math.max(...days.map(([, requests]) => requests));
  const step = 100 / days.length;
  const [busiest = ''] = days.find(([, requests]) => requests === most) ?? [];
  return html`<figure class="chart">
    <svg role="img" aria-labelledby="daily-title" width="100%" height="${CHART_HEIGHT}">${days.map(
      ([day, requests], at) => {
        // The minimum height keeps a day with few requests visible beside a day with many.
        const height = requests === 0 ? 0 : Math.max(3, (requests / most) * CHART_HEIGHT);
        return html`<g><title>${formatDate(day)}: ${formatAmount(requests, 'request')}</title>
        <rect class="hit" x="${(at * step).toFixed(2)}%" width="${step.toFixed(2)}%" height="${CHART_HEIGHT}"/>
        <rect class="bar" x="${((at + 0.15) * step).toFixed(2)}%" y="${(CHART_HEIGHT - height).toFixed(1)}" width="${(step * 0.7).toFixed(2)}%" height="${height.toFixed(1)}"/></g>`;
      },
    )}</svg>
    <figcaption class="quiet"><span>${formatShortDay(days[0]?.[0] ?? '')}</span> <span>Most: ${formatCount(most)} on ${formatShortDay(busiest)}</span> <span>Today</span></figcaption>
  </figure>`;
}
