/** Bounds on what a client may send and how long it may take, against slow and oversized requests. */
export interface TransportLimits {
  readonly bodyBytes: number;
  readonly urlLength: number;
  readonly headerBytes: number;
  /** How long the headers of a request may take to arrive. */
  readonly headersMs: number;
  /** How long a complete request may take to arrive. */
  readonly requestMs: number;
  /** A connection is closed after this time without a request, whatever else the client sends. */
  readonly idleMs: number;
  /** How long a client may take to receive a complete reply. */
  readonly replyMs: number;
  /** How often Node looks for connections that exceed a time limit. */
  readonly checkEveryMs: number;
  /** The longest delay of the response to an invalid API key: see `guess-throttle.ts`. */
  readonly guessDelayMs: number;
}

export const defaultTransportLimits: TransportLimits = {
  bodyBytes: 64 * 1024,
  urlLength: 8 * 1024,
  headerBytes: 24 * 1024,
  headersMs: 10_000,
  requestMs: 15_000,
  idleMs: 120_000,
  replyMs: 600_000,
  checkEveryMs: 2_000,
  guessDelayMs: 1_000,
};
