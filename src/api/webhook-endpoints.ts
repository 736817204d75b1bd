import Type from 'typebox';
import { plans } from '../base/plans.ts';
import { type Attempt, parseAttempts } from '../watch/webhooks/delivery/exchange.ts';
import type { WebhookDelivery as Delivery } from '../watch/webhooks/endpoints.ts';
import { deliveryStates, disabledReasons } from '../watch/webhooks/states.ts';
import type { Webhooks } from '../watch/webhooks/webhooks.ts';
import { listOf, nullable } from './fields.ts';
import { accountOperation } from './serving/account-operation.ts';
import { bare, json } from './serving/answers.ts';

/** As many as the largest plan allows. */
const MAX_MONITORS = Math.max(...plans.map(({ maxMonitors }) => maxMonitors));

/** The shapes of webhook endpoints and their deliveries. */
const url = Type.String({
  minLength: 1,
  maxLength: 2_000,
  description:
    'Where events are sent to: an https address with a public host, on port 443 or 8443 unless the operator allows more. It has no ' +
    'user name and no fragment.',
  examples: ['https://example.com/hooks/firmament'],
});
const description = Type.Union(
  [
    Type.String({
      maxLength: 200,
      pattern: '^[^\\u0000-\\u001f\\u007f]*$',
      description: 'What the endpoint is for, in your words: up to 200 characters, without control characters.',
      examples: ['suppliers'],
    }),
    Type.Null(),
  ],
  { errorMessage: 'must be null or a string of up to 200 characters, without control characters' },
);
const monitorIds = Type.Union(
  [
    Type.Array(Type.String({ format: 'uuid' }), {
      minItems: 1,
      maxItems: MAX_MONITORS,
      description: 'The monitors whose events are sent. `null`: all monitors of the account, also future ones.',
    }),
    Type.Null(),
  ],
  { errorMessage: `must be null or a list of 1 to ${MAX_MONITORS} ids of monitors` },
);
const time = (text: string) => nullable(Type.String({ format: 'date-time', description: text }));

const endpointFields = {
  id: Type.String({ format: 'uuid' }),
  url,
  description,
  monitorIds,
  enabled: Type.Boolean({
    description: 'Whether events are sent. A disabled endpoint loses none: they are sent when it is enabled.',
  }),
  disabledReason: nullable(
    Type.Enum([...disabledReasons], {
      description:
        'Why it is disabled: `owner` or `operator` did it, the receiver answered 410 (`gone`), or ten attempts to deliver an event ' +
        'failed (`failing`). `null` while it is enabled.',
    }),
  ),
  disabledAt: time('When it was disabled.'),
  previousSecretEndsAt: time(
    'Until then, the secret before the last rotation signs, too. `null` if it was never rotated.',
  ),
  createdAt: Type.String({ format: 'date-time' }),
};

const WebhookEndpoint = Type.Object(endpointFields, {
  $id: 'WebhookEndpoint',
  description: 'Where the events of monitors are sent to. The secret is not included.',
});

const CreatedWebhookEndpoint = Type.Object(
  {
    ...endpointFields,
    secret: Type.String({
      description: 'Verifies the signatures of what is sent. Store it now: it is never shown again.',
      examples: ['whsec_…'],
    }),
  },
  { $id: 'CreatedWebhookEndpoint', description: 'A webhook endpoint with a new secret.' },
);

export const NewWebhookEndpoint = Type.Object(
  { url, description: Type.Optional(description), monitorIds: Type.Optional(monitorIds) },
  { $id: 'NewWebhookEndpoint', additionalProperties: false },
);

const WebhookEndpointChange = Type.Object(
  {
    url: Type.Optional(url),
    description: Type.Optional(description),
    monitorIds: Type.Optional(monitorIds),
    enabled: Type.Optional(
      Type.Boolean({
        description: '`true` sends everything that was not delivered, and what has happened since. `false` pauses.',
      }),
    ),
  },
  {
    $id: 'WebhookEndpointChange',
    additionalProperties: false,
    description: 'What to change. What is left out stays as it is.',
  },
);

const WebhookAttempt = Type.Object(
  {
    at: Type.String({ format: 'date-time' }),
    status: nullable(
      Type.Integer({ description: 'The status of the response. `null` if there was none.', examples: [500] }),
    ),
    reason: nullable(
      Type.String({
        description: 'Why there was no response. `null` if there was one.',
        examples: ['the connection was refused'],
      }),
    ),
    body: Type.String({ description: 'The first 500 bytes of the response.', examples: ['Internal Server Error'] }),
    tookMs: Type.Integer({ minimum: 0, description: 'How long it took, in milliseconds.', examples: [120] }),
  },
  { $id: 'WebhookAttempt', description: 'One request to the receiver.' },
);

