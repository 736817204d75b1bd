import type { Db, Transaction } from '../../db/db.ts';
import { type Refund, refundAll } from '../../metering/decisions.ts';
import { disableEndpoint, lockEndpoints, markHealth, type StoredEndpoint } from '../store.ts';
import { describeRefund } from './claim.ts';
import { type DeliveryOutcome, judgeAnswer } from './outcome.ts';
import type { Answer } from './sender.ts';
import { markAttemptFailed, markDelivered, type StoredDelivery } from './store.ts';

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
 * failed, in one transaction.
 */
export async function recordAnswers(db: Db, finished: readonly Finished[]): Promise<DeliveryOutcome['kind'][]> {
  return db.transaction(async (tx) => {
    const refunds: Refund[] = [];
    const kinds: DeliveryOutcome['kind'][] = [];
    await lockEndpoints(
      tx,
      finished.map(({ endpoint }) => endpoint.id),
    );
    for (const each of finished) {
      const outcome = judgeAnswer(each.answer, each.delivery.attempts + 1, each.at);
      const isRefunded = await recordOutcome(tx, each, outcome);
      const { chargedPeriod: periodStart, chargedDay: day } = each.delivery;
      if (isRefunded && periodStart !== null && day !== null) {
        refunds.push(describeRefund(each.endpoint.accountId, { periodStart, day }));
      }
      kinds.push(outcome.kind);
    }
    await refundAll(tx, refunds);
    return kinds;
  });
}

/** Returns whether the charge has to be refunded. */
async function recordOutcome(tx: Transaction, { endpoint, delivery, answer, at }: Finished, outcome: DeliveryOutcome) {
  const { id } = delivery;
  const attemptLog = addAttempt(delivery, answer, at);
  if (outcome.kind === 'delivered') {
    await markHealth(tx, endpoint.id, 0, 0);
    await markDelivered(tx, id, attemptLog, at);
    return false;
  }
  if (outcome.kind === 'retry') {
    await markHealth(tx, endpoint.id, 1, outcome.pausesEndpoint ? outcome.at : 0);
    return markAttemptFailed(tx, { id, attemptLog, state: 'waiting', nextAt: outcome.at });
  }
  // A delivery that the receiver did not want waits: it is sent if the owner enables the endpoint again.
  const isExhausted = outcome.kind === 'exhausted';
  await disableEndpoint(tx, endpoint.id, isExhausted ? 'failing' : 'gone', at);
  return markAttemptFailed(tx, { id, attemptLog, state: isExhausted ? 'failed' : 'waiting', nextAt: at });
}

function addAttempt({ attemptLog }: StoredDelivery, { status, reason, body, tookMs }: Answer, at: number): string {
  const attempt: Attempt = { at, status, reason, body, tookMs };
  return JSON.stringify([...readAttempts(attemptLog), attempt].slice(-MAX_LOGGED));
}

export function readAttempts(attemptLog: string): Attempt[] {
  return JSON.parse(attemptLog);
}
