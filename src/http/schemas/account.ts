import Type, { type Static, type TSchema } from 'typebox';
import { MAX_SECRET_NAME_LENGTH } from '../../accounts/secret-name.ts';
import { usageWarnings } from '../../core/usage.ts';
import { ApiPlan, nullable } from './schemas.ts';

/** The shapes of accounts, API keys, reconcile links and billing. `schemas.ts` explains how schemas are used. */
function secretFields(noun: string, prefix: string, example: string) {
  return {
    id: Type.String({ format: 'uuid', description: `Unique identifier of the ${noun}. Use it to revoke the ${noun}.` }),
    name: Type.String({
      minLength: 1,
      maxLength: MAX_SECRET_NAME_LENGTH,
      description: `The name you gave the ${noun}, without surrounding white space.`,
      examples: [example],
    }),
    prefix: Type.String({
      description: `First characters of the secret, to recognize the ${noun}.`,
      examples: [prefix],
    }),
    createdAt: Type.String({ format: 'date-time' }),
    lastUsedAt: nullable(
      Type.String({
        format: 'date-time',
        description: `Time of the last request with this ${noun}. \`null\` if it was never used.`,
      }),
    ),
    expiresAt: nullable(
      Type.String({
        format: 'date-time',
        description: `When the ${noun} stops working because it was rotated: another one replaces it. \`null\` if it was not.`,
      }),
    ),
  };
}

function newSecret(noun: string, example: string, $id: string) {
  return Type.Object(
    {
      name: Type.String({
        minLength: 1,
        maxLength: MAX_SECRET_NAME_LENGTH,
        description:
          `What the ${noun} is for: 1 to 60 characters, counted as Unicode code points, at least one of them visible. Surrounding white ` +
          'space counts, too, and is removed. Control characters, line breaks and unpaired surrogates are rejected.',
        examples: [example],
        errorMessage: {
          required: 'is required: it must be a string of 1 to 60 characters',
          type: 'must be a string of 1 to 60 characters',
        },
      }),
    },
    { $id, additionalProperties: false },
  );
}
export type NewSecret = ReturnType<typeof newSecret>;

export function listOf(item: TSchema, $id: string, noun: string) {
  const limit = `Maximum number of active ${noun} of the plan.`;
  return Type.Object(
    {
      data: Type.Array(item),
      meta: Type.Object({
        count: Type.Integer({ minimum: 0, description: `Number of active ${noun}.`, examples: [1] }),
        limit: Type.Integer({ minimum: 0, description: limit, examples: [5] }),
      }),
    },
    { $id },
  );
}

const apiKeyFields = secretFields('key', 'frm_live_4fG7xQ', 'production');

export const ApiKey = Type.Object(apiKeyFields, {
  $id: 'ApiKey',
  description: 'An active API key. The secret is not included.',
});
export type ApiKey = Static<typeof ApiKey>;

export const CreatedApiKey = Type.Object(
  {
    ...apiKeyFields,
    secret: Type.String({
      description: 'The API key to send with requests. Store it now: it is never shown again.',
      examples: ['frm_live_4fG7xQ…'],
    }),
  },
  { $id: 'CreatedApiKey', description: 'A new API key, including its secret.' },
);

export const NewApiKey = newSecret('key', 'production', 'NewApiKey');

const reconcileLinkFields = secretFields('link', 'frl_live_7hQ2mZ', 'supplier list');

export const ReconcileLink = Type.Object(reconcileLinkFields, {
  $id: 'ReconcileLink',
  description: 'An active reconcile link. Its address is not included.',
});

export const CreatedReconcileLink = Type.Object(
  {
    ...reconcileLinkFields,
    url: Type.String({
      format: 'uri',
      description: 'The address to add to OpenRefine as a standard service. Store it now: it is never shown again.',
      examples: ['https://api.example.com/api/v1/reconcile/l/frl_live_7hQ2mZ'],
    }),
  },
  { $id: 'CreatedReconcileLink', description: 'A new reconcile link, including its address.' },
);

export const NewReconcileLink = newSecret('link', 'supplier list', 'NewReconcileLink');

export const User = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    email: nullable(
      Type.String({
        description: 'E-mail address from the identity provider, if it provides one.',
        examples: ['anna@example.com'],
      }),
    ),
    name: nullable(
      Type.String({ description: 'Name from the identity provider, if it provides one.', examples: ['Anna'] }),
    ),
    accountId: Type.String({ format: 'uuid', description: 'The account that the user belongs to.' }),
  },
  { $id: 'User', description: 'The signed-in user.' },
);

