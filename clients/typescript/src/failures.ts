import { ApiError, NotFound, type Problem, Unauthorized } from './errors.ts';
import { errorClasses, Unavailable } from './generated/errors.ts';
import { readRetryAfter } from './retries.ts';

/** The error of a reply that is not a success. Gateways send bodies of their own. */
export function toApiError({ status, headers }: Response, text: string): ApiError {
  const { error = {} } = readJson(text);
  const code = error.code ?? 'unknown';
  const problem: Problem = {
    status,
    code,
    message: error.message ?? `The reply has status ${status}.`,
    requestId: error.requestId ?? headers.get('X-Request-ID'),
    docs: error.docs ?? null,
    retryAfter: readRetryAfter(headers.get('Retry-After')),
    resourceId: error.resourceId ?? null,
  };
  const byStatus = { 401: Unauthorized, 404: NotFound, 503: Unavailable }[status] ?? ApiError;
  return new (errorClasses[code] ?? byStatus)(problem);
}

function readJson(text: string): {
  error?: Partial<Record<'code' | 'message' | 'requestId' | 'docs' | 'resourceId', string>>;
} {
  try {
    const value = JSON.parse(text);
    return typeof value?.error?.code === 'string' ? value : {};
  } catch {
    return {};
  }
}

/** What went wrong with a connection: the messages of the error and its causes. */
export function describeFailure(error: unknown): string {
  const messages: string[] = [];
  for (let next = error; next instanceof Error && messages.length < 5; next = next.cause) {
    messages.push(next.message || String(Reflect.get(next, 'code') ?? next.name));
  }
  return messages.join(': ') || 'unknown reason';
}
