import { expireCheckout } from './checkout.ts';
import type { Ledger } from './ledger.ts';
import { dueTime, renewSubscription } from './subscriptions.ts';

/** What happens by the passing of time alone: periods end, unfinished checkouts expire. */
interface Due {
  readonly at: number;
  happen(): void;
}

/** Does everything that has become due since the last call. */
export function catchUp(ledger: Ledger): void {
  const now = ledger.now();
  if (findDue(ledger, now) !== undefined) ledger.change(() => passTime(ledger, now));
}

/**
 * Moves sandbox time forward. Everything that is due on the way happens in order and at its own time. Call it within a
 * change.
 */
export function advanceTo(ledger: Ledger, seconds: number): void {
  passTime(ledger, seconds);
  ledger.moveTo(seconds);
}

function passTime(ledger: Ledger, until: number): void {
  for (let due = findDue(ledger, until); due !== undefined; due = findDue(ledger, until)) ledger.at(due.at, due.happen);
}

function findDue(ledger: Ledger, until: number): Due | undefined {
  return listDue(ledger)
    .filter(({ at }) => at <= until)
    .sort((a, b) => a.at - b.at)[0];
}

function listDue(ledger: Ledger): Due[] {
  const { subscriptions, checkouts } = ledger.state;
  const periods = Object.values(subscriptions).flatMap((subscription): Due[] => {
    const at = dueTime(subscription);
    return at === undefined ? [] : [{ at, happen: () => renewSubscription(ledger, subscription) }];
  });
  const expiries = Object.values(checkouts)
    .filter(({ session }) => session.status === 'open')
    .map(({ session }): Due => ({ at: session.expires_at, happen: () => expireCheckout(ledger, session) }));
  return [...periods, ...expiries];
}
