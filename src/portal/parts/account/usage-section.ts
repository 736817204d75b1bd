import { type Plan, requestsOfAllKeys } from '../../../base/plans.ts';
import { type MonthlyUse, portalKeyId, type Usage, type UsageHistory, webhookKeyId } from '../../../base/usage.ts';
import { type Html, html } from '../../html.ts';
import { plainName, showName } from '../../text/display-text.ts';
import {
  formatAmount,
  formatCount,
  formatDate,
  formatDay,
  formatMoment,
  formatMonth,
  formatPercent,
  formatShares,
  formatShortDay,
} from '../../text/formatting.ts';
import { factList, notice } from '../blocks.ts';
import { upgradeHint } from './plans.ts';
import type { SecretRow } from './secrets-section.ts';

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
  const { used, limit, periodEnd, previous } = usage;
  const days = (period: Pick<Usage, 'periodStart' | 'periodEnd'>) =>
    `${formatDay(period.periodStart)} to ${formatDay(period.periodEnd - 1)}`;
  return html`<section class="card wide usage" aria-labelledby="usage-title" id="usage">
    <h2 id="usage-title">Usage</h2>
    <div>
      <p class="figure"><strong>${formatCount(used)}</strong> of ${formatAmount(limit, 'request')}</p>
      ${usageBar(usage)}
      ${factList([
        ['Period', days(usage)],
        ['Resets', formatMoment(periodEnd)],
        ...(previous === null
          ? []
          : ([['Period before', `${days(previous)}: ${formatAmount(previous.used, 'request')}`]] as const)),
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

function usageMonths(months: readonly MonthlyUse[]): Html {
  const most = Math.max(1, ...months.map(({ requests }) => requests));
  return html`<details class="months"><summary>Requests per month</summary>
    <table class="numbers"><thead><tr><th>Month (UTC)</th><th><span class="hidden">Share of the busiest month</span></th><th>Requests</th></tr></thead>
      <tbody>${months.toReversed().map(
        ({ month, requests }) => html`<tr><td class="keep">${formatMonth(month)}</td>
        <td class="bar-cell"><svg aria-hidden="true" width="100%" height="10"><rect class="series-1" width="${((requests / most) * 100).toFixed(1)}%" height="10" rx="2"/></svg></td>
        <td class="keep">${formatCount(requests)}</td></tr>`,
      )}</tbody>
    </table></details>`;
}

/** The requests of one key, or of several that share a colour of the chart. */
interface Series {
  readonly name: string;
  readonly keyIds: ReadonlySet<string>;
  readonly requests: number;
  readonly note?: string;
  /** The number of the colour in the stylesheet. */
  readonly colour: number;
}

/** The largest ones have a colour of their own, all others share the last one. */
const COLOURS = 6;

/**
 * The keys and links of an account, those with most requests first. Revoked keys are one series: their names are no longer listed, but their
 * requests still count.
 */
function listSeries(accountId: string, keys: readonly SecretRow[], { counts }: UsageHistory): Series[] {
  const portal = portalKeyId(accountId);
  const webhooks = new Set([webhookKeyId(accountId)]);
  const known = new Set([portal, ...webhooks, ...keys.map(({ id }) => id)]);
  const revoked = new Set(counts.flatMap(({ keyId }) => (known.has(keyId) ? [] : keyId)));
  const named = [
    ...keys.map(({ id, name }) => ({ name, keyIds: new Set([id]) })),
    { name: 'Portal', note: 'your searches on this site', keyIds: new Set([portal]) },
    { name: 'Webhooks', note: 'delivered events', keyIds: webhooks },
    { name: 'Revoked keys', keyIds: revoked },
  ];
  return named
    .map((each) => ({ ...each, requests: sumOf(counts, each.keyIds) }))
    .filter(({ requests, keyIds }) => (keyIds !== revoked && keyIds !== webhooks) || requests > 0)
    .toSorted((a, b) => b.requests - a.requests)
    .map((each, index) => ({ ...each, colour: Math.min(index + 1, COLOURS) }));
}

const sumOf = (counts: UsageHistory['counts'], keyIds: ReadonlySet<string>) =>
  counts.reduce((sum, { keyId, requests }) => sum + (keyIds.has(keyId) ? requests : 0), 0);

/** One stacked bar per day. Bars have widths in percent and heights in pixels, so that text in the picture is never stretched. */

/** The value of the day under the pointer is above the bars, dates are below them. */
const [TOP, PLOT, BOTTOM] = [22, 160, 24];
const HEIGHT = TOP + PLOT + BOTTOM;
const DAYS_PER_TICK = 7;

interface Bar {
  readonly date: string;
  readonly total: number;
  readonly parts: readonly { readonly series: Series; readonly requests: number }[];
}

/** The same figures as a chart and as a table, which screen readers can read. */
function usageChart(history: UsageHistory, series: readonly Series[], labelledBy: string): Html {
  const bars = listBars(history, series);
  const top = roundUp(Math.max(...bars.map(({ total }) => total)));
  const step = 100 / bars.length;
  return html`<figure class="chart">
    <svg class="axis" aria-hidden="true" height="${HEIGHT}">${[top, top / 2, 0].map(
      (value) => html`<text x="100%" y="${heightOf(value, top) + 4}" text-anchor="end">${formatCount(value)}</text>`,
    )}</svg>
    <svg class="plot" role="img" aria-labelledby="${labelledBy}" height="${HEIGHT}">
      ${[top, top / 2, 0].map((value) => html`<line class="grid" x1="0" x2="100%" y1="${heightOf(value, top)}" y2="${heightOf(value, top)}"/>`)}
      ${bars.map((bar, index) => dayGroup(bar, { index, count: bars.length, step, top }))}
    </svg>
  </figure>
  <details>
    <summary>Show as table</summary>
    <table class="numbers"><thead><tr><th>Day (UTC)</th><th>Requests</th></tr></thead>
      <tbody>${bars.toReversed().map(({ date, total }) => html`<tr><td>${formatDate(date)}</td><td>${formatCount(total)}</td></tr>`)}</tbody>
    </table>
  </details>`;
}

function listBars({ days, counts }: UsageHistory, series: readonly Series[]): Bar[] {
  const byDay = Map.groupBy(counts, ({ date }) => date);
  return days.map((date) => {
    const ofDay = byDay.get(date) ?? [];
    const parts = series.flatMap((each) => {
      const requests = sumOf(ofDay, each.keyIds);
      return requests === 0 ? [] : { series: each, requests };
    });
    return { date, parts, total: parts.reduce((sum, { requests }) => sum + requests, 0) };
  });
}

interface Place {
  readonly index: number;
  readonly count: number;
  /** Width of a day in percent. */
  readonly step: number;
  /** The value at the top of the axis. */
  readonly top: number;
}

function dayGroup(bar: Bar, place: Place): Html {
  const { date, total } = bar;
  const { index, count, step } = place;
  const isToday = index === count - 1;
  const middle = `${((index + 0.5) * step).toFixed(2)}%`;
  const anchor = index < 3 ? 'start' : index > count - 4 ? 'end' : 'middle';
  const tick = isToday ? 'Today' : (count - 1 - index) % DAYS_PER_TICK === 0 && formatShortDay(date);
  return html`<g class="day${isToday && ' today'}">
    <title>${describeDay(bar)}</title>
    <rect class="hit" x="${(index * step).toFixed(2)}%" y="0" width="${step.toFixed(2)}%" height="${TOP + PLOT}"/>
    ${stack(bar, place)}
    <text class="value" x="${middle}" y="14" text-anchor="${anchor}">${formatShortDay(date)}: ${formatCount(total)}</text>
    ${tick && html`<text class="tick${count - 1 - index === DAYS_PER_TICK && ' near'}" x="${isToday ? '100%' : middle}" y="${HEIGHT - 6}" text-anchor="${isToday ? 'end' : 'middle'}">${tick}</text>`}
  </g>`;
}

/** `15 Mar 2026: 12 requests (laptop 10, Portal 2)`. */
function describeDay({ date, total, parts }: Bar): string {
  const split = parts.map(({ series, requests }) => `${plainName(series.name)} ${formatCount(requests)}`).join(', ');
  return `${formatDate(date)}: ${formatAmount(total, 'request')}${split === '' ? '' : ` (${split})`}`;
}

function stack({ parts, total }: Bar, { index, step, top }: Place): Html[] {
  // A day with few requests next to one with many is still visible.
  const scale = Math.max(3, (total / top) * PLOT) / Math.max(1, total);
  let below = 0;
  return parts.map(({ series, requests }) => {
    const height = requests * scale;
    below += height;
    return html`<rect class="series-${series.colour}" x="${((index + 0.15) * step).toFixed(2)}%" y="${(TOP + PLOT - below).toFixed(1)}" width="${(step * 0.7).toFixed(2)}%" height="${height.toFixed(1)}"/>`;
  });
}

function heightOf(value: number, top: number): number {
  return TOP + PLOT - (value / top) * PLOT;
}

/** The top of the axis: 2, 4, 6, 8, 10, 20, 40 and so on, so that half of it is a whole number. */
function roundUp(peak: number): number {
  for (let power = 1; ; power *= 10) {
    const found = [2, 4, 6, 8, 10].find((factor) => factor * power >= peak);
    if (found !== undefined) return found * power;
  }
}
