import { type AccountTerms, type Caller, webhookKeyId } from '../../core/usage.ts';
import type { Db, Transaction } from '../../db/db.ts';
import { chargeWithin, type Refund, refundAll } from '../../metering/decisions.ts';
import { lockEndpoints, type StoredEndpoint } from '../store.ts';
import { type Charge, listDue, markCharged, type StoredDelivery } from './store.ts';

/** An endpoint that something can be sent to. */
export interface Ready {
  readonly id: string;
  readonly terms: AccountTerms;
  /** The ids of the deliveries that are being sent. */
  readonly inFlight: ReadonlySet<string>;
  /** How many more may be sent. */
  readonly room: number;
}

/** Deliveries that are paid for and can be sent, and what the quota says about the others. */
export interface Claimed {
  readonly deliveries: readonly { readonly endpoint: StoredEndpoint; readonly delivery: StoredDelivery }[];
  /** When the quotas of accounts that have used them up reset, epoch ms, by account. */
  readonly quotaResets: ReadonlyMap<string, number>;
}

/**
 * Takes the next deliveries of several endpoints. A transaction charges them and marks them as charged: whatever happens then, each is
 * charged once. Those that the quota does not cover keep waiting. Endpoints are returned as they are in this transaction.
 */
export async function claimDeliveries(db: Db, ready: readonly Ready[], now: number): Promise<Claimed> {
  const due: StoredDelivery[] = [];
  for (const { id, inFlight, room } of ready) {
    // As it was before the query: one that is recorded meanwhile is no longer in flight, but the query may still have seen it wait.
    const sent = new Set(inFlight);
    const found = await listDue(db, id, now, room + sent.size);
    due.push(...found.filter((each) => !sent.has(each.id)).slice(0, room));
  }
  const quotaResets = new Map<string, number>();
  if (due.length === 0) return { deliveries: [], quotaResets };
  const terms = new Map(ready.map((each) => [each.terms.accountId, each.terms]));
  return db.transaction(async (tx) => {
    const endpoints = await lockEndpoints(
      tx,
      due.map(({ endpointId }) => endpointId),
    );
    // One that was disabled meanwhile may have an earlier delivery that failed.
    const next = due.flatMap((delivery) => {
      const endpoint = endpoints.get(delivery.endpointId);
      return endpoint === undefined || endpoint.disabledReason !== null ? [] : { endpoint, delivery };
    });
    const unpaid = Map.groupBy(next.filter(isUnpaid), ({ endpoint }) => endpoint.accountId);
    const charges = new Map<string, Charge>();
    for (const accountId of [...unpaid.keys()].sort()) {
      const ids = unpaid.get(accountId)?.map(({ delivery }) => delivery.id) ?? [];
      const { paid, charge, quotaResetsAt } = await chargeDeliveries(
        tx,
        ids,
        terms.get(accountId) as AccountTerms,
        now,
      );
      for (const id of paid) charges.set(id, charge);
      if (quotaResetsAt !== null) quotaResets.set(accountId, quotaResetsAt);
    }
    const deliveries = next.flatMap((each) => {
      if (!isUnpaid(each)) return each;
      const charge = charges.get(each.delivery.id);
      if (charge === undefined) return [];
      const { periodStart: chargedPeriod, day: chargedDay } = charge;
      return { ...each, delivery: { ...each.delivery, chargedPeriod, chargedDay } };
    });
    return { deliveries, quotaResets };
  });
}

function isUnpaid({ delivery: { units, chargedPeriod } }: { readonly delivery: StoredDelivery }): boolean {
  return units > 0 && chargedPeriod === null;
}

async function chargeDeliveries(tx: Transaction, unpaid: readonly string[], terms: AccountTerms, now: number) {
  const caller: Caller = { ...terms, keyId: webhookKeyId(terms.accountId) };
  const { granted, receipt, quota } = await chargeWithin(tx, { caller, units: unpaid.length }, now);
  const paid = await markCharged(tx, unpaid.slice(0, granted), receipt);
  // Another process has charged or removed some of them meanwhile.
  if (paid.size < granted) await refundAll(tx, [{ receipt, units: granted - paid.size }]);
  return { paid, charge: receipt, quotaResetsAt: granted < unpaid.length ? quota.resetsAt : null };
}

/** What has to be given back for a delivery that was charged. */
export function describeRefund(accountId: string, { periodStart, day }: Charge): Refund {
  return { receipt: { accountId, keyId: webhookKeyId(accountId), periodStart, day }, units: 1 };
}
