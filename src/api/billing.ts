import { randomUUID } from 'node:crypto';
import Type, { type Static } from 'typebox';
import type { SignedIn } from '../accounts/accounts.ts';
import type { AccountTerms } from '../base/usage.ts';
import type { VisitContext } from '../billing/provider.ts';
import { RAW_BODIES } from '../http/bodies.ts';
import { address, bodyOf, choice, component, count, flag, text } from './fields.ts';
import { accountOperation } from './serving/account-operation.ts';
import { json } from './serving/answers.ts';
import { type Api, publicOperation } from './serving/operation.ts';

export const NewCheckout = bodyOf('NewCheckout', {
  plan: choice(['pro', 'business'], 'The plan to buy.'),
});

const HostedPage = component('HostedPage', 'A page of the payment provider. Redirect the customer to it.', {
  data: Type.Object({
    url: address('Address of a page of the payment provider.', 'https://checkout.stripe.com/c/pay/cs_live_a1'),
  }),
});

const PaymentEvent = Type.Object(
  {
    id: Type.String({ examples: ['evt_1TXkQ2LkdIwHu7ix'] }),
    type: text(
      '`checkout.session.completed`, or `customer.subscription.` followed by `created`, `updated`, `deleted`, `paused` or ' +
        '`resumed`. Other types are accepted and ignored.',
      'customer.subscription.updated',
    ),
    created: count('Unix timestamp in seconds, at most 300 seconds in the future.', 1794721260),
    data: Type.Optional(
      Type.Object(
        { object: Type.Optional(Type.Object({}, { additionalProperties: true })) },
        { additionalProperties: true },
      ),
    ),
  },
  { $id: 'PaymentEvent', additionalProperties: true, description: 'An event in the format of the payment provider.' },
);

const WebhookReply = Type.Object(
  {
    received: Type.Literal(true),
    duplicate: flag('The event was already applied.'),
    stale: flag('A newer event is known, so nothing changed.'),
  },
  { $id: 'WebhookReply' },
);

const own = {
  method: 'POST',
  tag: 'Billing',
  credential: 'session',
  reply: json('The page. Its address expires soon, so redirect the customer immediately.', HostedPage),
  codes: ['billing_unavailable'],
} as const;

export const checkout = accountOperation({
  ...own,
  url: '/api/v1/billing/checkout',
  operationId: 'createCheckout',
  summary: 'Create a checkout page',
  description:
    'Returns a page of the payment provider where the customer buys the plan. For an account that has a subscription, ' +
    'this is the customer portal, where the plan is changed. The plan changes when a signed event of the payment provider ' +
    'confirms it, not when the browser returns.',
  body: NewCheckout,
  answer: (_given, { api, account, user, body }) =>
    describePage(api.billing.openCheckout(buyerOf(account, user), body.plan, startVisit(api))),
});

export const customerPortal = accountOperation({
  ...own,
  url: '/api/v1/billing/portal',
  operationId: 'createPortal',
  summary: 'Open the customer portal',
  description:
    'Returns a page of the payment provider where the customer manages invoices, the payment method, the plan and its ' +
    'cancellation. No body is required.',
  answer: (_given, { api, account, user }) =>
    describePage(api.billing.openPortal(buyerOf(account, user), startVisit(api))),
});

/** The customer returns to our public address. The address is not taken from the request, which could name any other site. */
function startVisit({ publicUrl }: Api): VisitContext {
  return { publicUrl: publicUrl(), requestId: randomUUID() };
}

const buyerOf = ({ accountId }: AccountTerms, user: SignedIn['user'] | null) => ({
  accountId,
  email: user?.email ?? null,
});

async function describePage(opening: Promise<string>): Promise<Static<typeof HostedPage>> {
  return { data: { url: await opening } };
}

/** The signature covers the raw bytes, so the body is not parsed before it is verified, whatever its content type. */
const MAX_EVENT_BYTES = 512 * 1024;

export const paymentEvents = publicOperation({
  method: 'POST',
  url: '/api/v1/billing/webhook',
  credential: 'signature',
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
  rawBody: PaymentEvent,
  bodies: RAW_BODIES,
  bodyLimit: MAX_EVENT_BYTES,
  replies: { 200: json('The event is stored.', WebhookReply) },
  codes: ['invalid_signature', 'payload_too_large', 'service_unavailable', 'billing_unavailable'],
  answer: (api) => async (request) => {
    const { 'payment-signature': payment, 'stripe-signature': stripe } = request.headers as Record<string, string>;
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    return { received: true, ...(await api.billing.receive(body, payment ?? stripe)) };
  },
});
