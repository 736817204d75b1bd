import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorCode, Failure, fail, statusOf } from '../core/errors.ts';
import type { ErrorLog } from '../observability/error-log.ts';

/**
 * Turns every error into an ErrorResponse with a code of the closed table. Only a `Failure` has a public message; the text of any
 * other error goes to the log and never to a client.
 */
function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const { code, statusCode } = error as Partial<FastifyError>;
  const known = code === undefined ? undefined : frameworkCodes[code];
  if (known !== undefined) return fail(known.code, { ...known, cause: error });
  if (statusCode === 400) return fail('invalid_request', { cause: error });
  return fail('internal_error', { cause: error });
}

/** Errors of Fastify that a client can cause. */
const frameworkCodes: Readonly<Record<string, { code: ErrorCode; message?: string }>> = {
  FST_ERR_BAD_URL: { code: 'invalid_request', message: 'The path is not correctly percent-encoded.' },
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'payload_too_large' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { code: 'unsupported_media_type' },
  FST_ERR_CTP_EMPTY_JSON_BODY: { code: 'invalid_request', message: 'The body is empty: send a JSON object.' },
  FST_ERR_CTP_INVALID_JSON_BODY: { code: 'invalid_request', message: 'The body is not valid JSON.' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    code: 'invalid_request',
    message: 'The length of the body differs from its Content-Length header.',
  },
  FST_ERR_MAX_PARAM_LENGTH: { code: 'uri_too_long' },
};

/** What a 401 must have (RFC 9110, 11.6.1): which credential the path requires. */
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
  request: Pick<FastifyRequest, 'id' | 'headers'>,
) => { readonly body: string; readonly policy: string };

interface FailureStyle {
  /** Base of the pages that explain the error codes. */
  readonly docsUrl: string;
  readonly showFailure?: ShowFailure | undefined;
  readonly errorLog: ErrorLog;
}

/** What to send for an error. */
export interface DescribedError {
  readonly failure: Failure;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
}

/** Logs the error if the server caused it. Returns what to send. */
export function describeError(
  error: unknown,
  requestId: string,
  { docsUrl, errorLog }: Pick<FailureStyle, 'docsUrl' | 'errorLog'>,
): DescribedError {
  const failure = toFailure(error);
  if (statusOf(failure.code) >= 500) errorLog.report(failure, requestId);
  const headers = { ...challenges[failure.code], ...failure.headers };
  return { failure, headers, body: serializeFailure(failure, requestId, docsUrl) };
}

export function sendFailure(
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
  style: FailureStyle,
): FastifyReply {
  const { failure, headers, body } = describeError(error, request.id, style);
  reply.code(statusOf(failure.code)).headers(headers);
  if (style.showFailure !== undefined && wantsPage(request)) {
    const { body: page, policy } = style.showFailure(failure, request);
    return reply.header('Content-Security-Policy', policy).type('text/html; charset=utf-8').send(page);
  }
  return reply.type('application/json; charset=utf-8').send(body);
}

function wantsPage({ url, headers }: FastifyRequest): boolean {
  return !url.startsWith('/api/') && (headers.accept ?? '').includes('text/html');
}

export function serializeFailure(failure: Failure, requestId: string, docsUrl: string): string {
  const { code, message, resourceId } = failure;
  return JSON.stringify({ error: { code, message, requestId, docs: `${docsUrl}/${code}`, resourceId } });
}
