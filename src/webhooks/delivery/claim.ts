import { type AccountTerms, type Caller, webhookKeyId } from '../../core/usage.ts';
import type { Db, Transaction } from '../../db/db.ts';
import { chargeWithin, type Refund, refundAll } from '../../metering/decisions.ts';
import { type Charge, listDue, markCharged, type StoredDelivery } from './store.ts';

/** Deliveries that are paid for and can be sent, and what the quota says about the others. */
export interface Claimed {
  readonly deliveries: readonly StoredDelivery[];
  /** When the quota resets, epoch ms, if it is used up. */
  readonly quotaResetsAt: number | null;
}

/**
 * Takes the next deliveries of an endpoint. A transaction charges them and marks them as charged: whatever happens then, each is charged once.
 * Those that the quota does not cover keep waiting.
 */
export async function claimDeliveries(
  db: Db,
  endpointId: string,
  { terms, inFlight, room, now }: { terms: AccountTerms; inFlight: ReadonlySet<string>; room: number; now: number },
): Promise<Claimed> {
  // As it was before the query: one that is recorded meanwhile is no longer in flight, but the query may still have seen it wait.
  const sent = new Set(inFlight);
  const due = await listDue(db, endpointId, now, room + sent.size);
  const next = due.filter(({ id }) => !sent.has(id)).slice(0, room);
  const unpaid = next.filter(({ units, chargedPeriod }) => units > 0 && chargedPeriod === null);
  if (unpaid.length === 0) return { deliveries: next, quotaResetsAt: null };
  const { paid, charge, quotaResetsAt } = await db.transaction((tx) => chargeDeliveries(tx, unpaid, terms, now));
  const deliveries = next.flatMap((each) => {
    if (!unpaid.includes(each)) return each;
    return paid.has(each.id) ? { ...each, chargedPeriod: charge.periodStart, chargedDay: charge.day } : [];
  });
  return { deliveries, quotaResetsAt };
}

async function chargeDeliveries(tx: Transaction, unpaid: readonly StoredDelivery[], terms: AccountTerms, now: number) {
  const caller: Caller = { ...terms, keyId: webhookKeyId(terms.accountId) };
  const { granted, receipt, quota } = await chargeWithin(tx, { caller, units: unpaid.length }, now);
  const ids = unpaid.slice(0, granted).map(({ id }) => id);
  const paid = granted === 0 ? new Set<string>() : await markCharged(tx, ids, receipt);
  // Another process has charged or removed some of them meanwhile.
  if (paid.size < granted) await refundAll(tx, [{ receipt, units: granted - paid.size }]);
  return { paid, charge: receipt, quotaResetsAt: granted < unpaid.length ? quota.resetsAt : null };
}

/** What has to be given back for a delivery that was charged. */
export function describeRefund(accountId: string, { periodStart, day }: Charge): Refund {
  return { receipt: { accountId, keyId: webhookKeyId(accountId), periodStart, day }, units: 1 };
}
