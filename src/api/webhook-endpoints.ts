import Type from 'typebox';
import { plans } from '../base/plans.ts';
import { type Attempt, parseAttempts } from '../watch/webhooks/delivery/exchange.ts';
import { deliveryStates, disabledReasons } from '../watch/webhooks/events.ts';
import type { WebhookDelivery as Delivery, Webhooks } from '../watch/webhooks/webhooks.ts';
import {
  bodyOf,
  choice,
  component,
  count,
  flag,
  formatInstant,
  idOf,
  limitedList,
  listOf,
  nullable,
  orNull,
  parametersOf,
  replyOf,
  text,
} from './fields.ts';
import { resourceOperations } from './serving/account-operation.ts';
import { json } from './serving/answers.ts';

const MAX_MONITORS = Math.max(...plans.map(({ maxMonitors }) => maxMonitors));

const url = text(
  'Where events are sent to: an https address with a public host, on port 443 or 8443 unless the operator allows more. It has no ' +
    'user name and no fragment.',
  'https://example.com/hooks/firmament',
  { minLength: 1, maxLength: 2_000 },
);
const description = Type.Union(
  [
    text('What the endpoint is for, in your words: up to 200 characters, without control characters.', 'suppliers', {
      maxLength: 200,
      pattern: '^[^\\u0000-\\u001f\\u007f]*$',
    }),
    Type.Null(),
  ],
  { errorMessage: 'must be null or a string of up to 200 characters, without control characters' },
);
const monitorIds = Type.Union(
  [
    listOf(
      Type.String({ format: 'uuid' }),
      'The monitors whose events are sent. `null`: all monitors of the account, also future ones.',
      undefined,
      { minItems: 1, maxItems: MAX_MONITORS },
    ),
    Type.Null(),
  ],
  { errorMessage: `must be null or a list of 1 to ${MAX_MONITORS} ids of monitors` },
);

const endpointFields = {
  id: Type.String({ format: 'uuid' }),
  url,
  description,
  monitorIds,
  enabled: flag('Whether events are sent. A disabled endpoint loses none: they are sent when it is enabled.'),
  disabledReason: orNull.choice(
    [...disabledReasons],
    'Why it is disabled: `owner` or `operator` did it, the receiver answered 410 (`gone`), or ten attempts to deliver an event ' +
      'failed (`failing`). `null` while it is enabled.',
  ),
  disabledAt: orNull.instant('When it was disabled.'),
  previousSecretEndsAt: orNull.instant(
    'Until then, the secret before the last rotation signs, too. `null` if it was never rotated.',
  ),
  createdAt: Type.String({ format: 'date-time' }),
};

const WebhookEndpoint = component(
  'WebhookEndpoint',
  'Where the events of monitors are sent to. The secret is not included.',
  endpointFields,
);

const CreatedWebhookEndpoint = component('CreatedWebhookEndpoint', 'A webhook endpoint with a new secret.', {
  ...endpointFields,
  secret: text('Verifies the signatures of what is sent. Store it now: it is never shown again.', 'whsec_…'),
});

const settings = { description: Type.Optional(description), monitorIds: Type.Optional(monitorIds) };

export const NewWebhookEndpoint = bodyOf('NewWebhookEndpoint', { url, ...settings });

const WebhookEndpointChange = bodyOf(
  'WebhookEndpointChange',
  {
    url: Type.Optional(url),
    ...settings,
    enabled: Type.Optional(
      flag('`true` sends everything that was not delivered, and what has happened since. `false` pauses.'),
    ),
  },
  { description: 'What to change. What is left out stays as it is.' },
);

const WebhookAttempt = component('WebhookAttempt', 'One request to the receiver.', {
  at: Type.String({ format: 'date-time' }),
  status: nullable(
    Type.Integer({ description: 'The status of the response. `null` if there was none.', examples: [500] }),
  ),
  reason: orNull.text('Why there was no response. `null` if there was one.', 'the connection was refused'),
  body: text('The first 500 bytes of the response.', 'Internal Server Error'),
  tookMs: count('How long it took, in milliseconds.', 120),
});

