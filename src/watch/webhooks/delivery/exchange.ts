import { chargeUnits, type Refund, refundAll } from '../../../accounts/metering/decisions.ts';
import type { Transaction } from '../../../base/db/db.ts';
import { type AccountTerms, webhookKeyId } from '../../../base/usage.ts';
import type { DisabledReason } from '../events.ts';
import * as store from '../store.ts';
import { type Answer, type DeliveryOutcome, judgeAnswer, MAX_ATTEMPTS } from './sender.ts';

/** The two halves of a transaction of the dispatcher: recording the outcome of deliveries, and claiming and charging the next ones. */

export interface Attempt extends Pick<Answer, 'status' | 'reason' | 'body' | 'tookMs'> {
  /** Epoch ms. */
  readonly at: number;
}

export interface Finished {
  readonly endpoint: store.StoredEndpoint;
  readonly delivery: store.StoredDelivery;
  /** Null if the delivery was not even tried. Then its charge is refunded. */
  readonly answer: Answer | null;
  readonly at: number;
}

const MAX_LOGGED = 12;

type Judged = Finished & { readonly outcome: DeliveryOutcome | null };

/**
 * Records the outcome of deliveries: the attempt, the time of the next one, the state of the endpoint, and the refund of deliveries that were never
 * sent, in this attempt or an earlier one. Another process may have sent some of them: deliveries that no longer wait are not changed.
 */
export async function recordAnswers(tx: Transaction, finished: readonly Finished[]) {
  const judged = finished.map((each) => ({ ...each, outcome: judge(each) }));
  const ids = finished.map(({ delivery }) => delivery.id);
  const waiting = await store.findWaiting(tx, ids);
  const attempted: store.Attempted[] = [];
  const refunds: Refund[] = [];
  for (const each of judged) {
    const { endpoint, delivery, answer, at } = each;
    const stored = waiting.get(delivery.id);
    if (stored === undefined) continue;
    const sentAt = stored.sentAt ?? (answer?.isSent === true ? at : null);
    const before = findCharge(stored);
    const charge = sentAt === null ? null : (before ?? findCharge(delivery));
    attempted.push({ ...describeAttempt(each), sentAt, charge });
    if (before && !charge) refunds.push(describeRefund(endpoint.accountId, before));
    // Another process has not sent the delivery, and has refunded it meanwhile, so it is charged again.
    if (charge && !before) refunds.push({ ...describeRefund(endpoint.accountId, charge), units: -1 });
  }
  await store.markAttempted(tx, attempted);
  await markEndpoints(tx, judged);
  await refundAll(tx, refunds);
  return judged.flatMap(({ outcome }) => outcome?.kind ?? []);
}

/** A test is sent once: the owner of the endpoint waits for the answer, and can send another test. */
function judge({ answer, delivery: { units, attempts }, at }: Finished): DeliveryOutcome | null {
  return answer && judgeAnswer(answer, units === 0 ? MAX_ATTEMPTS : attempts + 1, at);
}

function findCharge({ chargedPeriod: periodStart, chargedDay: day }: store.Paid): store.Charge | null {
  return periodStart === null || day === null ? null : { periodStart, day };
}

function describeAttempt({ delivery, answer, outcome, at }: Judged): Omit<store.Attempted, 'sentAt' | 'charge'> {
  const { id, nextAt, attemptLog: log } = delivery;
  if (answer === null || outcome === null)
    return { id, attempts: 0, state: 'waiting', nextAt, attemptLog: log, deliveredAt: null };
  const { status, reason, body, tookMs } = answer;
  const attempt: Attempt = { at, status, reason, body, tookMs };
  const attemptLog = JSON.stringify([...parseAttempts(log), attempt].slice(-MAX_LOGGED));
  const deliveredAt = outcome.kind === 'delivered' ? at : null;
  return { id, attempts: 1, state: STATES[outcome.kind], nextAt: outcome.nextAt, attemptLog, deliveredAt };
}

/** A delivery that the receiver does not want stays waiting: it is sent if the owner enables the endpoint again. */
const STATES = { delivered: 'delivered', retry: 'waiting', gone: 'waiting', exhausted: 'failed' } as const;

