import type { Denied } from '../../operations/operation.ts';
import type { SearchQuery } from '../../search/search.ts';
import { type Html, html } from '../html.ts';
import { upgradeHint } from '../parts/account/plan-cards.ts';
import { layout, type Visitor } from '../parts/layout.ts';
import { notice } from '../parts/notice.ts';
import { limitNotice } from '../parts/search/limit-notices.ts';
import { formatAmount, formatMoment } from '../text/formatting.ts';
import { exploreAddress } from '../text/search-address.ts';

export interface DownloadRefusedView {
  readonly visitor: Visitor;
  readonly query: SearchQuery;
  readonly denied: Denied;
  readonly now: number;
}

/** Says why a file was not made, and that it cost nothing. */
export function downloadRefusedPage({ visitor, query, denied, now }: DownloadRefusedView): Html {
  const { plan, units } = denied;
  const { remaining, resetsAt } = denied.limits.quota;
  const reason =
    denied.code !== 'insufficient_quota'
      ? limitNotice(denied, now)
      : notice(
          'bad',
          'Not enough requests left',
          html`This file uses ${formatAmount(units, 'request')}, and you have ${formatAmount(remaining, 'request')} left until
          ${formatMoment(resetsAt)}. Nothing was charged. Add filters to get a smaller file.${upgradeHint(plan, '/dashboard#billing')}`,
        );
  return layout(
    'Download not possible',
    html`<h1>Download not possible</h1>${reason}<p><a href="${exploreAddress(query)}">Back to the search</a> (uses 1 request)</p>`,
    { section: '/explore', visitor },
  );
}