const WebhookDelivery = component(
  'WebhookDelivery',
  'One event for one endpoint. It costs one unit of quota when it is sent, whatever the receiver answers. Retries are free. An ' +
    'attempt that ends before anything is sent, such as a connection that is refused, costs nothing.',
  {
    id: text(
      'The header `webhook-id`: the same in every attempt, and in a replay.',
      'msg_0a1b2c3d4e5f60718293a4b5c6d7e8f9',
    ),
    type: text('The `type` of the payload.', 'entity.changed'),
    state: choice(
      [...deliveryStates],
      '`waiting` for its first or next attempt, for the quota, or for the endpoint to be enabled; `delivered`; `failed` after ten ' +
        'attempts. A test fails after one attempt, or if its endpoint is disabled while it waits.',
    ),
    payload: orNull.text(
      'What is sent, as JSON text. `null` until it was sent for the first time, which is when it is charged.',
      '{"type":"entity.changed","timestamp":"…","data":{}}',
    ),
    createdAt: Type.String({ format: 'date-time' }),
    nextAttemptAt: orNull.instant('When the next attempt is due. `null` if there is none.'),
    deliveredAt: orNull.instant('When the receiver accepted it. `null` if it has not.'),
    attempts: listOf(WebhookAttempt, 'The latest twelve attempts, oldest first.'),
  },
);

const DeliveryParameters = parametersOf({
  state: choice([...deliveryStates], 'Only deliveries in this state.'),
  before: text('The `id` of the last delivery of the previous page.', 'msg_0a1b2c3d4e5f60718293a4b5c6d7e8f9', {
    pattern: '^msg_\\w{1,56}$',
    errorMessage: 'must be the "id" of the last delivery of the previous page',
  }),
  limit: count('Maximum number of deliveries.', undefined, { minimum: 1, maximum: 100, default: 25 }),
});

const ReplayParameters = parametersOf({
  cursor: text(
    'Events after this cursor are sent again, a `cursor` of a change or an event. Without it, all that are kept.',
    'MTItbWd4MWsyajAuMQ',
    { minLength: 1, maxLength: 200 },
  ),
});

const EndpointReply = replyOf('WebhookEndpointReply', WebhookEndpoint);
const CreatedReply = replyOf('CreatedWebhookEndpointReply', CreatedWebhookEndpoint);
const DeliveryReply = replyOf('WebhookDeliveryReply', WebhookDelivery);
const DeliveryList = replyOf('WebhookDeliveryList', Type.Array(WebhookDelivery));

const { list, create, one, remove } = resourceOperations({
  kind: 'webhook_endpoint',
  path: '/api/v1/webhook-endpoints',
  tag: 'Webhooks',
  credential: 'account',
  params: idOf('a webhook endpoint', 'The `id` of the endpoint.'),
  show,
});

