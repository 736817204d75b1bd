import type { Transaction } from '../../db/db.ts';
import { type Refund, refundAll } from '../../metering/decisions.ts';
import type { DisabledReason } from '../reasons.ts';
import { disableEndpoint, findEndpoints, markHealth, type StoredEndpoint } from '../store.ts';
import { describeRefund } from './claim.ts';
import { type DeliveryOutcome, judgeAnswer, MAX_ATTEMPTS } from './outcome.ts';
import type { Answer } from './sender.ts';
import {
  type Attempted,
  type Charge,
  endTests,
  findWaiting,
  markAttempted,
  type Paid,
  type StoredDelivery,
} from './store.ts';

/** One attempt, as it is stored and shown. */
export interface Attempt {
  /** Epoch ms. */
  readonly at: number;
  readonly status: number | null;
  readonly reason: string | null;
  readonly body: string;
  readonly tookMs: number;
}

export interface Finished {
  readonly endpoint: StoredEndpoint;
  readonly delivery: StoredDelivery;
  /** Null if it was not even tried: its charge is refunded. */
  readonly answer: Answer | null;
  /** When the answer arrived, epoch ms. */
  readonly at: number;
}

const MAX_LOGGED = 12;

/**
 * Records what became of deliveries: the attempt, the next one, the state of the endpoint, and the refund of what was never sent, in
 * this attempt or an earlier one. Another process may have sent the same ones: of those that no longer wait, nothing is changed.
 */
export async function recordAnswers(
  tx: Transaction,
  finished: readonly Finished[],
): Promise<DeliveryOutcome['kind'][]> {
  const outcomes = finished.map(judge);
  const waiting = await findWaiting(
    tx,
    finished.map(({ delivery }) => delivery.id),
  );
  const attempted: Attempted[] = [];
  const refunds: Refund[] = [];
  for (const [index, each] of finished.entries()) {
    const { endpoint, delivery, answer, at } = each;
    const stored = waiting.get(delivery.id);
    if (stored === undefined) continue;
    const sentAt = stored.sentAt ?? (answer?.isSent === true ? at : null);
    const before = readCharge(stored);
    const charge = sentAt === null ? null : (before ?? readCharge(delivery));
    attempted.push({ ...describeAttempt(each, outcomes[index] ?? null), sentAt, charge });
    if (before && !charge) refunds.push(describeRefund(endpoint.accountId, before));
    // Another process did not send it, and has refunded it meanwhile.
    if (charge && !before) refunds.push({ ...describeRefund(endpoint.accountId, charge), units: -1 });
  }
  await markAttempted(tx, attempted);
  await markEndpoints(tx, finished, outcomes);
  await refundAll(tx, refunds);
  return outcomes.flatMap((outcome) => outcome?.kind ?? []);
}

/** A test is sent once: its owner waits for the answer, and can send another one. */
function judge({ answer, delivery: { units, attempts }, at }: Finished): DeliveryOutcome | null {
  return answer && judgeAnswer(answer, units === 0 ? MAX_ATTEMPTS : attempts + 1, at);
}

function readCharge({ chargedPeriod: periodStart, chargedDay: day }: Paid): Charge | null {
  return periodStart === null || day === null ? null : { periodStart, day };
}

function describeAttempt(
  { delivery, answer, at }: Finished,
  outcome: DeliveryOutcome | null,
): Omit<Attempted, 'sentAt' | 'charge'> {
  const { id, nextAt, attemptLog: log } = delivery;
  if (answer === null || outcome === null)
    return { id, attempts: 0, state: 'waiting', nextAt, attemptLog: log, deliveredAt: null };
  const { status, reason, body, tookMs } = answer;
  const attempt: Attempt = { at, status, reason, body, tookMs };
  const attemptLog = JSON.stringify([...readAttempts(log), attempt].slice(-MAX_LOGGED));
  const base = { id, attempts: 1, attemptLog, deliveredAt: null } as const;
  if (outcome.kind === 'retry') return { ...base, state: 'waiting', nextAt: outcome.at };
  if (outcome.kind === 'exhausted') return { ...base, state: 'failed', nextAt: at };
  // A delivery that the receiver did not want waits: it is sent if the owner enables the endpoint again.
  if (outcome.kind === 'gone') return { ...base, state: 'waiting', nextAt: at };
  return { ...base, state: 'delivered', nextAt, deliveredAt: at };
}

/** The last answer of an endpoint says whether it fails. */
async function markEndpoints(
  tx: Transaction,
  finished: readonly Finished[],
  outcomes: readonly (DeliveryOutcome | null)[],
): Promise<void> {
  const endpoints = await findEndpoints(
    tx,
    finished.map(({ endpoint }) => endpoint.id),
  );
  const health = new Map<string, Pick<StoredEndpoint, 'failing' | 'pausedUntil'>>(endpoints);
  for (const [index, { endpoint, delivery, at }] of finished.entries()) {
    const known = health.get(endpoint.id);
    const outcome = outcomes[index] ?? null;
    if (known === undefined || outcome === null) continue;
    const pause = outcome.kind === 'retry' ? outcome.pausedUntil : 0;
    const failing = outcome.kind === 'delivered' ? 0 : 1;
    health.set(endpoint.id, { failing, pausedUntil: Math.max(known.pausedUntil, pause) });
    if (outcome.kind === 'gone') await disable(tx, endpoint.id, 'gone', at);
    if (outcome.kind === 'exhausted' && delivery.units > 0) await disable(tx, endpoint.id, 'failing', at);
  }
  for (const [id, { failing, pausedUntil }] of health) {
    const before = endpoints.get(id);
    if (before?.failing !== failing || before.pausedUntil !== pausedUntil)
      await markHealth(tx, id, failing, pausedUntil);
  }
}

/** Returns whether it was enabled. */
export async function disable(tx: Transaction, id: string, reason: DisabledReason, now: number): Promise<boolean> {
  const isDone = await disableEndpoint(tx, id, reason, now);
  if (isDone) await endTests(tx, id);
  return isDone;
}

export function readAttempts(attemptLog: string): Attempt[] {
  return JSON.parse(attemptLog);
}
