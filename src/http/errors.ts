import { type ErrorCode, Failure, fail, statusOf } from '../base/errors.ts';
import type { ErrorLog } from '../base/observability/error-log.ts';
import type { HttpRequest } from './request.ts';

/** The credentials that a 401 asks for (RFC 9110, 11.6.1). */
const REALMS: Partial<Record<ErrorCode, string>> = {
  api_key_required: 'api key',
  invalid_api_key: 'api key',
  invalid_reconcile_link: 'reconcile link',
  session_required: 'session',
  invalid_session: 'session',
};

/** Renders a failure as a page for a browser. Paths under `/api/` always answer with JSON. */
export type ShowFailure = (
  failure: Failure,
  request: Pick<HttpRequest, 'id' | 'headers'>,
) => { readonly body: string; readonly policy: string };

export interface FailureStyle {
  /** Base of the pages that explain the error codes. */
  readonly docsUrl: () => string;
  readonly showFailure?: ShowFailure | undefined;
  readonly errorLog: Pick<ErrorLog, 'report'>;
}

export type DescribedError = ReturnType<typeof describeError>;

/**
 * Logs the error if the server caused it. Returns the reply to send, with a code of the closed table. Only a `Failure` has a public message; the text
 * of any other error goes to the log and never to a client.
 */
export function describeError(
  error: unknown,
  requestId: string,
  { docsUrl, errorLog }: Pick<FailureStyle, 'docsUrl' | 'errorLog'>,
) {
  const failure = error instanceof Failure ? error : fail('internal_error', { cause: error });
  if (statusOf(failure.code) >= 500) errorLog.report(failure, requestId);
  const realm = REALMS[failure.code];
  const headers = { ...(realm && { 'WWW-Authenticate': `Bearer realm="${realm}"` }), ...failure.headers };
  return { failure, headers, body: serializeFailure(failure, requestId, docsUrl()) };
}

export function wantsPage({ url, headers }: HttpRequest): boolean {
  return !url.startsWith('/api/') && (headers.accept ?? '').includes('text/html');
}

export function serializeFailure(failure: Failure, requestId: string, docsUrl: string): string {
  const { code, message, resourceId } = failure;
  return JSON.stringify({ error: { code, message, requestId, docs: `${docsUrl}/${code}`, resourceId } });
}
