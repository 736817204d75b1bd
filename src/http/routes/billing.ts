import type { FastifyRequest } from 'fastify';
import type { Billing } from '../../billing/billing.ts';
import { HostedPage, NewCheckout } from '../account-schemas.ts';
import { answers, json } from '../answers.ts';
import { takeAnyBody } from '../any-body.ts';
import type { App } from '../app-type.ts';
import { type RequireSession, sessionCodes, signedInOf } from '../session.ts';

export interface BillingServices {
  readonly billing: Pick<Billing, 'openCheckout' | 'openPortal'>;
  readonly publicUrl: () => string;
}

export function registerBilling(app: App, services: BillingServices, requireSession: RequireSession): void {
  const { billing, publicUrl } = services;

  /** The customer returns to our public address. It does not come from the request, which could name any other site. */
  function visitOf(request: FastifyRequest) {
    const { account, user } = signedInOf(request);
    return {
      buyer: { accountId: account.accountId, email: user.email },
      context: { publicUrl: publicUrl(), requestId: request.id },
    };
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
            'this is the customer portal, where the plan is changed. The plan changes when the payment provider confirms it, ' +
            'not when the browser returns.',
          authentication: 'session',
        },
      },
      onRequest: requireSession,
      schema: {
        body: NewCheckout,
        response: answers(
          { 200: json('The page. Its address expires soon, so redirect the customer immediately.', HostedPage) },
          ...sessionCodes,
          'csrf_rejected',
          'payload_too_large',
          'unsupported_media_type',
          'billing_unavailable',
        ),
      },
    },
    async (request) => {
      const { buyer, context } = visitOf(request);
      return { data: { url: await billing.openCheckout(buyer, request.body.plan, context) } };
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
          response: answers(
            { 200: json('The page. Its address expires soon, so redirect the customer immediately.', HostedPage) },
            ...sessionCodes,
            'csrf_rejected',
            'payload_too_large',
            'billing_unavailable',
          ),
        },
      },
      async (request) => {
        const { buyer, context } = visitOf(request);
        return { data: { url: await billing.openPortal(buyer, context) } };
      },
    );
  });
}
