import { type ErrorCode, type Failure, statusOf } from '../../core/errors.ts';
import { type Html, html } from '../html.ts';
import { layout, type Visitor } from '../parts/layout.ts';
import { POLICY } from '../send-page.ts';

/** Whatever went wrong, as a page: what happened, what to do, and the id that names it in our log. */
export function showFailure(failure: Failure, requestId: string): { body: string; policy: string } {
  const { code, message } = failure;
  const title = TITLES[code] ?? (statusOf(code) >= 500 ? 'Something is wrong on our side' : 'This did not work');
  const page = layout(
    title,
    html`<h1>${title}</h1>
    <p class="lead">${message}</p>
    <p><a class="button" href="/">Home</a> <a href="/explore">Explore companies</a></p>
    <dl class="facts-table narrow">
      <div><dt>Error</dt><dd><a href="/docs/errors/${code}"><code>${code}</code></a></dd></div>
      <div><dt>Request id</dt><dd><code>${requestId}</code></dd></div>
    </dl>`,
  );
  return { body: page.text, policy: POLICY };
}

const TITLES: Readonly<Partial<Record<ErrorCode, string>>> = {
  not_found: 'There is no such page',
  entity_not_found: 'There is no such record',
  api_key_not_found: 'There is no such key',
  service_unavailable: 'Not available at the moment',
  csrf_rejected: 'This came from another site',
};

/** In place of a record, when a limit of the account is used up. */
export function limitPage(limit: Html, visitor: Visitor): Html {
  const content = html`<h1>Not now</h1>${limit}<p><a href="/dashboard">Your usage</a></p>`;
  return layout('Limit reached', content, { visitor });
}
