import type { Denied } from '../../accounts/charging/operation.ts';
import { showName } from '../../base/display-text.ts';
import { type ErrorCode, type Failure, fail, statusOf } from '../../base/errors.ts';
import { type Html, html } from '../../base/html.ts';
import type { SearchQuery } from '../../search/search.ts';
import { freePlanHint } from '../parts/account/plans.ts';
import { factList } from '../parts/blocks.ts';
import { contactHint, layout, messagePage, type Visitor } from '../parts/layout.ts';
import { limitNotice } from '../parts/search/limit-notices.ts';
import { formatAmount, formatWait } from '../text/formatting.ts';
import { exploreAddress } from '../text/search-address.ts';
import { guessVisitor, POLICY, signInAddress } from '../visitor.ts';

/** Pages that say one thing and what to do next. */

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

export function downloadRefusedPage(visitor: Visitor, query: SearchQuery, denied: Denied, now: number): Html {
  return messagePage(
    'Download not possible',
    undefined,
    html`${limitNotice(denied, now, 'Add filters to get a smaller file.')}
    <p><a href="${exploreAddress(query)}">Back to the search</a> (uses 1 request)</p>`,
    { section: '/explore', visitor },
  );
}

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

interface Removal {
  readonly verb: 'Revoke' | 'Delete';
  readonly noun: string;
  readonly name: string;
  readonly effect: Html | string;
  readonly button: Html;
  readonly action: string;
  readonly back: string;
}

/** Asks for confirmation, because what is removed cannot be restored. */
export function removalPage({ verb, noun, name, effect, button, action, back }: Removal, visitor: Visitor): Html {
  return layout(
    `${verb} ${noun}`,
    html`<h1>${verb} ${noun} “${showName(name)}”?</h1>
    <p class="lead">${effect} This cannot be undone.</p>
    <form method="post" action="${action}" class="inline">
      ${button}
      <a href="${back}">Keep ${noun}</a>
    </form>`,
    { section: '/dashboard', visitor },
  );
}

interface FailedRequest {
  /** Lets us find the request in our log. */
  readonly id: string;
  readonly headers: { readonly cookie?: string | undefined };
}

export function showFailure(
  failure: Failure,
  { id: requestId, headers }: FailedRequest,
): { body: string; policy: string } {
  const { code, message } = failure;
  const title = TITLES[code] ?? (statusOf(code) >= 500 ? 'Something went wrong on our side' : 'Request failed');
  const page = messagePage(
    title,
    message === UNKNOWN_PATH ? UNKNOWN_PAGE : message,
    html`<p><a class="button" href="/">Home</a> <a href="/explore">Explore companies</a></p>
    ${contactHint(requestId)}
    ${factList(
      [
        ['Error', html`<a href="/docs/errors/${code}"><code>${code}</code></a>`],
        ['Request ID', html`<code>${requestId}</code>`],
      ],
      'narrow',
    )}`,
    { visitor: guessVisitor(headers.cookie) },
  );
  return { body: page.text, policy: POLICY };
}

/** The general message of the API names its contract, which does not list pages. */
const UNKNOWN_PATH = fail('not_found').message;
const UNKNOWN_PAGE = 'Check the address, or start from one of these pages.';

const TITLES: Readonly<Partial<Record<ErrorCode, string>>> = {
  not_found: 'Page not found',
  entity_not_found: 'Record not found',
  api_key_not_found: 'API key not found',
  service_unavailable: 'Temporarily unavailable',
  csrf_rejected: 'Request from another site blocked',
};
