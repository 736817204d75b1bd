import { type AccountTerms, webhookKeyId } from '../../core/usage.ts';
import type { Transaction } from '../../db/db.ts';
import { chargeWithin, type Refund } from '../../metering/decisions.ts';
import { findEndpoints, type StoredEndpoint } from '../store.ts';
import { type Charge, listDue, markCharged, markSent, type StoredDelivery } from './store.ts';

/** An endpoint that something can be sent to. */
export interface Ready {
  readonly id: string;
  readonly terms: AccountTerms;
  /** The ids of the deliveries that are being sent. */
  readonly inFlight: ReadonlySet<string>;
}

/** A delivery that is paid for and can be sent. The endpoint is as it is in the transaction that says so. */
export interface Claim {
  readonly endpoint: StoredEndpoint;
  readonly delivery: StoredDelivery;
}

export interface Claimed {
  readonly claims: readonly Claim[];
  /** When the quotas of accounts that have used them up reset, epoch ms, by account. */
  readonly quotaResets: ReadonlyMap<string, number>;
}

/** How many more may be sent to an endpoint that has these requests, if others get `planned`. */
export type FindRoom = (endpoint: Pick<StoredEndpoint, 'failing'>, own: number, planned: number) => number;

/**
 * Takes the next deliveries of several endpoints, charges them and marks them as charged: whatever happens then, each is charged
 * once. Those that the quota does not cover keep waiting. One that another process has charged, and did not record, may have been sent
 * by it: its charge stays.
 */
export async function claimDeliveries(
  tx: Transaction,
  ready: readonly Ready[],
  findRoom: FindRoom,
  now: number,
): Promise<Claimed> {
  const endpoints = await findEndpoints(
    tx,
    ready.map(({ id }) => id),
  );
  const next: Claim[] = [];
  for (const { id, inFlight } of ready) {
    const endpoint = endpoints.get(id);
    // Of an endpoint that was disabled meanwhile, an earlier delivery of the same entity may have failed.
    if (endpoint === undefined || endpoint.disabledReason !== null || endpoint.pausedUntil > now) continue;
    const room = findRoom(endpoint, inFlight.size, next.length);
    if (room <= 0) continue;
    const found = await listDue(tx, id, now, room + inFlight.size);
    const free = found.filter((each) => !inFlight.has(each.id)).slice(0, room);
    next.push(...free.map((delivery) => ({ endpoint, delivery })));
  }
  const doubtful = next.filter(({ delivery }) => delivery.chargedPeriod !== null && delivery.sentAt === null);
  await markSent(
    tx,
    doubtful.map(({ delivery }) => delivery.id),
    now,
  );
  const terms = new Map(ready.map((each) => [each.terms.accountId, each.terms]));
  const { charges, quotaResets } = await charge(tx, next.filter(isUnpaid), terms, now);
  const claims = next.flatMap(({ endpoint, delivery }) => {
    if (!isUnpaid({ delivery })) return { endpoint, delivery };
    const paid = charges.get(delivery.id);
    if (paid === undefined) return [];
    return { endpoint, delivery: { ...delivery, chargedPeriod: paid.periodStart, chargedDay: paid.day } };
  });
  return { claims, quotaResets };
}

function isUnpaid({ delivery: { units, chargedPeriod } }: Pick<Claim, 'delivery'>): boolean {
  return units > 0 && chargedPeriod === null;
}

async function charge(
  tx: Transaction,
  unpaid: readonly Claim[],
  terms: ReadonlyMap<string, AccountTerms>,
  now: number,
) {
  const groups = [...Map.groupBy(unpaid, ({ endpoint }) => endpoint.accountId)];
  const requests = groups.map(([accountId, own]) => {
    const caller = { ...(terms.get(accountId) as AccountTerms), keyId: webhookKeyId(accountId) };
    return { caller, units: own.length };
  });
  const charges = new Map<string, Charge>();
  const quotaResets = new Map<string, number>();
  for (const [index, { granted, receipt, quota }] of (await chargeWithin(tx, requests, now)).entries()) {
    const [accountId, own] = groups[index] as (typeof groups)[number];
    for (const { delivery } of own.slice(0, granted)) charges.set(delivery.id, receipt);
    if (granted < own.length) quotaResets.set(accountId, quota.resetsAt);
  }
  await markCharged(
    tx,
    [...charges].map(([id, { periodStart, day }]) => ({ id, periodStart, day })),
  );
  return { charges, quotaResets };
}

/** What has to be given back for a delivery that was charged. */
export function describeRefund(accountId: string, { periodStart, day }: Charge): Refund {
  return { receipt: { accountId, keyId: webhookKeyId(accountId), periodStart, day }, units: 1 };
}
