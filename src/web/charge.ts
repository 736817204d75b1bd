import type { SignedIn } from '../accounts/accounts.ts';
import { attempt } from '../core/attempt.ts';
import type { ErrorCode } from '../core/errors.ts';
import { portalKeyId } from '../core/usage.ts';
import type { Allowance, Decision, Meter } from '../metering/meter.ts';

/**
 * What somebody who is signed in looks up is charged as if an API key of the account had asked: minute window → parameters →
 * quota → work, and what brings no answer costs no quota. The window is one of its own, so that browsing never slows a program down.
 */
export type Charged<T> = { readonly answer: T; readonly left: Allowance } | Refusal;

export interface Refusal {
  readonly refused: Extract<ErrorCode, 'rate_limit_exceeded' | 'monthly_quota_exceeded'>;
  /** Epoch ms. */
  readonly until: number;
}

/** `read` checks the request and throws what is wrong with it; `answer` does the work. */
export async function charge<P, T>(
  meter: Pick<Meter, 'take' | 'refund'>,
  { account }: SignedIn,
  read: () => P,
  answer: (parameters: P) => T | Promise<T>,
): Promise<Charged<T>> {
  const parameters = attempt(read);
  const caller = { ...account, keyId: portalKeyId(account.accountId) };
  const decision = await meter.take(caller, 'value' in parameters);
  if (decision.outcome === 'rate_limited') return refuse('rate_limit_exceeded', decision, 'window');
  if ('error' in parameters) throw parameters.error;
  const { receipt } = decision;
  if (receipt === null) return refuse('monthly_quota_exceeded', decision, 'quota');
  try {
    return { answer: await answer(parameters.value), left: decision.quota };
  } catch (error) {
    await meter.refund(receipt);
    throw error;
  }
}

function refuse(refused: Refusal['refused'], decision: Decision, limit: 'window' | 'quota'): Refusal {
  return { refused, until: decision[limit].resetsAt };
}
