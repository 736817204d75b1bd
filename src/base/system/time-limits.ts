/**
 * How long this program waits for databases, providers and threads, in milliseconds. The limits are passed to the parts that wait:
 * `config.ts` multiplies all of them by `PATIENCE`, for machines that are slow or busy with other work.
 */
export const timeLimits = {
  /** Data requests are answered within two seconds even if a database hangs. The remaining half second is for a busy event loop. */
  answerMs: 1_500,
  refundMs: 500,
  readinessMs: 600,
  /** A statement of the accounts, and the wait for a connection or a lock. */
  accountsMs: 1_500,
  /** A lookup in the registry, and the wait for a connection. */
  registryMs: 1_200,
  /** A lookup in a replica. Short, because a failed lookup is repeated on the primary, and both have to fit into two seconds. */
  replicaMs: 300,
  /** One attempt to call the payment provider; there are two attempts. */
  paymentMs: 4_000,
  /** Opening a page takes up to three calls. This limit for all of them is less than the sum of their limits. */
  paymentPageMs: 12_000,
  identityMs: 3_000,
  webhookMs: 15_000,
  proofTurnMs: 8_000,
  /** How long a proof may take. A server that stops waits 25 seconds for requests. */
  proofMs: 15_000,
  /** A thread that served this long did not crash because of its start, so it is replaced immediately. */
  stableThreadMs: 10_000,
} as const;

export type TimeLimits = { readonly [Name in keyof typeof timeLimits]: number };

export function multiplyLimits(patience: number): TimeLimits {
  const entries = Object.entries(timeLimits).map(([name, ms]) => [name, ms * patience]);
  return Object.fromEntries(entries) as TimeLimits;
}
