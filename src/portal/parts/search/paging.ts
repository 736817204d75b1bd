import { type Html, html } from '../../../base/html.ts';
import type { SearchQuery } from '../../../search/search.ts';
import { formatCount } from '../../text/formatting.ts';
import { exploreAddress, toParameters } from '../../text/search-address.ts';

/** Pages of one thing, such as the results of a search. */
export interface Pages {
  readonly page: number;
  readonly pageCount: number;
  /** Where the field to jump to a page is sent, and what is sent with it. */
  readonly action: string;
  readonly parameters: Iterable<readonly [name: string, value: string]>;
  addressOf(page: number): string;
}

/** Links to the first, previous, next and last page, and a field to jump to any other. */
export function pageLinks({ page, pageCount, action, parameters, addressOf }: Pages): Html {
  const link = (target: number, text: string, rel?: string) => {
    const isReachable = target >= 1 && target <= pageCount && target !== page;
    if (!isReachable) return html`<span class="off">${text}</span>`;
    return html`<a href="${addressOf(target)}"${rel && html` rel="${rel}"`}>${text}</a>`;
  };
  return html`<nav class="paging" aria-label="Pages">
    ${link(1, 'First')}
    ${link(Math.min(page - 1, pageCount), 'Previous', 'prev')}
    <form action="${action}" method="get">
      ${Array.from(parameters, ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
      <label for="page">Page</label>
      <input id="page" name="page" inputmode="numeric" pattern="[0-9]*" value="${page}" size="${String(pageCount).length + 1}">
      <span>of ${formatCount(pageCount)}</span>
      <button class="quiet">Go</button>
    </form>
    ${link(page + 1, 'Next', 'next')}
    ${link(pageCount, 'Last')}
  </nav>`;
}

export function paging(query: SearchQuery, pageCount: number): Html {
  return pageLinks({
    page: query.page,
    pageCount,
    action: '/explore',
    parameters: toParameters({ ...query, page: 1 }),
    addressOf: (page) => exploreAddress({ ...query, page }),
  });
}
