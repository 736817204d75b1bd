import type { Plan } from '../../core/plans.ts';
import { portalKeyId, type Usage } from '../../core/usage.ts';
import { type Html, html } from '../html.ts';
import { formatAmount, formatCount, formatDate, formatDay, formatMoment, formatPercent } from '../text/formatting.ts';
import { factList } from './fact-list.ts';
import type { KeyRow } from './keys-section.ts';
import { notice } from './notice.ts';
import { upgradeHint } from './plan-cards.ts';

/** The requests of the current period: compared with the quota, per day and per key. */
export interface UsageView {
  readonly accountId: string;
  readonly plan: Plan;
  readonly usage: Usage;
  readonly byKey: ReadonlyMap<string, number>;
  readonly keys: readonly KeyRow[];
}

/** The share of the quota from which the dashboard warns. */
const WARNING_SHARE = 0.8;

export function usageWarning({ usage, plan }: UsageView): Html | false {
  const { used, limit, periodEnd } = usage;
  const upgrade = upgradeHint(plan, '#billing');
  if (used >= limit) {
    return notice(
      'bad',
      'You have used 100% of your quota',
      html`Requests fail with <a href="/docs/errors/monthly_quota_exceeded"><code>monthly_quota_exceeded</code></a>
      until ${formatMoment(periodEnd)}. No overage fees.${upgrade}`,
    );
  }
  if (used < limit * WARNING_SHARE) return false;
  return notice(
    'warn',
    `You have used ${formatPercent(used, limit)} of your quota`,
    html`${formatAmount(limit - used, 'request')} left until ${formatMoment(periodEnd)}.${upgrade}`,
  );
}

export function usageSection(view: UsageView): Html {
  const { usage, plan } = view;
  const { used, limit, periodStart, periodEnd } = usage;
  return html`<section class="card" aria-labelledby="usage-title" id="usage">
    <h2 id="usage-title">Usage</h2>
    <p class="figure"><strong>${formatCount(used)}</strong> of ${formatAmount(limit, 'request')}</p>
    ${usageBar(used, limit)}
    ${factList([
      ['Period', `${formatDay(periodStart)} to ${formatDay(periodEnd - 1)}`],
      ['Resets', formatMoment(periodEnd)],
      ['Rate limit', `${formatAmount(plan.requestsPerMinute, 'request')} per minute per key`],
    ])}
    <h3 id="daily-title">Requests per day</h3>
    ${dailyChart(listDays(usage))}
    <h3>Requests per key</h3>
    ${keyTable(view)}
  </section>`;
}

function usageBar(used: number, limit: number): Html {
  const share = Math.min(100, (used / limit) * 100);
  const tone = used >= limit ? 'bad' : used >= limit * WARNING_SHARE ? 'warn' : 'good';
  return html`<svg class="usage-bar ${tone}" role="img" aria-label="${formatPercent(used, limit)} of your quota used" width="100%" height="12">
    <rect class="track" width="100%" height="12" rx="6"/>
    <rect class="fill" width="${share.toFixed(2)}%" height="12" rx="6"/>
  </svg>`;
}

interface Day {
  readonly date: string;
  readonly requests: number;
}

const DAY_MS = 86_400_000;

/** Every day of the period, including days without requests. */
function listDays({ periodStart, periodEnd, daily }: Usage): Day[] {
  const counts = new Map(daily.map(({ date, requests }) => [date, requests]));
  const days: Day[] = [];
  const first = Math.floor(periodStart / DAY_MS) * DAY_MS;
  for (let day = first; day < periodEnd; day += DAY_MS) {
    const date = new Date(day).toISOString().slice(0, 10);
    days.push({ date, requests: counts.get(date) ?? 0 });
  }
  return days;
}

const [WIDTH, HEIGHT, GAP] = [640, 120, 4];

/** The same figures as a chart and as a table, which screen readers can read. */
function dailyChart(days: readonly Day[]): Html {
  const peak = Math.max(...days.map(({ requests }) => requests));
  const step = WIDTH / days.length;
  const bar = ({ date, requests }: Day, index: number) => {
    const height = requests === 0 ? 1 : Math.max(3, (requests / peak) * HEIGHT);
    return html`<rect class="${requests === 0 ? 'none' : 'some'}" x="${(index * step + GAP / 2).toFixed(1)}" y="${(HEIGHT - height).toFixed(1)}" width="${(step - GAP).toFixed(1)}" height="${height.toFixed(1)}" rx="2"><title>${formatDate(date)}: ${formatCount(requests)}</title></rect>`;
  };
  return html`<figure class="chart">
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="daily-title" preserveAspectRatio="none">${days.map(bar)}</svg>
    <figcaption><span>${formatDate(days[0]?.date ?? '')}</span><span>Peak: ${formatCount(peak)} per day</span><span>${formatDate(days.at(-1)?.date ?? '')}</span></figcaption>
  </figure>
  <details>
    <summary>Show as table</summary>
    <table class="numbers"><thead><tr><th>Day (UTC)</th><th>Requests</th></tr></thead>
      <tbody>${days.map(({ date, requests }) => html`<tr><td>${formatDate(date)}</td><td>${formatCount(requests)}</td></tr>`)}</tbody>
    </table>
  </details>`;
}

/** Revoked keys are summed up in one row: their names are not listed any more, but their requests still count. */
function keyTable({ accountId, byKey, keys }: UsageView): Html {
  const portal = portalKeyId(accountId);
  const known = new Set([portal, ...keys.map(({ id }) => id)]);
  const revoked = [...byKey].filter(([id]) => !known.has(id)).reduce((sum, [, requests]) => sum + requests, 0);
  const rows: [Html | string, number][] = [
    ...keys.map(({ id, name }): [Html, number] => [html`<bdi>${name}</bdi>`, byKey.get(id) ?? 0]),
    ['Portal (your searches on this site)', byKey.get(portal) ?? 0],
  ];
  if (revoked > 0) rows.push(['Revoked keys', revoked]);
  return html`<table class="numbers"><thead><tr><th>Key</th><th>Requests</th></tr></thead>
    <tbody>${rows.map(([name, requests]) => html`<tr><td>${name}</td><td>${formatCount(requests)}</td></tr>`)}</tbody>
  </table>`;
}