const WebhookDelivery = Type.Object(
  {
    id: Type.String({
      description: 'The header `webhook-id`: the same in every attempt, and in a replay.',
      examples: ['msg_0a1b2c3d4e5f60718293a4b5c6d7e8f9'],
    }),
    type: Type.String({ description: 'The `type` of the payload.', examples: ['entity.changed'] }),
    state: Type.Enum([...deliveryStates], {
      description:
        '`waiting` for its first or next attempt, for the quota, or for the endpoint to be enabled; `delivered`; `failed` after ten ' +
        'attempts. A test fails after one attempt, or if its endpoint is disabled while it waits.',
    }),
    payload: nullable(
      Type.String({
        description:
          'What is sent, as JSON text. `null` until it was sent for the first time, which is when it is charged.',
        examples: ['{"type":"entity.changed","timestamp":"…","data":{}}'],
      }),
    ),
    createdAt: Type.String({ format: 'date-time' }),
    nextAttemptAt: time('When the next attempt is due. `null` if there is none.'),
    deliveredAt: time('When the receiver accepted it. `null` if it has not.'),
    attempts: Type.Array(WebhookAttempt, { description: 'The latest twelve attempts, oldest first.' }),
  },
  {
    $id: 'WebhookDelivery',
    description:
      'One event for one endpoint. It costs one unit of quota when it is sent, whatever the receiver answers. Retries are free. An ' +
      'attempt that ends before anything is sent, such as a connection that is refused, costs nothing.',
  },
);

const DeliveryParameters = Type.Object(
  {
    state: Type.Optional(Type.Enum([...deliveryStates], { description: 'Only deliveries in this state.' })),
    before: Type.Optional(
      Type.String({
        pattern: '^msg_\\w{1,56}$',
        errorMessage: 'must be the "id" of the last delivery of the previous page',
        description: 'The `id` of the last delivery of the previous page.',
        examples: ['msg_0a1b2c3d4e5f60718293a4b5c6d7e8f9'],
      }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, default: 25, description: 'Maximum number of deliveries.' }),
    ),
  },
  { additionalProperties: false },
);

const ReplayParameters = Type.Object(
  {
    cursor: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'Events after this cursor are sent again, a `cursor` of a change or an event. Without it, all that are kept.',
        examples: ['MTItbWd4MWsyajAuMQ'],
      }),
    ),
  },
  { additionalProperties: false },
);

const EndpointReply = Type.Object({ data: WebhookEndpoint }, { $id: 'WebhookEndpointReply' });
const CreatedReply = Type.Object({ data: CreatedWebhookEndpoint }, { $id: 'CreatedWebhookEndpointReply' });
const DeliveryReply = Type.Object({ data: WebhookDelivery }, { $id: 'WebhookDeliveryReply' });
const DeliveryList = Type.Object({ data: Type.Array(WebhookDelivery) }, { $id: 'WebhookDeliveryList' });
const EndpointList = listOf(WebhookEndpoint, 'WebhookEndpointList', 'endpoints');

const PATH = '/api/v1/webhook-endpoints';
const own = { tag: 'Webhooks', credential: 'account' } as const;
/** What all operations of one endpoint have in common. */
const ofOne = {
  ...own,
  params: Type.Object({
    id: Type.String({
      format: 'uuid',
      errorMessage: 'must be a UUID: use the "id" of a webhook endpoint, 36 characters including hyphens',
      description: 'The `id` of the endpoint.',
    }),
  }),
} as const;
const NOT_FOUND = 'webhook_endpoint_not_found';

