/**
 * The closed table of public errors: status → code → message. Code below the edge throws `fail(code)` and does not know status
 * numbers. `http/errors.ts` turns a failure, or any unexpected error, into a response. `docs/errors.md` explains every code to
 * clients; a test compares it with this table.
 */
const table = {
  400: {
    invalid_request: 'The request is not valid.',
    invalid_signature:
      'The signature header is missing, malformed, wrong or too old: sign the raw body with the webhook secret.',
  },
  401: {
    api_key_required: 'An API key is required: send it in the X-API-Key header.',
    invalid_api_key: 'The API key is unknown, revoked or incomplete: check it, or create a new one.',
    invalid_reconcile_link:
      'The reconcile link is unknown, revoked or incomplete: copy it again, or create a new one in the dashboard.',
    session_required: 'A session is required: sign in or send a session token.',
    invalid_session: 'The session is invalid or has expired: sign in again.',
  },
  403: {
    csrf_rejected:
      'Another site sent this request with your session cookie: send it from this site, or use a session token.',
    manage_right_required:
      'This API key cannot change monitors or webhook endpoints: create a key with "canManage", or use a session.',
    plan_required: 'This needs a paid plan, and the account is on the free plan: upgrade in the dashboard.',
    insufficient_quota: 'This costs more requests than are left in this billing period: ask for less, or upgrade.',
  },
  404: {
    not_found: 'There is nothing at this path: check it against the contract.',
    entity_not_found: 'There is no company with this id: take it from search results.',
    api_key_not_found: 'This account has no active API key with this id: list the keys to find it.',
    reconcile_link_not_found: 'This account has no active reconcile link with this id: list the links to find it.',
    monitor_not_found: 'This account has no monitor with this id: list the monitors to find it.',
    webhook_endpoint_not_found: 'This account has no webhook endpoint with this id: list the endpoints to find it.',
    export_not_found: 'There is no such export, or it was replaced by a newer one: list the exports to find its files.',
  },
  405: {
    method_not_allowed: 'This path does not support this method: see the Allow header.',
  },
  408: {
    request_timeout: 'The complete request did not arrive in time: try again.',
  },
  409: {
    api_key_limit_reached: 'You have reached the API key limit of your plan: revoke a key first.',
    reconcile_link_limit_reached: 'You have reached the limit of reconcile links of your plan: revoke a link first.',
    monitor_limit_reached:
      'You have reached the limit of monitors or watched companies of your plan: remove some first.',
    webhook_endpoint_limit_reached:
      'You have reached the limit of webhook endpoints of your plan: delete one first, or upgrade.',
    idempotency_key_reused: 'This Idempotency-Key was already used: send a new key with each new request.',
    webhook_endpoint_disabled: 'The webhook endpoint is disabled: enable it first.',
  },
  410: {
    cursor_expired:
      'Changes after this cursor are no longer kept: read the data again, and continue with the X-Data-Version of its first page.',
  },
  413: {
    payload_too_large: 'The request body is too large: shorten it.',
  },
  414: {
    uri_too_long: 'The request URL is too long: shorten it.',
  },
  415: {
    unsupported_media_type: 'Send the body as application/json in UTF-8.',
  },
  416: {
    range_not_satisfiable: 'The range starts after the end of the file: see its size in the Content-Range header.',
  },
  429: {
    rate_limit_exceeded: 'This API key has used all its requests of this minute: wait as long as Retry-After says.',
    monthly_quota_exceeded:
      'The account has used all requests of this billing period: upgrade, or wait for the next period.',
    account_rate_limit_exceeded:
      'The account has sent too many requests to account operations: wait as long as Retry-After says.',
    concurrency_limit_exceeded:
      'This account has too many downloads at the same time: wait until one of them has ended.',
  },
  431: {
    headers_too_large: 'The request headers are too large: send fewer or shorter ones.',
  },
  500: {
    internal_error: 'Something went wrong on our side: try again, and report the request id if it persists.',
  },
  503: {
    service_unavailable: 'The service is not available at the moment: try again shortly.',
    billing_unavailable: 'Billing is not available at the moment: try again shortly.',
    webhooks_unavailable: 'Webhooks are not set up on this server: ask its operator to set WEBHOOK_KEY.',
  },
} as const;

/** The message of `billing_unavailable` on servers without billing, in the API and on pages alike. */
export const BILLING_NOT_CONFIGURED = 'Billing is not configured on this server: ask its operator to set it up.';

type Table = typeof table;
export type ErrorCode = { [Status in keyof Table]: keyof Table[Status] }[keyof Table];

const entries = Object.entries(table).flatMap(([status, messages]) =>
  Object.entries(messages).map(([code, message]) => [code as ErrorCode, { status: Number(status), message }] as const),
);
const errors = Object.fromEntries(entries) as Readonly<Record<ErrorCode, { status: number; message: string }>>;

export const errorCodes = Object.freeze(entries.map(([code]) => code));

export function statusOf(code: ErrorCode): number {
  return errors[code].status;
}

export function defaultMessage(code: ErrorCode): string {
  return errors[code].message;
}

interface FailureDetails {
  /** Replaces the default message of the code. The message is public: say what to do next, and never include a secret. */
  readonly message?: string;
  readonly field?: string;
  /** The underlying error. It is logged and never sent. */
  readonly cause?: unknown;
  /** The setting that the operator has not configured, for the log. A missing setting is logged as a warning, without a stack. */
  readonly missing?: string;
  /** Seconds to wait before a retry; sent as `Retry-After`. */
  readonly retryAfter?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The id of the resource that an earlier request has created. The id is public. */
  readonly resourceId?: string;
}

export class Failure extends Error {
  readonly code: ErrorCode;
  readonly missing: string | undefined;
  readonly field: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly resourceId: string | undefined;

  constructor(code: ErrorCode, details: FailureDetails) {
    super(details.message ?? defaultMessage(code), { cause: details.cause });
    this.name = 'Failure';
    this.code = code;
    this.resourceId = details.resourceId;
    this.missing = details.missing;
    this.field = details.field;
    const retry = details.retryAfter === undefined ? {} : { 'Retry-After': String(details.retryAfter) };
    this.headers = { ...retry, ...details.headers };
  }
}

export function fail(code: ErrorCode, details: FailureDetails = {}): Failure {
  return new Failure(code, details);
}

/** The underlying reason of a failure, for operators. Never send this text to a client. */
export function reasonOf(failure: Failure): string {
  const { cause, missing, message } = failure;
  if (!(cause instanceof Error)) return missing ?? message;
  // A connection that is refused on several addresses is an AggregateError with a code and no message.
  return cause.message || String(Reflect.get(cause, 'code') ?? cause.name);
}