/** Records for each endpoint whether its last delivery failed, and disables endpoints that keep failing. */
async function markEndpoints(tx: Transaction, judged: readonly Judged[]): Promise<void> {
  const ids = judged.map(({ endpoint }) => endpoint.id);
  const before = await store.findEndpoints(tx, ids);
  const health = new Map<string, Pick<store.StoredEndpoint, 'failing' | 'pausedUntil'>>(before);
  for (const { endpoint, delivery, outcome, at } of judged) {
    const known = health.get(endpoint.id);
    if (known === undefined || outcome === null) continue;
    const failing = outcome.kind === 'delivered' ? 0 : 1;
    health.set(endpoint.id, { failing, pausedUntil: Math.max(known.pausedUntil, outcome.pausedUntil) });
    if (outcome.kind === 'gone') await disable(tx, endpoint.id, 'gone', at);
    if (outcome.kind === 'exhausted' && delivery.units > 0) await disable(tx, endpoint.id, 'failing', at);
  }
  for (const [id, { failing, pausedUntil }] of health) {
    const known = before.get(id);
    if (known?.failing !== failing || known.pausedUntil !== pausedUntil)
      await store.endpoints.update(tx, { id }, { failing, pausedUntil });
  }
}

/** Disables an endpoint. Returns whether the endpoint was enabled before. */
export async function disable(tx: Transaction, id: string, reason: DisabledReason, now: number): Promise<boolean> {
  const isDone = await store.disableEndpoint(tx, id, reason, now);
  if (isDone) await store.endTests(tx, id);
  return isDone;
}

export function parseAttempts(attemptLog: string): Attempt[] {
  return JSON.parse(attemptLog);
}

export interface Ready {
  readonly id: string;
  readonly terms: AccountTerms;
  readonly inFlight: ReadonlySet<string>;
}

/** A delivery that is paid for and can be sent, with the endpoint as read in the transaction that claims the delivery. */
export interface Claim {
  readonly endpoint: store.StoredEndpoint;
  readonly delivery: store.StoredDelivery;
}

/** How many more requests an endpoint with `own` requests may get, if other endpoints get `planned` requests first. */
export type FindRoom = (endpoint: Pick<store.StoredEndpoint, 'failing'>, own: number, planned: number) => number;

/**
 * Takes the next deliveries of several endpoints, charges them and marks them as charged: whatever happens then, each delivery is charged once.
 * Deliveries that the quota does not cover keep waiting. If another process has charged a delivery and recorded no answer, that process may have sent
 * the delivery: the charge stays. Also returns when the quota of each account that has used it up resets, epoch ms.
 */
export async function claimDeliveries(tx: Transaction, ready: readonly Ready[], findRoom: FindRoom, now: number) {
  const ids = ready.map(({ id }) => id);
  const found = await store.findEndpoints(tx, ids);
  const next: Claim[] = [];
  for (const { id, inFlight } of ready) {
    const endpoint = found.get(id);
    // If the endpoint was disabled meanwhile, an earlier delivery of the same entity may have failed.
    if (endpoint === undefined || endpoint.disabledReason !== null || endpoint.pausedUntil > now) continue;
    const room = findRoom(endpoint, inFlight.size, next.length);
    if (room <= 0) continue;
    const due = await store.listDue(tx, id, now, room + inFlight.size);
    const free = due.filter((each) => !inFlight.has(each.id)).slice(0, room);
    next.push(...free.map((delivery) => ({ endpoint, delivery })));
  }
  const doubtful = next.filter(({ delivery }) => delivery.chargedPeriod !== null && delivery.sentAt === null);
  const doubtfulIds = doubtful.map(({ delivery }) => delivery.id);
  await store.markSent(tx, doubtfulIds, now);
  const terms = new Map(ready.map((each) => [each.terms.accountId, each.terms]));
  const { charges, quotaResets } = await charge(tx, next.filter(isUnpaid), terms, now);
  const claims = next.flatMap(({ endpoint, delivery }): Claim | [] => {
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
  const charges = new Map<string, store.Charge>();
  const quotaResets = new Map<string, number>();
  for (const [index, { granted, receipt, quota }] of (await chargeUnits(tx, requests, now)).entries()) {
    const [accountId, own] = groups[index] as (typeof groups)[number];
    for (const { delivery } of own.slice(0, granted)) charges.set(delivery.id, receipt);
    if (granted < own.length) quotaResets.set(accountId, quota.resetsAt);
  }
  await store.markCharged(tx, charges);
  return { charges, quotaResets };
}

function describeRefund(accountId: string, { periodStart, day }: store.Charge): Refund {
  return { receipt: { accountId, keyId: webhookKeyId(accountId), periodStart, day }, units: 1 };
}