/** Webhook endpoints, for programs with an API key, which needs the right to manage for changes, and for people with a session. */
export const webhookEndpoints = [
  accountOperation({
    ...own,
    url: PATH,
    operationId: 'listWebhookEndpoints',
    summary: 'List webhook endpoints',
    description: 'Returns the endpoints of the account, oldest first.',
    replies: { 200: json('All endpoints.', EndpointList) },
    async answer(_given, { api, account }) {
      const data = (await api.webhooks.list(account.accountId)).map(show);
      return { data, meta: { count: data.length, limit: account.plan.maxApiKeys } };
    },
  }),
  accountOperation({
    ...own,
    method: 'POST',
    url: PATH,
    operationId: 'createWebhookEndpoint',
    summary: 'Create a webhook endpoint',
    description:
      'Creates an endpoint that gets the events of your [monitors](/docs/monitors) from now on, signed by [Standard ' +
      'Webhooks](https://www.standardwebhooks.com). The secret is returned only once. See [webhooks](/docs/webhooks).',
    isRepeatable: true,
    body: NewWebhookEndpoint,
    replies: { 201: json('The endpoint, with its secret.', CreatedReply) },
    codes: ['webhook_endpoint_limit_reached', 'webhooks_unavailable'],
    async answer(_given, { api, account, body, idempotencyKey }) {
      return { data: show(await api.webhooks.create(account, body, idempotencyKey())) };
    },
  }),
  accountOperation({
    ...ofOne,
    url: `${PATH}/:id`,
    operationId: 'getWebhookEndpoint',
    summary: 'Retrieve a webhook endpoint',
    description: 'Returns one endpoint, without its secret.',
    replies: { 200: json('The endpoint.', EndpointReply) },
    codes: [NOT_FOUND],
    async answer({ id }, { api, account: { accountId } }) {
      return { data: show(await api.webhooks.find(accountId, id.toLowerCase())) };
    },
  }),
  accountOperation({
    ...ofOne,
    method: 'PATCH',
    url: `${PATH}/:id`,
    operationId: 'updateWebhookEndpoint',
    summary: 'Update a webhook endpoint',
    description:
      'Changes the address, the monitors or whether events are sent. Enabling an endpoint sends everything it has missed.',
    body: WebhookEndpointChange,
    replies: { 200: json('The endpoint.', EndpointReply) },
    codes: [NOT_FOUND],
    async answer({ id }, { api, account: { accountId }, body }) {
      return { data: show(await api.webhooks.update(accountId, id.toLowerCase(), body)) };
    },
  }),
  accountOperation({
    ...ofOne,
    url: `${PATH}/:id/deliveries`,
    operationId: 'listWebhookDeliveries',
    summary: 'List deliveries',
    description:
      'Returns the deliveries of an endpoint, the newest first, with their attempts. What was delivered is kept for 30 days.',
    querystring: DeliveryParameters,
    replies: { 200: json('One page of deliveries.', DeliveryList) },
    codes: [NOT_FOUND],
    async answer({ id, limit = 25, state, before }, { api, account: { accountId } }) {
      const found = await api.webhooks.listDeliveries(accountId, id.toLowerCase(), { limit, state, before });
      return { data: found.map(showDelivery) };
    },
  }),
  accountOperation({
    ...ofOne,
    method: 'POST',
    url: `${PATH}/:id/rotate`,
    operationId: 'rotateWebhookSecret',
    summary: 'Rotate the secret of a webhook endpoint',
    description:
      'Returns a new secret. For 24 hours, everything is signed with both, so that you can replace the old one without a gap.',
    replies: { 202: json('Accepted.', CreatedReply) },
    codes: [NOT_FOUND, 'webhooks_unavailable'],
    async answer({ id }, { api, account: { accountId } }) {
      return { data: show(await api.webhooks.rotate(accountId, id.toLowerCase())) };
    },
  }),
  accountOperation({
    ...ofOne,
    method: 'POST',
    url: `${PATH}/:id/test`,
    operationId: 'testWebhookEndpoint',
    summary: 'Send a test',
    description:
      'Sends an example of the type `webhook.test` once, without retries. It costs nothing. An endpoint gets at most five tests per minute, ' +
      'and a disabled one gets none.',
    replies: { 202: json('Accepted.', DeliveryReply) },
    codes: [NOT_FOUND, 'webhook_endpoint_disabled', 'webhooks_unavailable'],
    async answer({ id }, { api, account: { accountId } }) {
      return { data: showDelivery(await api.webhooks.sendTest(accountId, id.toLowerCase())) };
    },
  }),
  accountOperation({
    ...ofOne,
    method: 'POST',
    url: `${PATH}/:id/replay`,
    operationId: 'replayWebhookEvents',
    summary: 'Send events again',
    description:
      'Sends all events after a cursor again, with the same `webhook-id`. Each event that was delivered costs one unit of quota again when it is ' +
      'sent. One that was sent and not delivered is charged already.',
    querystring: ReplayParameters,
    replies: { 202: json('Accepted.', EndpointReply) },
    codes: [NOT_FOUND],
    async answer({ id, cursor }, { api, account: { accountId } }) {
      return { data: show(await api.webhooks.replay(accountId, id.toLowerCase(), cursor)) };
    },
  }),
  accountOperation({
    ...ofOne,
    method: 'DELETE',
    url: `${PATH}/:id`,
    operationId: 'deleteWebhookEndpoint',
    summary: 'Delete a webhook endpoint',
    description:
      'Deletes the endpoint and its deliveries. Nothing more is sent. Events that were sent stay charged, whatever the receiver ' +
      'answered.',
    replies: { 204: bare('Deleted.') },
    codes: [NOT_FOUND],
    answer({ id }, { api, account: { accountId } }) {
      return api.webhooks.remove(accountId, id.toLowerCase());
    },
  }),
];

type Endpoint = Awaited<ReturnType<Webhooks['find']>> & { readonly secret?: string };

const toTime = (instant: number | null) => (instant === null ? null : new Date(instant).toISOString());

function show({ accountId: _account, position: _position, previousEndsAt, ...endpoint }: Endpoint) {
  return {
    ...endpoint,
    enabled: endpoint.disabledReason === null,
    disabledAt: toTime(endpoint.disabledAt),
    previousSecretEndsAt: toTime(previousEndsAt),
    createdAt: new Date(endpoint.createdAt).toISOString(),
  };
}

function showDelivery({ id, type, state, payload, createdAt, nextAt, deliveredAt, attemptLog }: Delivery) {
  return {
    id,
    type,
    state,
    payload,
    createdAt: new Date(createdAt).toISOString(),
    nextAttemptAt: state === 'waiting' ? toTime(nextAt) : null,
    deliveredAt: toTime(deliveredAt),
    attempts: parseAttempts(attemptLog).map((attempt: Attempt) => ({
      ...attempt,
      at: new Date(attempt.at).toISOString(),
    })),
  };
}
