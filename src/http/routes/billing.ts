import { randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Buyer, VisitContext } from '../../billing/checkout.ts';
import type { HostedPage as OpenedPage } from '../../billing/provider.ts';
import { answers, json } from '../answers.ts';
import type { AppServices } from '../app-services.ts';
import type { App } from '../app-type.ts';
import { IdempotencyHeaders, markReplay, readIdempotencyKey } from '../idempotency-key.ts';
import { HostedPage, NewCheckout } from '../schemas/account.ts';
import { type RequireSession, sessionCodes, signedInOf } from '../session.ts';
import { takeAnyBody } from '../transport/any-body.ts';

export function registerBilling(
  app: App,
  { billing, clock, idempotency, publicUrl }: AppServices,
  requireSession: RequireSession,
): void {
  /**
   * Opens a page, once per idempotency key. The customer returns to our public address. It does not come from the request, which
   * could name any other site.
   */
  async function openOnce(
    request: FastifyRequest,
    reply: FastifyReply,
    { operation, body }: { readonly operation: string; readonly body: string },
    open: (buyer: Buyer, context: VisitContext) => Promise<OpenedPage>,
  ) {
    const { account, user } = signedInOf(request);
    const { accountId } = account;
    const key = readIdempotencyKey(request.raw);
    const outcome = await idempotency.once(
      { accountId, operation, key, body },
      (requestId = randomUUID()) => open({ accountId, email: user.email }, { publicUrl: publicUrl(), requestId }),
      ({ worksUntil }) => worksUntil > clock.now(),
    );
    return { data: { url: markReplay(reply, outcome).url } };
  }

  app.post(
    '/api/v1/billing/checkout',
    {
      config: {
        operation: {
          operationId: 'createCheckout',
          tag: 'Billing',
          summary: 'Create a checkout page',
          description:
            'Returns a page of the payment provider where the customer buys the plan. For an account that has a subscription, ' +
            'this is the customer portal, where the plan is changed. The plan changes when a signed event of the payment provider ' +
            'confirms it, not when the browser returns.',
          authentication: 'session',
        },
      },
      onRequest: requireSession,
      schema: {
        headers: IdempotencyHeaders,
        body: NewCheckout,
        response: answers(
          { 200: pageAnswer },
          ...sessionCodes,
          'csrf_rejected',
          'idempotency_key_reused',
          'payload_too_large',
          'unsupported_media_type',
          'billing_unavailable',
        ),
      },
    },
    (request, reply) => {
      const { plan } = request.body;
      return openOnce(request, reply, { operation: 'createCheckout', body: plan }, (buyer, context) =>
        billing.openCheckout(buyer, plan, context),
      );
    },
  );

  app.register(async (scope: App) => {
    // This route ignores the body, whatever its type.
    takeAnyBody(scope, () => undefined);
    scope.post(
      '/api/v1/billing/portal',
      {
        config: {
          operation: {
            operationId: 'createPortal',
            tag: 'Billing',
            summary: 'Open the customer portal',
            description:
              'Returns a page of the payment provider where the customer manages invoices, the payment method, the plan and its ' +
              'cancellation. No body is required.',
            authentication: 'session',
          },
        },
        onRequest: requireSession,
        schema: {
          headers: IdempotencyHeaders,
          response: answers(
            { 200: pageAnswer },
            ...sessionCodes,
            'csrf_rejected',
            'payload_too_large',
            'billing_unavailable',
          ),
        },
      },
      (request, reply) => openOnce(request, reply, { operation: 'createPortal', body: '' }, billing.openPortal),
    );
  });
}

const pageAnswer = json('The page. Its address expires soon, so redirect the customer immediately.', HostedPage, [
  'Idempotent-Replayed',
]);
