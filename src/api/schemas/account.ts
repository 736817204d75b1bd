import Type, { type Static, type TProperties, type TSchema } from 'typebox';
import { MAX_NAME_LENGTH } from '../../base/storable.ts';
import { usageWarnings } from '../../base/usage.ts';
import { address, component, count, flag, instant, nullable, text, uuid } from '../fields.ts';
import { ApiPlan } from '../plans.ts';

/** The shapes of accounts, API keys, reconcile links and billing. `schemas.ts` explains how schemas are used. */
function secretFields(noun: string, prefix: string, example: string) {
  return {
    id: uuid(`Unique identifier of the ${noun}. Use it to revoke the ${noun}.`),
    name: Type.String({
      minLength: 1,
      maxLength: MAX_NAME_LENGTH,
      description: `The name you gave the ${noun}.`,
      examples: [example],
    }),
    prefix: text(`First characters of the secret, to recognize the ${noun}.`, prefix),
    createdAt: Type.String({ format: 'date-time' }),
    lastUsedAt: nullable(instant(`Time of the last request with this ${noun}. \`null\` if it was never used.`)),
    expiresAt: nullable(
      instant(
        `When the ${noun} stops working because it was rotated: another one replaces it. \`null\` if it was not.`,
      ),
    ),
  };
}

function newSecret<More extends TProperties>(noun: string, example: string, $id: string, more: More) {
  return Type.Object(
    {
      name: Type.String({
        minLength: 1,
        maxLength: MAX_NAME_LENGTH,
        description:
          `What the ${noun} is for: 1 to 60 characters, counted as Unicode code points. It is stored as you send it, white space and ` +
          'line breaks included. U+0000 and unpaired surrogates cannot be stored and are rejected.',
        examples: [example],
        errorMessage: {
          required: 'is required: it must be a string of 1 to 60 characters',
          type: 'must be a string of 1 to 60 characters',
        },
      }),
      ...more,
    },
    { $id, additionalProperties: false },
  );
}
export type NewSecret = typeof NewApiKey | typeof NewReconcileLink;

export function listOf(item: TSchema, $id: string, noun: string) {
  const limit = `Maximum number of active ${noun} of the plan.`;
  return Type.Object(
    {
      data: Type.Array(item),
      meta: Type.Object({
        count: count(`Number of active ${noun}.`, 1),
        limit: count(limit, 5),
      }),
    },
    { $id },
  );
}

const apiKeyFields = {
  ...secretFields('key', 'frm_live_4fG7xQ', 'production'),
  canManage: flag('Whether the key may change monitors and webhook endpoints. Every key can read them.'),
};

export const ApiKey = component('ApiKey', 'An active API key. The secret is not included.', apiKeyFields);
export type ApiKey = Static<typeof ApiKey>;

export const CreatedApiKey = component('CreatedApiKey', 'A new API key, including its secret.', {
  ...apiKeyFields,
  secret: text('The API key to send with requests. Store it now: it is never shown again.', 'frm_live_4fG7xQ…'),
});

export const NewApiKey = newSecret('key', 'production', 'NewApiKey', {
  canManage: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Whether the key may change monitors and webhook endpoints. Only programs that do so need it.',
    }),
  ),
});

const reconcileLinkFields = secretFields('link', 'frl_live_7hQ2mZ', 'supplier list');

export const ReconcileLink = component(
  'ReconcileLink',
  'An active reconcile link. Its address is not included.',
  reconcileLinkFields,
);

export const CreatedReconcileLink = component('CreatedReconcileLink', 'A new reconcile link, including its address.', {
  ...reconcileLinkFields,
  url: address(
    'The address to add to OpenRefine as a standard service. Store it now: it is never shown again.',
    'https://api.example.com/api/v1/reconcile/l/frl_live_7hQ2mZ',
  ),
});

export const NewReconcileLink = newSecret('link', 'supplier list', 'NewReconcileLink', {});

export const User = component('User', 'The signed-in user.', {
  id: Type.String({ format: 'uuid' }),
  email: nullable(text('E-mail address from the identity provider, if it provides one.', 'anna@example.com')),
  name: nullable(text('Name from the identity provider, if it provides one.', 'Anna')),
  accountId: uuid('The account that the user belongs to.'),
});

const Usage = component('Usage', 'Usage in the current billing period.', {
  periodStart: Type.String({ format: 'date-time', examples: ['2026-09-01T00:00:00.000Z'] }),
  periodEnd: instant('When the quota resets.', '2026-10-01T00:00:00.000Z'),
  used: count('Requests charged in this period.', 14),
  limit: count('Requests included in this period.', 1_000),
  remaining: count('Requests left in this period.', 986),
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
  previous: nullable(
    Type.Object(
      {
        periodStart: Type.String({ format: 'date-time', examples: ['2026-08-01T00:00:00.000Z'] }),
        periodEnd: instant('When the current period started.', '2026-09-01T00:00:00.000Z'),
        used: count('Requests charged in that period.', 950),
      },
      {
        description:
          'The period before, which a new subscription may have ended early: its count does not continue in the current one. ' +
          '`null` if nothing was charged to it.',
      },
    ),
  ),
});

const Billing = component('Billing', 'State of the subscription.', {
  status: text(
    'Status of the subscription, as last reported by a signed event of the payment provider, or `none` without a subscription.',
    'active',
  ),
  currentPeriodEnd: nullable(
    instant(
      'End of the paid period. It is in the past until the event of the renewal arrives. `null` without a subscription, and as ' +
        'soon as it has ended or does not entitle to a plan, for example after an immediate cancellation.',
    ),
  ),
  cancelAtPeriodEnd: flag(
    'Whether the subscription is cancelled and ends with the paid period. False as soon as it has ended.',
  ),
  portalAvailable: flag(
    'Whether you can open the customer portal. True on every server with a payment provider, even for accounts without a ' +
      'subscription.',
  ),
});

export const Account = component('Account', 'A developer account.', {
  id: Type.String({ format: 'uuid' }),
  plan: ApiPlan,
  usage: Usage,
  billing: Billing,
  apiKeys: Type.Array(ApiKey, { description: 'Active API keys, oldest first.' }),
  excessApiKeys: nullable(
    count(
      'How many active API keys the account has above `plan.maxApiKeys`, after a change to a smaller plan. They keep working, and no ' +
        'new one can be created. `null` if there are none.',
      19,
    ),
  ),
  requestsPerMinuteOfAllKeys: nullable(
    count(
      'How many requests per minute all API keys of the account may send together, however many there are: ' +
        '`plan.requestsPerMinute` × `plan.maxApiKeys`.',
      60,
    ),
  ),
});

export const NewCheckout = Type.Object(
  { plan: Type.Enum(['pro', 'business'], { description: 'The plan to buy.' }) },
  { $id: 'NewCheckout', additionalProperties: false },
);

export const HostedPage = component('HostedPage', 'A page of the payment provider. Redirect the customer to it.', {
  data: Type.Object({
    url: address('Address of a page of the payment provider.', 'https://checkout.stripe.com/c/pay/cs_live_a1'),
  }),
});

export const PaymentEvent = Type.Object(
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

export const WebhookReply = Type.Object(
  {
    received: Type.Literal(true),
    duplicate: flag('The event was already applied.'),
    stale: flag('A newer event is known, so nothing changed.'),
  },
  { $id: 'WebhookReply' },
);
