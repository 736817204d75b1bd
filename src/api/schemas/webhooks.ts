import Type from 'typebox';
import { plans } from '../../base/plans.ts';
import { deliveryStates, disabledReasons } from '../../watch/webhooks/states.ts';
import { nullable } from '../fields.ts';

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

export const WebhookEndpoint = Type.Object(endpointFields, {
  $id: 'WebhookEndpoint',
  description: 'Where the events of monitors are sent to. The secret is not included.',
});

export const CreatedWebhookEndpoint = Type.Object(
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

export const WebhookEndpointChange = Type.Object(
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

export const WebhookDelivery = Type.Object(
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

export const DeliveryParameters = Type.Object(
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

export const ReplayParameters = Type.Object(
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
