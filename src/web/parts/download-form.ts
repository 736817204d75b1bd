import type { SearchQuery } from '../../search/search.ts';
import { type Html, html } from '../html.ts';
import { countUnits, MAX_UNITS, ROWS_PER_UNIT } from '../result-file.ts';
import { formatAmount, formatCount } from '../text/formatting.ts';
import { toParameters } from '../text/search-address.ts';

const MAX_ROWS = MAX_UNITS * ROWS_PER_UNIT;

/** The button that downloads the results. It says what the file has and costs. */
export function downloadForm(query: SearchQuery, total: number): Html {
  const units = countUnits(total);
  const rows = total > MAX_ROWS ? `the first ${formatCount(MAX_ROWS)} results` : formatAmount(total, 'result');
  return html`<form class="download" action="/explore/download" method="post">
    ${[...toParameters({ ...query, page: 1 })].map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
    <input type="hidden" name="units" value="${units}">
    <button class="quiet">Download CSV</button>
    <span class="hint">${rows}, uses ${formatAmount(units, 'request')}</span>
  </form>`;
}
