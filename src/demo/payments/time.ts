import { expireCheckout } from './checkout.ts';
import { type Ledger, TIME } from './ledger.ts';
import { dueTime, renewSubscription } from './subscriptions.ts';

/** What time does by itself: periods end, purchases that nobody finished expire. */
interface Due {
  readonly at: number;
  happen(): void;
}

/** Does what has fallen due since somebody last looked. */
export function catchUp(ledger: Ledger): void {
  const now = ledger.now();
  if (findDue(ledger, now) !== undefined) ledger.change(TIME, () => passTime(ledger, now));
}

/** Moves sandbox time to an instant, within a change; everything on the way happens in its order and at its own time. */
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
  const purchases = Object.values(checkouts)
    .filter(({ session }) => session.status === 'open')
    .map(({ session }): Due => ({ at: session.expires_at, happen: () => expireCheckout(ledger, session.id) }));
  return [...periods, ...purchases];
}
