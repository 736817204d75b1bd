import type { SignedIn } from '../../accounts/accounts.ts';
import type { Denied, Exchange, Operation } from '../../accounts/charging/operation.ts';
import { type ErrorCode, type Failure, fail, statusOf } from '../../base/errors.ts';
import { type Html, html } from '../../base/html.ts';
import type { HttpReply } from '../../http/reply.ts';
import type { HttpRequest } from '../../http/request.ts';
import { factList } from '../parts/blocks.ts';
import { contactHint, messagePage, type Visitor } from '../parts/layout.ts';
import { limitNotice } from '../parts/plans.ts';
import type { PageServices } from '../services.ts';
import { describeVisitor, guessVisitor, type Navigation, POLICY, sendPage } from '../visitor.ts';

/** Pages with one message and the next step. */

/**
 * Asks the user for confirmation instead of sending a page that costs a request. The link repeats the address, but from our own page.
 * Browsers discard a speculatively loaded page if its status is an error, and load the page again when the user opens it.
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

/** Sends the notice of a limit in place of a page or file that costs requests. `hint` says what else the user can do. */
export function sendDenied(reply: HttpReply, visitor: Visitor, denied: Denied, now: number, hint?: Html): HttpReply {
  const content = html`${limitNotice(denied, now, hint)}<p><a href="/dashboard">View your usage</a></p>`;
  return sendPage(reply.code(statusOf(denied.code)), messagePage('Limit reached', undefined, content, { visitor }));
}

/** A file that an operation has sold: what to send, and the number of requests that its delivery costs. */
interface SoldFile {
  readonly body: Parameters<HttpReply['send']>[0];
  readonly delivered: Promise<number>;
}

/** Performs an operation and sends the file that `open` makes of its answer, or a page about the limit that was reached. */
export function sendFile<Input, Given, Answer>(
  { executor, clock }: Pick<PageServices, 'executor' | 'clock'>,
  [operation, exchange]: readonly [Operation<Input, Given, Answer>, Exchange<Input>],
  reply: HttpReply,
  signedIn: SignedIn,
  open: (answer: Answer) => SoldFile | undefined,
  hint?: Html,
): Promise<HttpReply> {
  return new Promise((resolve, reject) => {
    executor.execute(operation, exchange, (result) => {
      if (result.outcome === 'failed') return void reject(result.error);
      const visitor = describeVisitor(signedIn);
      if (result.outcome === 'denied') return void resolve(sendDenied(reply, visitor, result, clock.now(), hint));
      const file = open(result.answer);
      resolve(file === undefined ? reply : reply.send(file.body));
      return file?.delivered;
    });
  });
}

interface FailedRequest {
  /** The id by which operators find the request in the log. */
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

/** The API's message for unknown paths. Pages replace this message, because it refers to the contract, which does not list pages. */
const UNKNOWN_PATH = fail('not_found').message;
const UNKNOWN_PAGE = 'Check the address, or start from one of these pages.';

const TITLES: Readonly<Partial<Record<ErrorCode, string>>> = {
  not_found: 'Page not found',
  entity_not_found: 'Record not found',
  api_key_not_found: 'API key not found',
  service_unavailable: 'Temporarily unavailable',
  csrf_rejected: 'Request from another site blocked',
};
