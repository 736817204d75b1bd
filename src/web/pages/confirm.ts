import { type Html, html } from '../html.ts';
import { layout, type Visitor } from '../parts/layout.ts';

/**
 * Asks before a page that costs a request is shown, when something other than the user opened it. The link leads to the same
 * address, but from our own page.
 */
export function confirmPage(visitor: Visitor, address: string): Html {
  return layout(
    'Open this page?',
    html`<h1>Open this page?</h1>
    <p class="lead">A link on another site led here. Nothing has been charged yet.</p>
    <p><a class="button" href="${address}">Show this page (uses 1 request)</a> <a href="/explore">Back to search</a></p>`,
    { section: '/explore', visitor },
  );
}
