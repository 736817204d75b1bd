import { type Plan, requestsOfAllKeys } from '../../../core/plans.ts';
import type { MonthlyUse, Usage, UsageHistory, UsedPeriod } from '../../../core/usage.ts';
import { type Html, html } from '../../html.ts';
import { showName } from '../../text/display-text.ts';
import {
  formatAmount,
  formatCount,
  formatDate,
  formatDay,
  formatMoment,
  formatPercent,
  formatShares,
  formatShortDay,
} from '../../text/formatting.ts';
import { notice } from '../notice.ts';
import { factList } from '../record/fact-list.ts';
import { upgradeHint } from './plan-cards.ts';
import type { SecretRow } from './secrets-section.ts';
import { usageChart } from './usage-chart.ts';
import { usageMonths } from './usage-months.ts';
import { listSeries, type Series } from './usage-series.ts';

/** The requests of the current period compared with the quota, and those of the last days per day and per key. */
export interface UsageView {
  readonly accountId: string;
  readonly plan: Plan;
  readonly usage: Usage;
  readonly history: UsageHistory;
  readonly months: readonly MonthlyUse[];
  readonly keys: readonly SecretRow[];
  readonly links: readonly SecretRow[];
}

export function usageWarning({ usage, plan }: UsageView): Html | false {
  const { used, limit, periodEnd, warning } = usage;
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

export function usageSection(view: UsageView): Html {
  const { usage, plan } = view;
  const { used, limit, periodStart, periodEnd, previous } = usage;
  return html`<section class="card wide usage" aria-labelledby="usage-title" id="usage">
    <h2 id="usage-title">Usage</h2>
    <div>
      <p class="figure"><strong>${formatCount(used)}</strong> of ${formatAmount(limit, 'request')}</p>
      ${usageBar(usage)}
      ${factList([
        ['Period', `${formatDay(periodStart)} to ${formatDay(periodEnd - 1)}`],
        ['Resets', formatMoment(periodEnd)],
        ...(previous === null ? [] : ([['Period before', describePrevious(previous)]] as const)),
        [
          'Rate limit',
          `${formatAmount(plan.requestsPerMinute, 'request')} per minute per key, ${formatCount(requestsOfAllKeys(plan))} with all keys`,
        ],
      ])}
    </div>
    ${historyParts(view)}
    ${usageMonths(view.months)}
  </section>`;
}

function describePrevious({ periodStart, periodEnd, used }: UsedPeriod): string {
  return `${formatDay(periodStart)} to ${formatDay(periodEnd - 1)}: ${formatAmount(used, 'request')}`;
}

function usageBar({ used, limit, warning }: Usage): Html {
  const share = Math.min(100, (used / limit) * 100);
  const tone = warning === null ? 'good' : warning === 'quota_used' ? 'bad' : 'warn';
  return html`<svg class="usage-bar ${tone}" role="img" aria-label="${formatPercent(used, limit)} of your quota used" width="100%" height="12">
    <rect class="track" width="100%" height="12" rx="6"/>
    <rect class="fill" width="${share.toFixed(2)}%" height="12" rx="6"/>
  </svg>`;
}

function historyParts({ accountId, usage, history, keys, links }: UsageView): Html {
  const series = listSeries(accountId, [...keys, ...links], history);
  const total = series.reduce((sum, { requests }) => sum + requests, 0);
  const title = html`<h3 id="daily-title">Requests per day</h3>`;
  const { days } = history;
  if (total === 0) {
    return html`<div class="days">${title}
      <p class="empty">No requests in the last ${days.length} days. <a href="/docs">Send your first one</a>.</p></div>`;
  }
  return html`<div class="days">${title}
      <p class="hint">${formatAmount(total, 'request')} from ${formatShortDay(days[0] ?? '')} to ${formatDate(days.at(-1) ?? '')}
      (UTC)${periodHint(total, usage, days)}.</p>
      ${usageChart(history, series, 'daily-title')}
    </div>
    <div><h3>Requests per key</h3>${seriesTable(series)}</div>`;
}

/**
 * The chart shows all requests of its days, whatever period they were charged to. A change of plan starts a new period, whose count
 * starts at zero.
 */
function periodHint(total: number, { used, periodStart }: Usage, days: readonly string[]): string {
  const coversPeriod = Date.parse(days[0] ?? '') <= periodStart;
  return coversPeriod && used < total ? `, ${formatCount(used)} of them in this period` : '';
}

function seriesTable(series: readonly Series[]): Html {
  const shares = formatShares(series.map(({ requests }) => requests));
  return html`<table class="numbers"><thead><tr><th>Key</th><th>Requests</th></tr></thead>
    <tbody>${series.map(
      ({ name, note, requests, colour }, index) => html`<tr>
        <td><svg class="swatch" aria-hidden="true" width="10" height="10"><rect class="series-${colour}" width="10" height="10" rx="2"/></svg>${showName(name)}${note && html` <span class="quiet">(${note})</span>`}</td>
        <td class="keep">${formatCount(requests)} <span class="quiet share">${shares[index]}</span></td></tr>`,
    )}</tbody>
  </table>`;
}
