import type { Plan } from '../../core/plans.ts';
import { portalKeyId, type Usage } from '../../core/usage.ts';
import { type Html, html } from '../html.ts';
import { writeAmount, writeCount, writeDate, writeDay, writeMoment, writeShare } from '../text/formatting.ts';
import type { KeyRow } from './keys-section.ts';
import { notice } from './notice.ts';

/** What the account has used: against its quota, day by day, key by key. */
export interface UsageView {
  readonly accountId: string;
  readonly plan: Plan;
  readonly usage: Usage;
  readonly byKey: ReadonlyMap<string, number>;
  readonly keys: readonly KeyRow[];
}

export function usageWarning({ usage, plan }: UsageView): Html | false {
  const { used, limit, periodEnd } = usage;
  const larger = plan.id !== 'business' && html` <a href="#billing">A larger plan</a> takes effect at once.`;
  if (used >= limit) {
    return notice(
      'bad',
      '100 % of the quota is used',
      html`Requests are refused with <a href="/docs/errors/monthly_quota_exceeded"><code>monthly_quota_exceeded</code></a>
      until ${writeMoment(periodEnd)}. Nothing is charged on top.${larger}`,
    );
  }
  if (used < limit * NEARLY) return false;
  return notice(
    'warn',
    `${writeShare(used, limit)} of the quota is used`,
    html`${writeAmount(limit - used, 'request')} left until ${writeMoment(periodEnd)}.${larger}`,
  );
}

const NEARLY = 0.8;

export function usageSection(view: UsageView): Html {
  const { usage, plan } = view;
  const { used, limit, periodStart, periodEnd } = usage;
  return html`<section class="card" aria-labelledby="usage-title" id="usage">
    <h2 id="usage-title">Usage</h2>
    <p class="figure"><strong>${writeCount(used)}</strong> of ${writeAmount(limit, 'request')}</p>
    ${usageBar(used, limit)}
    <dl class="facts-table">
      <div><dt>Period</dt><dd>${writeDay(periodStart)} to ${writeDay(periodEnd - 1)}</dd></div>
      <div><dt>Starts anew</dt><dd>${writeMoment(periodEnd)}</dd></div>
      <div><dt>Rate limit</dt><dd>${writeAmount(plan.requestsPerMinute, 'request')} a minute for each key</dd></div>
    </dl>
    <h3 id="daily-title">Requests a day</h3>
    ${dailyChart(daysOf(usage))}
    <h3>Requests by key</h3>
    ${keyTable(view)}
  </section>`;
}

function usageBar(used: number, limit: number): Html {
  const share = Math.min(100, (used / limit) * 100);
  const tone = used >= limit ? 'bad' : used >= limit * NEARLY ? 'warn' : 'good';
  return html`<svg class="usage-bar ${tone}" role="img" aria-label="${writeShare(used, limit)} of the quota used" width="100%" height="12">
    <rect class="track" width="100%" height="12" rx="6"/>
    <rect class="fill" width="${share.toFixed(2)}%" height="12" rx="6"/>
  </svg>`;
}

interface Day {
  readonly date: string;
  readonly requests: number;
}

const DAY_MS = 86_400_000;

/** Every day of the period, also those without a request. */
function daysOf({ periodStart, periodEnd, daily }: Usage): Day[] {
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

/** A picture for the eye and a table for everything else; both say the same. */
function dailyChart(days: readonly Day[]): Html {
  const most = Math.max(1, ...days.map(({ requests }) => requests));
  const step = WIDTH / days.length;
  const bar = ({ date, requests }: Day, at: number) => {
    const height = requests === 0 ? 1 : Math.max(3, (requests / most) * HEIGHT);
    return html`<rect class="${requests === 0 ? 'none' : 'some'}" x="${(at * step + GAP / 2).toFixed(1)}" y="${(HEIGHT - height).toFixed(1)}" width="${(step - GAP).toFixed(1)}" height="${height.toFixed(1)}" rx="2"><title>${writeDate(date)}: ${writeCount(requests)}</title></rect>`;
  };
  return html`<figure class="chart">
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="daily-title" preserveAspectRatio="none">${days.map(bar)}</svg>
    <figcaption><span>${writeDate(days[0]?.date ?? '')}</span><span>at most ${writeCount(most)} a day</span><span>${writeDate(days.at(-1)?.date ?? '')}</span></figcaption>
  </figure>
  <details>
    <summary>As a table</summary>
    <table class="numbers"><thead><tr><th>Day (UTC)</th><th>Requests</th></tr></thead>
      <tbody>${days.map(({ date, requests }) => html`<tr><td>${writeDate(date)}</td><td>${writeCount(requests)}</td></tr>`)}</tbody>
    </table>
  </details>`;
}

/** Keys that are revoked have lost their names, not their count. */
function keyTable({ accountId, byKey, keys }: UsageView): Html {
  const portal = portalKeyId(accountId);
  const known = new Set([portal, ...keys.map(({ id }) => id)]);
  const revoked = [...byKey].filter(([id]) => !known.has(id)).reduce((sum, [, requests]) => sum + requests, 0);
  const rows: [Html | string, number][] = [
    ...keys.map(({ id, name }): [Html, number] => [html`<bdi>${name}</bdi>`, byKey.get(id) ?? 0]),
    ['Portal: your searches on these pages', byKey.get(portal) ?? 0],
  ];
  if (revoked > 0) rows.push(['Revoked keys', revoked]);
  return html`<table class="numbers"><thead><tr><th>Key</th><th>Requests</th></tr></thead>
    <tbody>${rows.map(([name, requests]) => html`<tr><td>${name}</td><td>${writeCount(requests)}</td></tr>`)}</tbody>
  </table>`;
}
