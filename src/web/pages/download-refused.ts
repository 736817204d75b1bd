import type { Denied } from '../../operations/operation.ts';
import type { SearchQuery } from '../../search/search.ts';
import { type Html, html } from '../html.ts';
import { layout, type Visitor } from '../parts/layout.ts';
import { limitNotice } from '../parts/search/limit-notices.ts';
import { exploreAddress } from '../text/search-address.ts';

export interface DownloadRefusedView {
  readonly visitor: Visitor;
  readonly query: SearchQuery;
  readonly denied: Denied;
  readonly now: number;
}

/** Says why a file was not made, and that it cost nothing. */
export function downloadRefusedPage({ visitor, query, denied, now }: DownloadRefusedView): Html {
  const reason = limitNotice(denied, now, 'Add filters to get a smaller file.');
  return layout(
    'Download not possible',
    html`<h1>Download not possible</h1>${reason}<p><a href="${exploreAddress(query)}">Back to the search</a> (uses 1 request)</p>`,
    { section: '/explore', visitor },
  );
}
