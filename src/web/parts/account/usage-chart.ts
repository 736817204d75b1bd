import type { UsageHistory } from '../../../core/usage.ts';
import { type Html, html } from '../../html.ts';
import { plainName } from '../../text/display-text.ts';
import { formatAmount, formatCount, formatDate, formatShortDay } from '../../text/formatting.ts';
import type { Series } from './usage-series.ts';

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
export function usageChart(history: UsageHistory, series: readonly Series[], labelledBy: string): Html {
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
      const requests = ofDay.reduce((sum, { keyId, requests }) => sum + (each.keyIds.has(keyId) ? requests : 0), 0);
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
