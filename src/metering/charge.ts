import { type Deadline, startDeadline, within } from '../core/deadline.ts';
import { type ErrorCode, fail } from '../core/errors.ts';
import type { Caller } from '../core/usage.ts';
import type { Receipt } from './batch.ts';
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
  /** How long the work may take beyond the deadline, in milliseconds, because the client wants to wait. */
  readWait?(parameters: P): number;
  /** Whether the answer costs no quota, such as "not modified". */
  isFree?(answer: T): boolean;
  /** Whether the answer cannot be sent any more. Then it costs no quota. */
  isGone?(): boolean;
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
  /** To refund an answer that cannot be sent. Undefined if nothing, or several units, were charged. */
  readonly receipt?: Receipt;
}

export interface Denial {
  readonly outcome: 'denied';
  readonly code: Extract<ErrorCode, 'rate_limit_exceeded' | 'monthly_quota_exceeded' | 'insufficient_quota'>;
  /** When the limit resets, epoch ms. */
  readonly resetsAt: number;
  readonly limits: Limits;
}

/**
 * The request could not be counted (`limits` is null), its key is revoked (the same), it was invalid, or its work failed and was
 * refunded.
 */
export interface Failed {
  readonly outcome: 'failed';
  readonly error: unknown;
  readonly limits: Limits | null;
}

export async function charge<P, T>(
  meter: ChargingMeter,
  caller: Caller,
  { report, deadline = startDeadline(), ...request }: ChargedRequest<P, T>,
): Promise<Charged<T>> {
  const result = await new Promise<Charged<T> | Failed>((resolve) => {
    startCharge(meter, caller, { ...request, deadline }, resolve);
  });
  if (result.limits !== null) report?.(result.limits);
  if (result.outcome === 'failed') throw result.error;
  return result;
}

export type ChargingMeter = Pick<Meter, 'request' | 'refund'>;

/**
 * The same with a callback, for requests that are answered without a promise. `done` is called once. If it throws for an answer that
 * was charged, the charge is refunded, and `done` is called again, with the error.
 */
export function startCharge<P, T>(
  meter: ChargingMeter,
  caller: Caller,
  {
    read,
    work,
    readWait,
    isFree,
    isGone,
    deadline,
  }: Omit<ChargedRequest<P, T>, 'report'> & { readonly deadline: Deadline },
  done: (result: Charged<T> | Failed) => void,
): void {
  // Validation needs no database, so it runs first; then one transaction decides about both window and quota.
  const parameters = validate(read);

  function decided(decision: Decision): void {
    const { receipt } = decision;
    if (parameters.isValid && receipt !== null) answer(parameters.value, decision, receipt);
    else done(refuse(parameters, decision));
  }

  function answer(given: P, decision: Decision, receipt: Receipt): void {
    const latest = deadline + (readWait?.(given) ?? 0);
    const refund = async (): Promise<Limits> => {
      await meter.refund(receipt, latest);
      const { window, quota } = decision;
      return { window, quota: { ...quota, remaining: quota.remaining + 1 } };
    };
    const fail = (error: unknown) => {
      void refund().then((limits) => done({ outcome: 'failed', error, limits }));
    };
    const serve = (answer: T) => {
      if (isFree?.(answer) === true || isGone?.() === true) {
        void refund().then((limits) => done({ outcome: 'served', answer, limits }));
        return;
      }
      try {
        done({ outcome: 'served', answer, limits: decision, receipt });
      } catch (error) {
        fail(error);
      }
    };
    let working: T | Promise<T>;
    try {
      working = work(given, decision);
    } catch (error) {
      fail(error);
      return;
    }
    if (working instanceof Promise) void within(latest, working, 'reading the data').then(serve, fail);
    else serve(working);
  }

  const failed = (error: unknown) => done({ outcome: 'failed', error, limits: null });
  meter.request({ caller, charged: parameters.isValid, deadline, decided, failed });
}

/** The result of a request that costs no quota, because a limit is reached or it is invalid. */
function refuse(parameters: Validated<unknown>, decision: Decision): Denial | Failed {
  if (decision.outcome === 'revoked') return { outcome: 'failed', error: fail('invalid_api_key'), limits: null };
  if (decision.outcome === 'rate_limited') return deny('rate_limit_exceeded', decision, 'window');
  if (!parameters.isValid) return { outcome: 'failed', error: parameters.error, limits: decision };
  return deny('monthly_quota_exceeded', decision, 'quota');
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
