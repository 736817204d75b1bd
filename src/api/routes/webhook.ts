import type { Routes } from '../../http/app.ts';
import { RAW_BODIES } from '../../http/bodies.ts';
import type { AppServices } from '../app-services.ts';
import { PaymentEvent, WebhookReply } from '../schemas/account.ts';
import { answers, json } from '../serving/answers.ts';

/** The signature covers the raw bytes, so the body is not parsed before it is verified, whatever its content type. */
const MAX_BODY_BYTES = 512 * 1024;

export function registerWebhook(app: Routes, { billing }: AppServices): void {
  app.route({
    method: 'POST',
    url: '/api/v1/billing/webhook',
    operation: {
      operationId: 'receivePaymentEvent',
      tag: 'Billing',
      summary: 'Receive a payment event',
      description:
        'Webhook for the payment provider. The event is stored before it is applied, so it may be delivered any number of ' +
        'times and in any order. `duplicate` means that it was already applied, `stale` that a newer event is known and ' +
        'nothing changed. The signature header is `t=<Unix seconds>,v1=<hex>`: an HMAC-SHA256 of `<t>.<body>` with the ' +
        'shared secret, at most 300 seconds old. `Stripe-Signature` is accepted instead of `Payment-Signature`. The body ' +
        'is read only after its signature is verified; it is not validated against this schema first. Nothing else ' +
        'changes a plan: a subscription entitles to its plan until an event says that it does not.',
      authentication: 'signature',
      rawBody: PaymentEvent,
    },
    bodies: RAW_BODIES,
    bodyLimit: MAX_BODY_BYTES,
    schema: {
      response: answers(
        { 200: json('The event is stored.', WebhookReply) },
        'invalid_signature',
        'payload_too_large',
        'service_unavailable',
        'billing_unavailable',
      ),
    },
    async handler(request) {
      const { 'payment-signature': payment, 'stripe-signature': stripe } = request.headers as Record<string, string>;
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      return { received: true, ...(await billing.receive(body, payment ?? stripe)) };
    },
  });
}
