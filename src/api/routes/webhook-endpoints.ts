import Type, { type Static } from 'typebox';
import type { ErrorCode } from '../../base/errors.ts';
import type { Site } from '../../base/site.ts';
import type { Routes } from '../../http/app.ts';
import { IGNORED_BODIES } from '../../http/bodies.ts';
import type { HttpReply } from '../../http/reply.ts';
import type { HttpRequest } from '../../http/request.ts';
import { type Attempt, parseAttempts } from '../../watch/webhooks/delivery/exchange.ts';
import type { WebhookDelivery as Delivery } from '../../watch/webhooks/endpoints.ts';
import type { Webhooks } from '../../watch/webhooks/webhooks.ts';
import { bodyCodes, changeCodes, createAccountAccess, describeAccountRoute } from '../account-access.ts';
import { listOf } from '../schemas/account.ts';
import {
  CreatedWebhookEndpoint,
  DeliveryParameters,
  NewWebhookEndpoint,
  ReplayParameters,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEndpointChange,
} from '../schemas/webhooks.ts';
import { bare, json } from '../serving/answers.ts';
import type { Charging } from '../serving/charge.ts';
import { IdempotencyHeaders, readIdempotencyKey } from '../serving/idempotency-key.ts';
import type { RequireSession } from '../serving/session.ts';

type Endpoint = Awaited<ReturnType<Webhooks['find']>> & { readonly secret?: string };

interface WebhookEndpointServices {
  readonly site: Site;
  readonly webhooks: Pick<
    Webhooks,
    'create' | 'list' | 'find' | 'update' | 'rotate' | 'remove' | 'listDeliveries' | 'replay' | 'sendTest'
  >;
}

const PATH = '/api/v1/webhook-endpoints';
const Id = Type.Object({
  id: Type.String({
    format: 'uuid',
    errorMessage: 'must be a UUID: use the "id" of a webhook endpoint, 36 characters including hyphens',
    description: 'The `id` of the endpoint.',
  }),
});
const EndpointReply = Type.Object({ data: WebhookEndpoint }, { $id: 'WebhookEndpointReply' });
const CreatedReply = Type.Object({ data: CreatedWebhookEndpoint }, { $id: 'CreatedWebhookEndpointReply' });
const DeliveryReply = Type.Object({ data: WebhookDelivery }, { $id: 'WebhookDeliveryReply' });
const DeliveryList = Type.Object({ data: Type.Array(WebhookDelivery) }, { $id: 'WebhookDeliveryList' });
const EndpointList = listOf(WebhookEndpoint, 'WebhookEndpointList', 'endpoints');

const NOT_FOUND = 'webhook_endpoint_not_found';
const CHANGES: readonly ErrorCode[] = [...changeCodes, NOT_FOUND];

