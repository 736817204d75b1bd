/**
 * The closed table of public errors: code → status → message. Code below `http/` throws `fail(code)` and does not know status
 * numbers. `http/errors.ts` turns a failure, or any unexpected error, into a response. `docs/errors.md` explains every code to
 * clients; a test compares it with this table.
 */
const table = {
  invalid_request: { status: 400, message: 'The request is not valid.' },
  invalid_signature: {
    status: 400,
    message: 'The signature header is missing, malformed, wrong or too old: sign the raw body with the webhook secret.',
  },
  api_key_required: { status: 401, message: 'An API key is required: send it in the X-API-Key header.' },
  invalid_api_key: {
    status: 401,
    message: 'The API key is unknown, revoked or incomplete: check it, or create a new one.',
  },
  invalid_reconcile_link: {
    status: 401,
    message:
      'The reconcile link is unknown, revoked or incomplete: copy it again, or create a new one in the dashboard.',
  },
  session_required: { status: 401, message: 'A session is required: sign in or send a session token.' },
  invalid_session: { status: 401, message: 'The session is invalid or has expired: sign in again.' },
  csrf_rejected: {
    status: 403,
    message: 'Another site sent this request with your session cookie: send it from this site, or use a session token.',
  },
  plan_required: {
    status: 403,
    message: 'This needs a paid plan, and the account is on the free plan: upgrade in the dashboard.',
  },
  insufficient_quota: {
    status: 403,
    message: 'This costs more requests than are left in this billing period: ask for less, or upgrade.',
  },
  not_found: { status: 404, message: 'There is nothing at this path: check it against the contract.' },
  entity_not_found: { status: 404, message: 'There is no company with this id: take it from search results.' },
  api_key_not_found: {
    status: 404,
    message: 'This account has no active API key with this id: list the keys to find it.',
  },
  reconcile_link_not_found: {
    status: 404,
    message: 'This account has no active reconcile link with this id: list the links to find it.',
  },
  monitor_not_found: {
    status: 404,
    message: 'This account has no monitor with this id: list the monitors to find it.',
  },
  webhook_endpoint_not_found: {
    status: 404,
    message: 'This account has no webhook endpoint with this id: list the endpoints to find it.',
  },
  export_not_found: {
    status: 404,
    message: 'There is no such export, or it was replaced by a newer one: list the exports to find its files.',
  },
  method_not_allowed: { status: 405, message: 'This path does not support this method: see the Allow header.' },
  request_timeout: { status: 408, message: 'The complete request did not arrive in time: try again.' },
  api_key_limit_reached: {
    status: 409,
    message: 'You have reached the API key limit of your plan: revoke a key first.',
  },
  api_key_revoked: {
    status: 409,
    message:
      'The API key that was created with this Idempotency-Key has been revoked: send a new Idempotency-Key to create another one.',
  },
  reconcile_link_limit_reached: {
    status: 409,
    message: 'You have reached the limit of reconcile links of your plan: revoke a link first.',
  },
  reconcile_link_revoked: {
    status: 409,
    message:
      'The reconcile link that was created with this Idempotency-Key has been revoked: send a new Idempotency-Key to create another one.',
  },
  monitor_limit_reached: {
    status: 409,
    message: 'You have reached the limit of monitors or watched companies of your plan: remove some first.',
  },
  webhook_endpoint_limit_reached: {
    status: 409,
    message: 'You have reached the limit of webhook endpoints of your plan: delete one first, or upgrade.',
  },
  cursor_expired: {
    status: 410,
    message:
      'Changes after this cursor are no longer kept: read the data again, and continue with the X-Data-Version of its first page.',
  },
  payload_too_large: { status: 413, message: 'The request body is too large: shorten it.' },
  uri_too_long: { status: 414, message: 'The request URL is too long: shorten it.' },
  unsupported_media_type: { status: 415, message: 'Send the body as application/json in UTF-8.' },
  range_not_satisfiable: {
    status: 416,
    message: 'The range starts after the end of the file: see its size in the Content-Range header.',
  },
  idempotency_key_reused: {
    status: 422,
    message: 'This Idempotency-Key was used for another request: send a new key with each new request.',
  },
  rate_limit_exceeded: {
    status: 429,
    message: 'This API key has used all its requests of this minute: wait as long as Retry-After says.',
  },
  monthly_quota_exceeded: {
    status: 429,
    message: 'The account has used all requests of this billing period: upgrade, or wait for the next period.',
  },
  account_rate_limit_exceeded: {
    status: 429,
    message: 'The account has sent too many requests to account operations: wait as long as Retry-After says.',
  },
  concurrency_limit_exceeded: {
    status: 429,
    message: 'This account has too many downloads at the same time: wait until one of them has ended.',
  },
  headers_too_large: { status: 431, message: 'The request headers are too large: send fewer or shorter ones.' },
  internal_error: {
    status: 500,
    message: 'Something went wrong on our side: try again, and report the request id if it persists.',
  },
  service_unavailable: { status: 503, message: 'The service is not available at the moment: try again shortly.' },
  billing_unavailable: { status: 503, message: 'Billing is not available at the moment: try again shortly.' },
  webhooks_unavailable: {
    status: 503,
    message: 'Webhooks are not set up on this server: ask its operator to set WEBHOOK_KEY.',
  },
} as const;

/** The message of `billing_unavailable` where nothing can be bought, in the API and on pages alike. */
export const BILLING_NOT_CONFIGURED = 'Billing is not configured on this server: ask its operator to set it up.';

export type ErrorCode = keyof typeof table;

export const errorCodes = Object.freeze(Object.keys(table)) as readonly ErrorCode[];

export function statusOf(code: ErrorCode): number {
  return table[code].status;
}

export function defaultMessage(code: ErrorCode): string {
  return table[code].message;
}

export interface FailureDetails {
  /** Replaces the message of the table. It is public: say what to do next, and never include a secret. */
  readonly message?: string;
  /** The underlying error. It is logged and never sent. */
  readonly cause?: unknown;
  /** Seconds to wait before a retry; sent as `Retry-After`. */
  readonly retryAfter?: number;
  /** Additional response headers, such as `Allow`. */
  readonly headers?: Readonly<Record<string, string>>;
}

export class Failure extends Error {
  readonly code: ErrorCode;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, details: FailureDetails) {
    super(details.message ?? defaultMessage(code), { cause: details.cause });
    this.name = 'Failure';
    this.code = code;
    const retry = details.retryAfter === undefined ? {} : { 'Retry-After': String(details.retryAfter) };
    this.headers = { ...retry, ...details.headers };
  }
}

export function fail(code: ErrorCode, details: FailureDetails = {}): Failure {
  return new Failure(code, details);
}

/** The underlying reason of a failure, for operators. Never send it to a client. */
export function reasonOf(failure: Failure): string {
  const { cause } = failure;
  if (!(cause instanceof Error)) return failure.message;
  // A connection that is refused on several addresses is an AggregateError with a code and no message.
  return cause.message || String(Reflect.get(cause, 'code') ?? cause.name);
}
