import type { FastifyRequest } from 'fastify';
import { attempt } from '../core/attempt.ts';
import { type ErrorCode, type Failure, fail } from '../core/errors.ts';
import type { Caller } from '../core/usage.ts';
import type { Allowance, Decision, Meter, Receipt } from '../metering/meter.ts';

/**
 * The way of a data request past the meter: rate window (429) → parameters (400) → quota (429) → work. Every authenticated
 * request counts in the window; only what is answered 200 costs quota. Parameters need no database, so they are read first and
 * refused in their turn, and window and quota are one question to the database.
 */
export interface Admission<P> {
  readonly parameters: P;
  readonly receipt: Receipt;
  /** Of the reply, if it is a 200. */
  readonly headers: Readonly<Record<string, string>>;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** What lets a data request in; null before, and elsewhere. */
    admission: Admission<unknown> | null;
  }
}

export async function admit<P>(meter: Meter, caller: Caller, now: () => number, read: () => P): Promise<Admission<P>> {
  const parameters = attempt(read);
  const decision = await meter.take(caller, 'value' in parameters);
  if (decision.outcome === 'rate_limited') throw refuse('rate_limit_exceeded', decision, decision.window, now());
  if ('error' in parameters) throw parameters.error;
  if (decision.receipt === null) throw refuse('monthly_quota_exceeded', decision, decision.quota, now());
  return { parameters: parameters.value, receipt: decision.receipt, headers: describeLimits(decision) };
}

export function admissionOf<P>(request: FastifyRequest): Admission<P> {
  if (request.admission === null) throw new Error(`${request.routeOptions.url} was reached without admission`);
  return request.admission as Admission<P>;
}

/** Rounded up, so that who waits that long does not come too early. */
function refuse(code: ErrorCode, decision: Decision, { resetsAt }: Allowance, now: number): Failure {
  const retryAfter = Math.max(1, Math.ceil((resetsAt - now) / 1000));
  return fail(code, { retryAfter, headers: describeLimits(decision) });
}

function describeLimits({ window, quota }: Decision): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(window.limit),
    'X-RateLimit-Remaining': String(window.remaining),
    'X-RateLimit-Reset': String(window.resetsAt / 1000),
    'X-Monthly-Quota-Limit': String(quota.limit),
    'X-Monthly-Quota-Remaining': String(quota.remaining),
    'X-Monthly-Quota-Reset': toText(quota.resetsAt),
  };
}

/** Nearly all callers have the same, and for a month. */
let latest = { instant: 0, text: new Date(0).toISOString() };

function toText(instant: number): string {
  if (latest.instant !== instant) latest = { instant, text: new Date(instant).toISOString() };
  return latest.text;
}
