import { type ErrorCode, Failure, fail, statusOf } from '../base/errors.ts';
import type { ErrorLog } from '../base/observability/error-log.ts';
import type { HttpRequest } from './request.ts';

/** The headers of a 401 (RFC 9110, 11.6.1), which name the credential that the path requires. */
const challenges: Partial<Record<ErrorCode, Readonly<Record<string, string>>>> = {
  api_key_required: { 'WWW-Authenticate': 'Bearer realm="api key"' },
  invalid_api_key: { 'WWW-Authenticate': 'Bearer realm="api key"' },
  invalid_reconcile_link: { 'WWW-Authenticate': 'Bearer realm="reconcile link"' },
  session_required: { 'WWW-Authenticate': 'Bearer realm="session"' },
  invalid_session: { 'WWW-Authenticate': 'Bearer realm="session"' },
};

/** Renders a failure as a page for a browser. Paths under `/api/` always answer with JSON. */
export type ShowFailure = (
  failure: Failure,
  request: Pick<HttpRequest, 'id' | 'headers'>,
) => { readonly body: string; readonly policy: string };

/** How errors are reported to clients. */
export interface FailureStyle {
  /** Base of the pages that explain the error codes. */
  readonly docsUrl: () => string;
  readonly showFailure?: ShowFailure | undefined;
  readonly errorLog: Pick<ErrorLog, 'report'>;
}

/** The reply to send for an error. */
export interface DescribedError {
  readonly failure: Failure;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
}

/**
 * Logs the error if the server caused it. Returns the reply to send, with a code of the closed table. Only a `Failure` has a public message; the text
 * of any other error goes to the log and never to a client.
 */
export function describeError(
  error: unknown,
  requestId: string,
  { docsUrl, errorLog }: Pick<FailureStyle, 'docsUrl' | 'errorLog'>,
): DescribedError {
  const failure = error instanceof Failure ? error : fail('internal_error', { cause: error });
  if (statusOf(failure.code) >= 500) errorLog.report(failure, requestId);
  const headers = { ...challenges[failure.code], ...failure.headers };
  return { failure, headers, body: serializeFailure(failure, requestId, docsUrl()) };
}

export function wantsPage({ url, headers }: HttpRequest): boolean {
  return !url.startsWith('/api/') && (headers.accept ?? '').includes('text/html');
}

export function serializeFailure(failure: Failure, requestId: string, docsUrl: string): string {
  const { code, message, resourceId } = failure;
  return JSON.stringify({ error: { code, message, requestId, docs: `${docsUrl}/${code}`, resourceId } });
}
