/**
 * How long this program waits for databases, providers and threads, in milliseconds. The limits are passed to the parts that wait:
 * `config.ts` multiplies all of them by `PATIENCE`, for machines that are slow or busy with other work.
 */
export const timeLimits = {
  /** Data is answered within two seconds, whatever the databases do. The rest is for a busy event loop. */
  answerMs: 1_500,
  refundMs: 500,
  readinessMs: 600,
  /** A statement of the accounts, and the wait for a connection or a lock. */
  accountsMs: 1_500,
  /** A lookup in the registry, and the wait for a connection. */
  registryMs: 1_200,
  /** The same in a replica. Short, because a lookup that fails is repeated on the primary, and both have to fit into two seconds. */
  replicaMs: 300,
  /** One attempt to call the payment provider; there are two. */
  paymentMs: 4_000,
  /** Opening a page takes up to three calls. Together they get less time than their individual limits add up to. */
  paymentPageMs: 12_000,
  identityMs: 3_000,
  webhookMs: 15_000,
  proofTurnMs: 8_000,
  /** How long a proof may take. A server that stops waits 25 seconds for requests. */
  proofMs: 15_000,
  /** A serving thread that lived this long did not crash because of how it started, so it is replaced immediately. */
  stableThreadMs: 10_000,
} as const;

export type TimeLimits = { readonly [Name in keyof typeof timeLimits]: number };

export function multiplyLimits(patience: number): TimeLimits {
  const entries = Object.entries(timeLimits).map(([name, ms]) => [name, ms * patience]);
  return Object.fromEntries(entries) as TimeLimits;
}
