import { isPaid, type Plan } from '../../../core/plans.ts';
import { countUnits, MAX_FREE_ROWS } from '../../../result-files/price.ts';
import type { SearchQuery } from '../../../search/search.ts';
import { type Html, html } from '../../html.ts';
import { formatAmount, formatCount } from '../../text/formatting.ts';
import { toParameters } from '../../text/search-address.ts';

/** How many rows a file may have. */
export function maxRowsOf(plan: Plan): number {
  return isPaid(plan) ? Number.POSITIVE_INFINITY : MAX_FREE_ROWS;
}

/** The button that downloads the results. It says what the file has and costs. */
export function downloadForm(query: SearchQuery, total: number, plan: Plan): Html {
  const rows = Math.min(total, maxRowsOf(plan));
  const units = countUnits(rows);
  const content = rows < total ? `the first ${formatCount(rows)} results` : formatAmount(total, 'result');
  return html`<form class="download" action="/explore/download" method="post">
    ${[...toParameters({ ...query, page: 1 })].map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
    <input type="hidden" name="units" value="${units}">
    <button class="quiet">Download CSV</button>
    <span class="hint">${content}, uses ${formatAmount(units, 'request')}</span>
  </form>`;
}
