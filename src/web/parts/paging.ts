import type { SearchQuery } from '../../search/search.ts';
import { type Html, html } from '../html.ts';
import { formatCount } from '../text/formatting.ts';
import { exploreAddress, toParameters } from '../text/search-address.ts';

/** Links to the first, previous, next and last page, and a field to jump to any other. */
export function paging(query: SearchQuery, pageCount: number): Html {
  const { page } = query;
  const link = (target: number, text: string, rel?: string) => {
    const isReachable = target >= 1 && target <= pageCount && target !== page;
    if (!isReachable) return html`<span class="off">${text}</span>`;
    return html`<a href="${exploreAddress({ ...query, page: target })}"${rel && html` rel="${rel}"`}>${text}</a>`;
  };
  const parameters = [...toParameters({ ...query, page: 1 })];
  return html`<nav class="paging" aria-label="Pages">
    ${link(1, 'First')}
    ${link(Math.min(page - 1, pageCount), 'Previous', 'prev')}
    <form action="/explore" method="get">
      ${parameters.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
      <label for="page">Page</label>
      <input id="page" name="page" inputmode="numeric" pattern="[0-9]*" value="${page}" size="${String(pageCount).length + 1}">
      <span>of ${formatCount(pageCount)}</span>
      <button class="quiet">Go</button>
    </form>
    ${link(page + 1, 'Next', 'next')}
    ${link(pageCount, 'Last')}
  </nav>`;
}
