import { type Html, html } from '../html.ts';
import { formatCount } from '../text/formatting.ts';

/** How many items the page of a list shows. */
export const LIST_PAGE_SIZE = 50;

/** Says how many items a list has if the page shows only some of them, and links to all. False if it shows all. */
export type ShowMore = (pointer: string, shown: number) => Html | false;

export function createShowMore(id: string, totals: Readonly<Record<string, number>>): ShowMore {
  return (pointer, shown) => {
    const total = totals[pointer];
    if (total === undefined || total <= shown) return false;
    return html`<p class="quiet">The first ${formatCount(shown)} of ${formatCount(total)}.
      <a href="${listAddress(id, pointer)}">Show all ${formatCount(total)}</a> (each page uses one request)</p>`;
  };
}

/** The address of a page that shows one list of a record. */
export function listAddress(id: string, pointer: string, page = 1): string {
  return `/entities/${id}?list=${encodeURIComponent(pointer)}${page === 1 ? '' : `&page=${page}`}`;
}
