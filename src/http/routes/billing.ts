import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type { Buyer, VisitContext } from '../../billing/checkout.ts';
import { answers, json } from '../answers.ts';
import type { AppServices } from '../app-services.ts';
import type { App } from '../app-type.ts';
import { HostedPage, NewCheckout } from '../schemas/account.ts';
import { type RequireSession, sessionCodes, signedInOf } from '../session.ts';
import { takeAnyBody } from '../transport/any-body.ts';

export function registerBilling(app: App, { billing, publicUrl }: AppServices, requireSession: RequireSession): void {
  /** The customer returns to our public address. It does not come from the request, which could name any other site. */
  async function openPage(
    request: FastifyRequest,
    open: (buyer: Buyer, context: VisitContext) => Promise<string>,
  ): Promise<Static<typeof HostedPage>> {
    const { account, user } = signedInOf(request);
    const buyer = { accountId: account.accountId, email: user.email };
    return { data: { url: await open(buyer, { publicUrl: publicUrl(), requestId: randomUUID() }) } };
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
        body: NewCheckout,
        response: answers(
          { 200: pageAnswer },
          ...sessionCodes,
          'csrf_rejected',
          'payload_too_large',
          'unsupported_media_type',
          'billing_unavailable',
        ),
      },
    },
    (request) => openPage(request, (buyer, context) => billing.openCheckout(buyer, request.body.plan, context)),
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
          response: answers(
            { 200: pageAnswer },
            ...sessionCodes,
            'csrf_rejected',
            'payload_too_large',
            'billing_unavailable',
          ),
        },
      },
      (request) => openPage(request, billing.openPortal),
    );
  });
}

const pageAnswer = json('The page. Its address expires soon, so redirect the customer immediately.', HostedPage);
