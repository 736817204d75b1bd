import type { Billing } from '../../billing/billing.ts';
import { answers, json } from '../answers.ts';
import { takeAnyBody } from '../any-body.ts';
import type { App } from '../app-type.ts';
import { PaymentEvent, WebhookReply } from '../schemas.ts';

/** The signed bytes are what counts: they are kept as they came, whatever type they are said to have. */
const MOST_BYTES = 512 * 1024;

export function registerWebhook(app: App, { billing }: { readonly billing: Pick<Billing, 'receive'> }): void {
  app.register(async (scope: App) => {
    takeAnyBody(scope, (body) => body, MOST_BYTES);
    scope.post(
      '/api/v1/billing/webhook',
      {
        bodyLimit: MOST_BYTES,
        config: {
          operation: {
            operationId: 'receivePaymentEvent',
            tag: 'Billing',
            summary: 'Receive an event of the payment provider',
            description:
              'For the payment provider. The event is stored before it is applied, so that it may be delivered any number of ' +
              'times and in any order: `duplicate` tells that it had been applied before, `stale` that something newer is known ' +
              'and nothing changed. The signature is `t=<Unix seconds>,v1=<hex>`: an HMAC-SHA256 with the shared secret over ' +
              '`<t>.<body>`, not older than 300 seconds. `Stripe-Signature` is accepted in place of `Payment-Signature`.',
            authentication: 'signature',
            rawBody: PaymentEvent,
          },
        },
        schema: {
          response: answers(
            { 200: json('The event is safe.', WebhookReply) },
            'invalid_signature',
            'payload_too_large',
            'service_unavailable',
            'billing_unavailable',
          ),
        },
      },
      async (request) => {
        const { 'payment-signature': payment, 'stripe-signature': stripe } = request.headers as Record<string, string>;
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        return { received: true, ...(await billing.receive(body, payment ?? stripe)) };
      },
    );
  });
}