const Usage = Type.Object(
  {
    periodStart: Type.String({ format: 'date-time', examples: ['2026-09-01T00:00:00.000Z'] }),
    periodEnd: Type.String({
      format: 'date-time',
      description: 'When the quota resets.',
      examples: ['2026-10-01T00:00:00.000Z'],
    }),
    used: Type.Integer({ minimum: 0, description: 'Requests charged in this period.', examples: [14] }),
    limit: Type.Integer({ minimum: 0, description: 'Requests included in this period.', examples: [1_000] }),
    remaining: Type.Integer({ minimum: 0, description: 'Requests left in this period.', examples: [986] }),
    warning: nullable(
      Type.Enum([...usageWarnings], {
        description:
          '`quota_nearly_used` from 80% of the quota, `quota_used` when no request is left until `periodEnd`. `null` below 80%.',
      }),
    ),
    daily: Type.Array(
      Type.Object({ date: Type.String({ format: 'date' }), requests: Type.Integer({ minimum: 0, examples: [14] }) }),
      {
        description:
          'Requests per day (UTC), from the first to the last day of the period. Days without requests may be missing. After a ' +
          'change of plan, a day can include requests that were charged to the previous period, so that the sum is more than `used`.',
      },
    ),
  },
  { $id: 'Usage', description: 'Usage in the current billing period.' },
);

const Billing = Type.Object(
  {
    status: Type.String({
      description:
        'Status of the subscription at the payment provider, or `none` without a subscription. `unconfirmed` if the ' +
        'subscription was not renewed in time and the provider could not be asked about it. A subscription grants its plan until a ' +
        'date, so the status can change without an event.',
      examples: ['active'],
    }),
    currentPeriodEnd: nullable(
      Type.String({
        format: 'date-time',
        description:
          'End of the paid period. `null` without a subscription, and as soon as it has ended or does not entitle to a plan, for ' +
          'example after an immediate cancellation, even if the provider had announced a later end.',
      }),
    ),
    cancelAtPeriodEnd: Type.Boolean({
      description:
        'Whether the subscription is cancelled and ends with the paid period. False as soon as it has ended.',
    }),
    portalAvailable: Type.Boolean({
      description:
        'Whether you can open the customer portal. True on every server with a payment provider, even for accounts without a ' +
        'subscription.',
    }),
  },
  { $id: 'Billing', description: 'State of the subscription.' },
);

export const Account = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    plan: ApiPlan,
    usage: Usage,
    billing: Billing,
    apiKeys: Type.Array(ApiKey, { description: 'Active API keys, oldest first.' }),
  },
  { $id: 'Account', description: 'A developer account.' },
);

export const NewCheckout = Type.Object(
  { plan: Type.Enum(['pro', 'business'], { description: 'The plan to buy.' }) },
  { $id: 'NewCheckout', additionalProperties: false },
);

export const HostedPage = Type.Object(
  {
    data: Type.Object({
      url: Type.String({
        format: 'uri',
        description: 'Address of a page of the payment provider.',
        examples: ['https://checkout.stripe.com/c/pay/cs_live_a1'],
      }),
    }),
  },
  { $id: 'HostedPage', description: 'A page of the payment provider. Redirect the customer to it.' },
);

export const PaymentEvent = Type.Object(
  {
    id: Type.String({ examples: ['evt_1TXkQ2LkdIwHu7ix'] }),
    type: Type.String({
      description:
        '`checkout.session.completed`, or `customer.subscription.` followed by `created`, `updated`, `deleted`, `paused` or ' +
        '`resumed`. Other types are accepted and ignored.',
      examples: ['customer.subscription.updated'],
    }),
    created: Type.Integer({
      minimum: 0,
      description: 'Unix timestamp in seconds, at most 300 seconds in the future.',
      examples: [1794721260],
    }),
    data: Type.Optional(
      Type.Object(
        { object: Type.Optional(Type.Object({}, { additionalProperties: true })) },
        { additionalProperties: true },
      ),
    ),
  },
  {
    $id: 'PaymentEvent',
    additionalProperties: true,
    description: 'An event in the format of the payment provider.',
  },
);

export const WebhookReply = Type.Object(
  {
    received: Type.Literal(true),
    duplicate: Type.Boolean({ description: 'The event was already applied.' }),
    stale: Type.Boolean({ description: 'A newer event is known, so nothing changed.' }),
  },
  { $id: 'WebhookReply' },
);
