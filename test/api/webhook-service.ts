import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Engine } from '../harness/databases.ts';
import {
  type EventFields,
  renderEvent,
  renderSubscription,
  type SubscriptionFields,
  sign,
  WEBHOOK_SECRET,
} from '../harness/payment-events.ts';
import type { TestSession } from '../harness/service.ts';
import { useService } from '../harness/shared-service.ts';

const WEBHOOK = '/api/v1/billing/webhook';
/** 2026-03-15T12:00:00Z, the time of the test clock. */
export const NOW = 1_773_576_000;

/** Starts a service for the tests of the surrounding `describe`, with functions to deliver events and to read accounts. */
export function useWebhook(engine: Engine) {
  const service = useService(engine, { env: { STRIPE_WEBHOOK_SECRET: `whsec_old, ${WEBHOOK_SECRET}` } });

  const post = (body: string | Uint8Array, headers: Record<string, string> = {}, of = service) =>
    of.client.request('POST', WEBHOOK, { body: body as string, headers });
  const signed = (body: string) => ({ 'payment-signature': sign(body, service.clock.now()) });
  /** Delivers an event and returns how it was received. */
  async function deliver(fields: EventFields): Promise<string> {
    const body = renderEvent(fields);
    const reply = await post(body, { 'content-type': 'application/json', ...signed(body) });
    assert.equal(reply.status, 200, reply.text);
    const { received, duplicate, stale } = reply.body;
    assert.equal(received, true);
    assert.ok(!(duplicate && stale), 'an event is a duplicate or stale, never both');
    return duplicate ? 'duplicate' : stale ? 'stale' : 'processed';
  }
  const sendSubscription = (kind: string, created: number, fields: SubscriptionFields & { eventId?: string }) =>
    deliver({
      type: `customer.subscription.${kind}`,
      created,
      object: renderSubscription(fields),
      ...(fields.eventId && { id: fields.eventId }),
    });
  async function accountOf(session: TestSession) {
    const { body } = await service.client.get('/api/v1/account', { headers: session.headers });
    return body.data;
  }
  const planOf = async (session: TestSession) => (await accountOf(session)).plan.id;
  const createSubscriber = async () => {
    const session = await service.signIn({ plan: 'free' });
    return { session, accountId: session.account.accountId, id: `sub_${randomUUID()}` };
  };

  return {
    get service() {
      return service;
    },
    post,
    signed,
    deliver,
    sendSubscription,
    accountOf,
    planOf,
    createSubscriber,
  };
}
