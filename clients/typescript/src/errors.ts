/** The errors of the client. Those that the API sends have a class per code in `generated/errors.ts`. */
export class FirmamentError extends Error {
  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}

/** What is known of a reply that is not a success. */
export interface Problem {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly requestId: string | null;
  readonly docs: string | null;
  readonly retryAfter: number | null;
  readonly resourceId: string | null;
}

/** The API answered with an error. */
export class ApiError extends FirmamentError {
  /** HTTP status. */
  readonly status: number;
  /** The code of the contract, such as `entity_not_found`. `unknown` if the reply does not come from the service itself. */
  readonly code: string;
  /** Include it when you contact support. */
  readonly requestId: string | null;
  /** Page that explains the code. */
  readonly docs: string | null;
  /** Seconds to wait before a retry, if the reply says so. */
  readonly retryAfter: number | null;
  /** What an earlier request has made, if the `Idempotency-Key` was used before. */
  readonly resourceId: string | null;

  constructor({ status, code, message, requestId, docs, retryAfter, resourceId }: Problem) {
    super(message);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.docs = docs;
    this.retryAfter = retryAfter;
    this.resourceId = resourceId;
  }
}

/** The credential is missing or not valid (401). */
export class Unauthorized extends ApiError {}

/** There is no such thing, or no such path (404). */
export class NotFound extends ApiError {}

/** There is no complete reply: no connection, a connection that broke, or an attempt that took longer than `timeout`. */
export class ConnectionFailed extends FirmamentError {}

/** The call took longer than `deadline`. */
export class DeadlineExceeded extends FirmamentError {}

/** An import came between two pages of a search, so they do not fit together. */
export class SnapshotChanged extends FirmamentError {}