/** Webhook endpoints, for programs with an API key, which needs the right to manage to make changes, and for people with a session. */
export const webhookEndpoints = [
  list({
    operationId: 'listWebhookEndpoints',
    summary: 'List webhook endpoints',
    description: 'Returns the endpoints of the account, oldest first.',
    reply: json('All endpoints.', limitedList('WebhookEndpointList', WebhookEndpoint, 'endpoints')),
    list: (api, accountId) => api.webhooks.list(accountId),
  }),
  create({
    operationId: 'createWebhookEndpoint',
    summary: 'Create a webhook endpoint',
    description:
      'Creates an endpoint that gets the events of your [monitors](/docs/monitors) from now on, signed by [Standard ' +
      'Webhooks](https://www.standardwebhooks.com). The secret is returned only once. See [webhooks](/docs/webhooks).',
    body: NewWebhookEndpoint,
    reply: json('The endpoint, with its secret.', CreatedReply),
    codes: ['webhooks_unavailable'],
    answer: async (_given, { api, account, body, idempotencyKey }) => ({
      data: show(await api.webhooks.create(account, body, idempotencyKey)),
    }),
  }),
  one({
    operationId: 'getWebhookEndpoint',
    summary: 'Retrieve a webhook endpoint',
    description: 'Returns one endpoint, without its secret.',
    reply: json('The endpoint.', EndpointReply),
    answer: async ({ id }, { api, account }) => ({ data: show(await api.webhooks.find(account.accountId, id)) }),
  }),
  one({
    method: 'PATCH',
    operationId: 'updateWebhookEndpoint',
    summary: 'Update a webhook endpoint',
    description:
      'Changes the address, the monitors or whether events are sent. Enabling an endpoint sends everything it has missed.',
    body: WebhookEndpointChange,
    reply: json('The endpoint.', EndpointReply),
    answer: async ({ id }, { api, account, body }) => ({
      data: show(await api.webhooks.update(account.accountId, id, body)),
    }),
  }),
  one({
    at: '/deliveries',
    operationId: 'listWebhookDeliveries',
    summary: 'List deliveries',
    description:
      'Returns the deliveries of an endpoint, the newest first, with their attempts. What was delivered is kept for 30 days.',
    querystring: DeliveryParameters,
    reply: json('One page of deliveries.', DeliveryList),
    async answer({ id, limit = 25, state, before }, { api, account }) {
      const found = await api.webhooks.listDeliveries(account.accountId, id, { limit, state, before });
      return { data: found.map(showDelivery) };
    },
  }),
  one({
    at: '/rotate',
    method: 'POST',
    operationId: 'rotateWebhookSecret',
    summary: 'Rotate the secret of a webhook endpoint',
    description:
      'Returns a new secret. For 24 hours, everything is signed with both, so that you can replace the old one without a gap.',
    reply: json('Accepted.', CreatedReply),
    status: 202,
    codes: ['webhooks_unavailable'],
    answer: async ({ id }, { api, account }) => ({ data: show(await api.webhooks.rotate(account.accountId, id)) }),
  }),
  one({
    at: '/test',
    method: 'POST',
    operationId: 'testWebhookEndpoint',
    summary: 'Send a test',
    description:
      'Sends an example of the type `webhook.test` once, without retries. It costs nothing. An endpoint gets at most five tests per minute, ' +
      'and a disabled one gets none.',
    reply: json('Accepted.', DeliveryReply),
    status: 202,
    codes: ['webhook_endpoint_disabled', 'webhooks_unavailable'],
    answer: async ({ id }, { api, account }) => ({
      data: showDelivery(await api.webhooks.sendTest(account.accountId, id)),
    }),
  }),
  one({
    at: '/replay',
    method: 'POST',
    operationId: 'replayWebhookEvents',
    summary: 'Send events again',
    description:
      'Sends all events after a cursor again, with the same `webhook-id`. Each event that was delivered costs one unit of quota again when it is ' +
      'sent. One that was sent and not delivered is charged already.',
    querystring: ReplayParameters,
    reply: json('Accepted.', EndpointReply),
    status: 202,
    answer: async ({ id, cursor }, { api, account }) => ({
      data: show(await api.webhooks.replay(account.accountId, id, cursor)),
    }),
  }),
  remove({
    operationId: 'deleteWebhookEndpoint',
    summary: 'Delete a webhook endpoint',
    description:
      'Deletes the endpoint and its deliveries. Nothing more is sent. Events that were sent stay charged, whatever the receiver ' +
      'answered.',
    remove: (api, accountId, id) => api.webhooks.remove(accountId, id),
  }),
];

type Endpoint = Awaited<ReturnType<Webhooks['find']>> & { readonly secret?: string };

function show({ accountId: _account, position: _position, previousEndsAt, ...endpoint }: Endpoint) {
  return {
    ...endpoint,
    enabled: endpoint.disabledReason === null,
    disabledAt: formatInstant(endpoint.disabledAt),
    previousSecretEndsAt: formatInstant(previousEndsAt),
    createdAt: formatInstant(endpoint.createdAt),
  };
}

function showDelivery({ id, type, state, payload, createdAt, nextAt, deliveredAt, attemptLog }: Delivery) {
  return {
    id,
    type,
    state,
    payload,
    createdAt: formatInstant(createdAt),
    nextAttemptAt: state === 'waiting' ? formatInstant(nextAt) : null,
    deliveredAt: formatInstant(deliveredAt),
    attempts: parseAttempts(attemptLog).map((attempt: Attempt) => ({
      ...attempt,
      at: formatInstant(attempt.at),
    })),
  };
}
