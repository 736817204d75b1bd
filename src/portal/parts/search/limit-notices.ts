import type { Denied } from '../../../accounts/charging/operation.ts';
import { type Html, html } from '../../../base/html.ts';
import type { SearchQuery } from '../../../search/search.ts';
import { formatAmount, formatMoment, formatWait } from '../../text/formatting.ts';
import { exploreAddress } from '../../text/search-address.ts';
import { upgradeHint } from '../account/plans.ts';
import { notice } from '../blocks.ts';

export function limitNotice({ code, resetsAt, plan, units, limits }: Denied, now: number, hint = ''): Html {
  const wait = formatWait(resetsAt - now);
  if (code === 'insufficient_quota') {
    return notice(
      'bad',
      'Not enough requests left',
      html`This uses ${formatAmount(units, 'request')}, and you have ${formatAmount(limits.quota.remaining, 'request')} left until
      ${formatMoment(limits.quota.resetsAt)}. Nothing was charged. ${hint}${upgradeHint(plan, '/dashboard#billing')}`,
    );
  }
  if (code === 'rate_limit_exceeded') {
    return notice(
      'warn',
      'Too many requests',
      `Your plan allows ${formatAmount(plan.requestsPerMinute, 'request')} per minute. Try again in ${wait}.`,
    );
  }
  return notice(
    'bad',
    'Quota used up',
    html`You have used all ${formatAmount(plan.monthlyRequests, 'request')} in this period. Your quota resets in ${wait}, on
    ${formatMoment(resetsAt)}. No overage fees.${upgradeHint(plan, '/dashboard#billing')}`,
  );
}

export function previewNotice(wait: number): Html {
  return notice(
    'warn',
    'Preview limit reached',
    html`Try again in ${formatWait(wait)}, or <a href="/auth/login?returnTo=/explore">sign in</a> to keep searching.`,
  );
}

export function suggestionNotice(query: SearchQuery): Html {
  return notice(
    'warn',
    'Too many suggestions',
    html`Press Enter or <a href="${exploreAddress(query)}">run the search</a> (uses 1 request).`,
  );
}

export function mistakeNotice(message: string): Html {
  return notice('bad', 'Invalid search', message);
}
