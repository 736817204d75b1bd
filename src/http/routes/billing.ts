import type { FastifyRequest } from 'fastify';
import type { Billing } from '../../billing/billing.ts';
import { answers, json } from '../answers.ts';
import { takeAnyBody } from '../any-body.ts';
import type { App } from '../app-type.ts';
import { HostedPage, NewCheckout } from '../schemas.ts';
import { type RequireSession, sessionCodes, signedInOf } from '../session.ts';

export interface BillingServices {
  readonly billing: Pick<Billing, 'openCheckout' | 'openPortal'>;
  readonly publicUrl: () => string;
}

export function registerBilling(app: App, services: BillingServices, requireSession: RequireSession): void {
  const { billing, publicUrl } = services;

  /** Who asks, and where the provider sends them back to: our own address, whatever the request says. */
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
          summary: 'Start a checkout',
          description:
            "A page of the payment provider on which the plan is bought; of an account with a subscription, the provider's " +
            'customer portal, where it is changed. The plan changes when the provider has told us so, not when the browser ' +
            'comes back.',
          authentication: 'session',
        },
      },
      onRequest: requireSession,
      schema: {
        body: NewCheckout,
        response: answers(
          { 200: json('Where to send the customer, soon: the address is short-lived.', HostedPage) },
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
    // It takes no body, and minds none.
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
              'A page of the payment provider with invoices, payment method, change of plan and cancellation. Needs no body.',
            authentication: 'session',
          },
        },
        onRequest: requireSession,
        schema: {
          response: answers(
            { 200: json('Where to send the customer, soon: the address is short-lived.', HostedPage) },
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