/** Webhook endpoints, for programs with an API key, which needs the right to manage for changes, and for people with a session. */
export function registerWebhookEndpoints(
  app: Routes,
  { webhooks, site }: WebhookEndpointServices,
  charging: Charging,
  requireSession: RequireSession,
): void {
  const access = createAccountAccess(charging, site, requireSession);
  const scope = app.scope(access.options);
  const describe = describeAccountRoute;

  scope.get(
    PATH,
    (request, reply) =>
      access.perform(request, reply, async ({ accountId, plan }) => {
        const data = (await webhooks.list(accountId)).map(show);
        return { data, meta: { count: data.length, limit: plan.maxApiKeys } };
      }),
    describe(LIST, { 200: json('All endpoints.', EndpointList) }, []),
  );

  scope.post<{ Body: Static<typeof NewWebhookEndpoint> }>(
    PATH,
    async (request, reply) => {
      const created = await access.change(request, reply, (account) =>
        webhooks.create(account, request.body, readIdempotencyKey(request.raw)),
      );
      return reply.code(201).send({ data: show(created) });
    },
    describe(
      CREATE,
      { 201: json('The endpoint, with its secret.', CreatedReply) },
      [...bodyCodes, 'webhook_endpoint_limit_reached', 'idempotency_key_reused', 'webhooks_unavailable'],
      { headers: IdempotencyHeaders, body: NewWebhookEndpoint },
    ),
  );

  scope.get(
    `${PATH}/:id`,
    (request, reply) =>
      access.perform(request, reply, async ({ accountId }) => ({
        data: show(await webhooks.find(accountId, idOf(request))),
      })),
    describe(FIND, { 200: json('The endpoint.', EndpointReply) }, [NOT_FOUND], { params: Id }),
  );

  scope.route({
    method: 'PATCH',
    url: `${PATH}/:id`,
    ...describe(UPDATE, { 200: json('The endpoint.', EndpointReply) }, [...bodyCodes, NOT_FOUND], {
      params: Id,
      body: WebhookEndpointChange,
    }),
    handler: (request, reply) =>
      access.change(request, reply, async ({ accountId }) => {
        const body = request.body as Static<typeof WebhookEndpointChange>;
        return { data: show(await webhooks.update(accountId, idOf(request), body)) };
      }),
  });

  scope.get<{ Querystring: Static<typeof DeliveryParameters> }>(
    `${PATH}/:id/deliveries`,
    (request, reply) =>
      access.perform(request, reply, async ({ accountId }) => {
        const { limit = 25, state, before } = request.query;
        const found = await webhooks.listDeliveries(accountId, idOf(request), { limit, state, before });
        return { data: found.map(showDelivery) };
      }),
    describe(DELIVERIES, { 200: json('One page of deliveries.', DeliveryList) }, [NOT_FOUND], {
      params: Id,
      querystring: DeliveryParameters,
    }),
  );

  const withoutBody = scope.scope({ bodies: IGNORED_BODIES });
  const accept = async (request: HttpRequest, reply: HttpReply, work: (accountId: string) => Promise<object>) =>
    reply.code(202).send({ data: await access.change(request, reply, ({ accountId }) => work(accountId)) });

  withoutBody.post(
    `${PATH}/:id/rotate`,
    (request, reply) =>
      accept(request, reply, async (accountId) => show(await webhooks.rotate(accountId, idOf(request)))),
    describe(ROTATE, { 202: json('Accepted.', CreatedReply) }, [...CHANGES, 'webhooks_unavailable'], { params: Id }),
  );
  withoutBody.post(
    `${PATH}/:id/test`,
    (request, reply) =>
      accept(request, reply, async (accountId) => showDelivery(await webhooks.sendTest(accountId, idOf(request)))),
    describe(
      TEST,
      { 202: json('Accepted.', DeliveryReply) },
      [...CHANGES, 'webhook_endpoint_disabled', 'webhooks_unavailable'],
      { params: Id },
    ),
  );
  withoutBody.post<{ Querystring: Static<typeof ReplayParameters> }>(
    `${PATH}/:id/replay`,
    (request, reply) =>
      accept(request, reply, async (accountId) =>
        show(await webhooks.replay(accountId, idOf(request), request.query.cursor)),
      ),
    describe(REPLAY, { 202: json('Accepted.', EndpointReply) }, CHANGES, {
      params: Id,
      querystring: ReplayParameters,
    }),
  );
  withoutBody.route({
    method: 'DELETE',
    url: `${PATH}/:id`,
    ...describe(DELETE, { 204: bare('Deleted.') }, CHANGES, { params: Id }),
    async handler(request, reply) {
      await access.change(request, reply, ({ accountId }) => webhooks.remove(accountId, idOf(request)));
      return reply.code(204).send();
    },
  });
}

function idOf({ params }: HttpRequest): string {
  return (params as { readonly id: string }).id.toLowerCase();
}

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

const text = (operationId: string, summary: string, description: string) =>
  ({ tag: 'Webhooks', operationId, summary, description }) as const;

const LIST = text(
  'listWebhookEndpoints',
  'List webhook endpoints',
  'Returns the endpoints of the account, oldest first.',
);
const CREATE = text(
  'createWebhookEndpoint',
  'Create a webhook endpoint',
  'Creates an endpoint that gets the events of your [monitors](/docs/monitors) from now on, signed by [Standard ' +
    'Webhooks](https://www.standardwebhooks.com). The secret is returned only once. See [webhooks](/docs/webhooks).',
);
const FIND = text('getWebhookEndpoint', 'Retrieve a webhook endpoint', 'Returns one endpoint, without its secret.');
const UPDATE = text(
  'updateWebhookEndpoint',
  'Update a webhook endpoint',
  'Changes the address, the monitors or whether events are sent. Enabling an endpoint sends everything it has missed.',
);
const DELIVERIES = text(
  'listWebhookDeliveries',
  'List deliveries',
  'Returns the deliveries of an endpoint, the newest first, with their attempts. What was delivered is kept for 30 days.',
);
const ROTATE = text(
  'rotateWebhookSecret',
  'Rotate the secret of a webhook endpoint',
  'Returns a new secret. For 24 hours, everything is signed with both, so that you can replace the old one without a gap.',
);
const TEST = text(
  'testWebhookEndpoint',
  'Send a test',
  'Sends an example of the type `webhook.test` once, without retries. It costs nothing. An endpoint gets at most five tests per minute, ' +
    'and a disabled one gets none.',
);
const REPLAY = text(
  'replayWebhookEvents',
  'Send events again',
  'Sends all events after a cursor again, with the same `webhook-id`. Each event that was delivered costs one unit of quota again when it is ' +
    'sent. One that was sent and not delivered is charged already.',
);
const DELETE = text(
  'deleteWebhookEndpoint',
  'Delete a webhook endpoint',
  'Deletes the endpoint and its deliveries. Nothing more is sent. Events that were sent stay charged, whatever the receiver ' +
    'answered.',
);
