import type { Denied } from '../../operations/operation.ts';
import type { SearchQuery } from '../../search/search.ts';
import { type Html, html } from '../html.ts';
import { freePlanHint } from '../parts/account/plan-cards.ts';
import { messagePage, type Visitor } from '../parts/layout.ts';
import { limitNotice } from '../parts/search/limit-notices.ts';
import { formatAmount, formatWait } from '../text/formatting.ts';
import { exploreAddress } from '../text/search-address.ts';
import { signInAddress } from '../visitor.ts';

/** Pages that say one thing and what to do next. */

/** Says why a sign-in failed and links to a new attempt. */
export function signInProblemPage(title: string, explanation: string): Html {
  return messagePage(title, explanation, html`<p><a class="button" href="/auth/login">Sign in</a></p>`);
}

/** Signing out needs a form: a link or an image on another site could otherwise sign users out. */
export function signOutPage(visitor: Visitor): Html {
  return messagePage(
    'Sign out',
    'You stay signed in on your other devices.',
    html`<form method="post" action="/auth/logout"><button>Sign out of this browser</button></form>`,
    { visitor },
  );
}

/**
 * Asks before a page that costs a request is shown, when something other than the user opened it. The link leads to the same
 * address, but from our own page.
 */
export function confirmPage(visitor: Visitor, address: string): Html {
  return messagePage(
    'Open this page?',
    'A link on another site led here. Nothing has been charged yet.',
    html`<p><a class="button" href="${address}">Show this page (uses 1 request)</a> <a href="/explore">Back to search</a></p>`,
    { section: '/explore', visitor },
  );
}

/** A link to the payment page, for providers that the dashboard's `form-action` policy does not allow a redirect to. */
export function continueToPaymentPage(url: string, visitor: Visitor): Html {
  return messagePage(
    'One more step',
    'You pay on our payment provider’s site. Nothing is charged until you confirm there.',
    html`<p><a class="button" href="${url}">Continue to payment</a></p>`,
    { section: '/dashboard', visitor },
  );
}

/** Says why a file was not made, and that it cost nothing. */
export function downloadRefusedPage(visitor: Visitor, query: SearchQuery, denied: Denied, now: number): Html {
  return messagePage(
    'Download not possible',
    undefined,
    html`${limitNotice(denied, now, 'Add filters to get a smaller file.')}
    <p><a href="${exploreAddress(query)}">Back to the search</a> (uses 1 request)</p>`,
    { section: '/explore', visitor },
  );
}

/** Shown instead of a record when the account has reached a limit. */
export function limitPage(visitor: Visitor, denied: Denied, now: number): Html {
  const content = html`${limitNotice(denied, now)}<p><a href="/dashboard">View your usage</a></p>`;
  return messagePage('Limit reached', undefined, content, { visitor });
}

/** Long lists and the JSON of a record need an account. */
export function signInToReadPage(path: string): Html {
  return invite(
    'Sign in to see the complete record',
    path,
    `With an account you also see long lists, every source field and the JSON of a record. Opening one uses one request. ${freePlanHint()}`,
  );
}

/** Shown instead of a record if visitors have opened as many as they may today. */
export function visitorLimitPage(path: string, perAddress: number, wait: number): Html {
  return invite(
    'Sign in to open more records',
    path,
    `Without an account you can open ${formatAmount(perAddress, 'record')} per day, as long as the daily limit for all visitors is not ` +
      `reached. Try again in ${formatWait(wait)}, or sign in now. ${freePlanHint()}`,
  );
}

function invite(title: string, path: string, text: string): Html {
  return messagePage(
    title,
    text,
    html`<p><a class="button" href="${signInAddress(path)}">Sign in</a> <a href="/explore">Back to search</a></p>`,
    { section: '/explore', visitor: 'anonymous' },
  );
}
