import { type ErrorCode, type Failure, fail, statusOf } from '../../core/errors.ts';
import { html } from '../html.ts';
import { messagePage } from '../parts/layout.ts';
import { contactHint } from '../parts/operator-links.ts';
import { factList } from '../parts/record/fact-list.ts';
import { POLICY } from '../send-page.ts';
import { guessVisitor } from '../visitor.ts';

interface FailedRequest {
  /** Lets us find the request in our log. */
  readonly id: string;
  readonly headers: { readonly cookie?: string | undefined };
}

/** Renders an error as a page. */
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
