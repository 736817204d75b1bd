import type { Transaction } from '../../db/db.ts';
import { type Refund, refundAll } from '../../metering/decisions.ts';
import { disableEndpoint, findEndpoints, markHealth, type StoredEndpoint } from '../store.ts';
import { describeRefund } from './claim.ts';
import { type DeliveryOutcome, judgeAnswer } from './outcome.ts';
import type { Answer } from './sender.ts';
import { type Attempted, findWaiting, markAttempted, type StoredDelivery } from './store.ts';

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
  readonly answer: Answer;
  /** When the answer arrived, epoch ms. */
  readonly at: number;
}

const MAX_LOGGED = 12;

/**
 * Records what became of deliveries that were sent: the attempt, the next one, the state of the endpoint, and the refund of what
 * failed. Another process may have sent the same ones: of those that no longer wait, nothing is changed.
 */
export async function recordAnswers(
  tx: Transaction,
  finished: readonly Finished[],
): Promise<DeliveryOutcome['kind'][]> {
  const outcomes = finished.map(({ answer, delivery, at }) => judgeAnswer(answer, delivery.attempts + 1, at));
  const waiting = await findWaiting(
    tx,
    finished.map(({ delivery }) => delivery.id),
  );
  const attempted: Attempted[] = [];
  const refunds: Refund[] = [];
  for (const [index, each] of finished.entries()) {
    const { endpoint, delivery } = each;
    const charge = waiting.get(delivery.id);
    if (charge === undefined) continue;
    const row = describeAttempt(each, outcomes[index] as DeliveryOutcome);
    attempted.push(row);
    const [before, now] = [charge, row.charge].map((one) => one && describeRefund(endpoint.accountId, one));
    if (before && !now) refunds.push(before);
    // The other process failed and was refunded meanwhile.
    if (now && !before) refunds.push({ ...now, units: -now.units });
  }
  await markAttempted(tx, attempted);
  await markEndpoints(tx, finished, outcomes);
  await refundAll(tx, refunds);
  return outcomes.map(({ kind }) => kind);
}

function describeAttempt({ delivery, answer, at }: Finished, outcome: DeliveryOutcome): Attempted {
  const { id, nextAt, attemptLog: log, chargedPeriod: periodStart, chargedDay: day } = delivery;
  const { status, reason, body, tookMs } = answer;
  const attempt: Attempt = { at, status, reason, body, tookMs };
  const attemptLog = JSON.stringify([...readAttempts(log), attempt].slice(-MAX_LOGGED));
  const base = { id, attemptLog, deliveredAt: null, charge: null };
  if (outcome.kind === 'retry') return { ...base, state: 'waiting', nextAt: outcome.at };
  if (outcome.kind === 'exhausted') return { ...base, state: 'failed', nextAt: at };
  // A delivery that the receiver did not want waits: it is sent if the owner enables the endpoint again.
  if (outcome.kind === 'gone') return { ...base, state: 'waiting', nextAt: at };
  const charge = periodStart === null || day === null ? null : { periodStart, day };
  return { ...base, state: 'delivered', nextAt, deliveredAt: at, charge };
}

/** The last answer of an endpoint says whether it fails. */
async function markEndpoints(
  tx: Transaction,
  finished: readonly Finished[],
  outcomes: readonly DeliveryOutcome[],
): Promise<void> {
  const endpoints = await findEndpoints(
    tx,
    finished.map(({ endpoint }) => endpoint.id),
  );
  const health = new Map<string, Pick<StoredEndpoint, 'failing' | 'pausedUntil'>>(endpoints);
  for (const [index, { endpoint, at }] of finished.entries()) {
    const known = health.get(endpoint.id);
    const outcome = outcomes[index] as DeliveryOutcome;
    if (known === undefined) continue;
    const pause = outcome.kind === 'retry' ? outcome.pausedUntil : 0;
    const failing = outcome.kind === 'delivered' ? 0 : 1;
    health.set(endpoint.id, { failing, pausedUntil: Math.max(known.pausedUntil, pause) });
    if (outcome.kind === 'gone') await disableEndpoint(tx, endpoint.id, 'gone', at);
    if (outcome.kind === 'exhausted') await disableEndpoint(tx, endpoint.id, 'failing', at);
  }
  for (const [id, { failing, pausedUntil }] of health) {
    const before = endpoints.get(id);
    if (before?.failing !== failing || before.pausedUntil !== pausedUntil)
      await markHealth(tx, id, failing, pausedUntil);
  }
}

export function readAttempts(attemptLog: string): Attempt[] {
  return JSON.parse(attemptLog);
}
