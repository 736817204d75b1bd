import { type Deadline, startDeadline, within } from '../core/deadline.ts';
import type { ErrorCode } from '../core/errors.ts';
import type { Caller } from '../core/usage.ts';
import type { Decision } from './decisions.ts';
import type { Meter } from './meter.ts';

/**
 * The charging protocol of the API and the portal: rate window → validation → quota → work. Every request counts in the rate
 * window, even an invalid one, so that a broken client cannot send requests without limit. Only an answer costs quota. A denial
 * is a value: the API turns it into headers, the portal into a notice.
 */
export interface ChargedRequest<P, T> {
  /** Counting, work and refund share it. If it passes, `service_unavailable` is thrown and nothing is charged. */
  readonly deadline?: Deadline;
  /** Validates the request. An error it throws is passed on only if the rate window allows the request. */
  read(): P;
  /**
   * Does the work, with what is left after this request. If it throws, the quota is refunded, so everything that can
   * fail belongs here, including rendering.
   */
  work(parameters: P, limits: Limits): T | Promise<T>;
  /** Whether the answer costs no quota, such as "not modified". */
  isFree?(answer: T): boolean;
  /** Called once with what is left, before `charge` returns or throws; not called if the request could not be counted. */
  report?(limits: Limits): void;
}

export type Charged<T> = Served<T> | Denial;

/** What is left after this request. */
export type Limits = Pick<Decision, 'window' | 'quota'>;

export interface Served<T> {
  readonly outcome: 'served';
  readonly answer: T;
  readonly limits: Limits;
}

export interface Denial {
  readonly outcome: 'denied';
  readonly code: Extract<ErrorCode, 'rate_limit_exceeded' | 'monthly_quota_exceeded'>;
  /** When the exceeded limit resets, epoch ms. */
  readonly resetsAt: number;
  readonly limits: Limits;
}

export async function charge<P, T>(
  meter: Pick<Meter, 'take' | 'refund'>,
  caller: Caller,
  { read, work, isFree, report, deadline = startDeadline() }: ChargedRequest<P, T>,
): Promise<Charged<T>> {
  // Validation needs no database, so it runs first; then one transaction decides about both window and quota.
  const parameters = validate(read);
  const decision = await meter.take(caller, parameters.isValid, deadline);
  const { receipt } = decision;
  if (!parameters.isValid || receipt === null) {
    report?.(decision);
    if (decision.outcome === 'rate_limited') return deny('rate_limit_exceeded', decision, 'window');
    if (!parameters.isValid) throw parameters.error;
    return deny('monthly_quota_exceeded', decision, 'quota');
  }
  const refund = async (): Promise<Limits> => {
    await meter.refund(receipt, deadline);
    const { window, quota } = decision;
    return { window, quota: { ...quota, remaining: quota.remaining + 1 } };
  };
  let limits: Limits = decision;
  try {
    const working = work(parameters.value, decision);
    const answer = working instanceof Promise ? await within(deadline, working, 'reading the data') : working;
    if (isFree?.(answer) === true) limits = await refund();
    return { outcome: 'served', answer, limits };
  } catch (error) {
    limits = await refund();
    throw error;
  } finally {
    report?.(limits);
  }
}

type Validated<P> =
  | { readonly isValid: true; readonly value: P }
  | { readonly isValid: false; readonly error: unknown };

function validate<P>(read: () => P): Validated<P> {
  try {
    return { isValid: true, value: read() };
  } catch (error) {
    return { isValid: false, error };
  }
}

function deny(code: Denial['code'], decision: Decision, limit: keyof Limits): Denial {
  return { outcome: 'denied', code, resetsAt: decision[limit].resetsAt, limits: decision };
}
