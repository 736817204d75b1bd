import { randomUUID } from 'node:crypto';
import type { Static } from 'typebox';
import type { Buyer, VisitContext } from '../../billing/checkout.ts';
import type { Routes } from '../../http/app.ts';
import { IGNORED_BODIES } from '../../http/bodies.ts';
import type { HttpRequest } from '../../http/request.ts';
import type { AppServices } from '../app-services.ts';
import { HostedPage, NewCheckout } from '../schemas/account.ts';
import { answers, json } from '../serving/answers.ts';
import { sessionCodes, signedInOf } from '../serving/session.ts';

export function registerCheckout(app: Routes, { billing, publicUrl }: AppServices): void {
  app.route({
    method: 'POST',
    url: '/api/v1/billing/checkout',
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
    handler: (request) => {
      const { plan } = request.body as Static<typeof NewCheckout>;
      return openPage(request, publicUrl, (buyer, context) => billing.openCheckout(buyer, plan, context));
    },
  });
}

export function registerPortal(app: Routes, { billing, publicUrl }: AppServices): void {
  app.route({
    method: 'POST',
    url: '/api/v1/billing/portal',
    operation: {
      operationId: 'createPortal',
      tag: 'Billing',
      summary: 'Open the customer portal',
      description:
        'Returns a page of the payment provider where the customer manages invoices, the payment method, the plan and its ' +
        'cancellation. No body is required.',
      authentication: 'session',
    },
    bodies: IGNORED_BODIES,
    schema: {
      response: answers(
        { 200: pageAnswer },
        ...sessionCodes,
        'csrf_rejected',
        'payload_too_large',
        'billing_unavailable',
      ),
    },
    handler: (request) => openPage(request, publicUrl, billing.openPortal),
  });
}

/** The customer returns to our public address. It does not come from the request, which could name any other site. */
async function openPage(
  request: HttpRequest,
  publicUrl: () => string,
  open: (buyer: Buyer, context: VisitContext) => Promise<string>,
): Promise<Static<typeof HostedPage>> {
  const { account, user } = signedInOf(request);
  const buyer = { accountId: account.accountId, email: user.email };
  return { data: { url: await open(buyer, { publicUrl: publicUrl(), requestId: randomUUID() }) } };
}

const pageAnswer = json('The page. Its address expires soon, so redirect the customer immediately.', HostedPage);
