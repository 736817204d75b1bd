import type { MonthlyUse } from '../../../core/usage.ts';
import { type Html, html } from '../../html.ts';
import { formatCount, formatMonth } from '../../text/formatting.ts';

/** The requests of the last twelve months, each with a bar. */
export function usageMonths(months: readonly MonthlyUse[]): Html {
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
