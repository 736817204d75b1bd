import { type Html, html } from '../../html.ts';
import { formatCount } from '../../text/formatting.ts';
import { signInAddress } from '../../visitor.ts';
import type { Visitor } from '../layout.ts';

/** How many items the page of a list shows. */
export const LIST_PAGE_SIZE = 50;

/** Says how many items a list has if the page shows only some of them, and links to all. False if it shows all. */
export type ShowMore = (pointer: string, shown: number) => Html | false;

export function createShowMore(id: string, totals: Readonly<Record<string, number>>, visitor: Visitor): ShowMore {
  return (pointer, shown) => {
    const total = totals[pointer];
    if (total === undefined || total <= shown) return false;
    const all = listAddress(id, pointer);
    const link =
      visitor === 'anonymous'
        ? html`<a href="${signInAddress(all)}">Sign in to see all ${formatCount(total)}</a>`
        : html`<a href="${all}">Show all ${formatCount(total)}</a> (each page uses one request)`;
    return html`<p class="quiet">The first ${formatCount(shown)} of ${formatCount(total)}. ${link}</p>`;
  };
}

/** The address of a page that shows one list of a record. */
export function listAddress(id: string, pointer: string, page = 1): string {
  return `/entities/${id}?list=${encodeURIComponent(pointer)}${page === 1 ? '' : `&page=${page}`}`;
}
