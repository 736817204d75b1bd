import type { Denied } from '../../accounts/charging/operation.ts';
import { type ErrorCode, type Failure, fail, statusOf } from '../../base/errors.ts';
import { html } from '../../base/html.ts';
import type { HttpReply } from '../../http/reply.ts';
import type { HttpRequest } from '../../http/request.ts';
import { factList } from '../parts/blocks.ts';
import { contactHint, messagePage, type Visitor } from '../parts/layout.ts';
import { limitNotice } from '../parts/plans.ts';
import { guessVisitor, type Navigation, POLICY, sendPage } from '../visitor.ts';

/** Pages that say one thing and what to do next. */

/**
 * Sends a page that asks the user instead of the one that costs a request. Its link leads to the same address, but from our own page.
 * Browsers discard what they loaded speculatively if its status is an error, and load the page again when the user opens it.
 */
export function sendConfirmation(
  request: HttpRequest,
  reply: HttpReply,
  { visitor, navigation }: { readonly visitor: Visitor; readonly navigation: Exclude<Navigation, 'own'> },
): HttpReply {
  const page = messagePage(
    'Open this page?',
    'A link on another site led here. Nothing has been charged yet.',
    html`<p><a class="button" href="${request.url}">Show this page (uses 1 request)</a> <a href="/explore">Back to search</a></p>`,
    { section: '/explore', visitor },
  );
  return sendPage(reply.code(navigation === 'speculative' ? 403 : 200), page);
}

/** A page that costs a request, to an account that may not have it now. */
export function sendDenied(reply: HttpReply, visitor: Visitor, denied: Denied, now: number): HttpReply {
  const content = html`${limitNotice(denied, now)}<p><a href="/dashboard">View your usage</a></p>`;
  return sendPage(reply.code(statusOf(denied.code)), messagePage('Limit reached', undefined, content, { visitor }));
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
