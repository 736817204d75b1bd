import Type, { type TSchema } from 'typebox';
import type { ErrorCode } from '../../core/errors.ts';
import { type Attempt, readAttempts } from '../../webhooks/delivery/record.ts';
import type { WebhookDelivery as Delivery } from '../../webhooks/endpoints.ts';
import type { Webhooks } from '../../webhooks/webhooks.ts';
import { answers, bare, json } from '../answers.ts';
import type { App } from '../app-type.ts';
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
import { type RequireSession, sessionCodes, signedInOf } from '../session.ts';
import { takeAnyBody } from '../transport/any-body.ts';

type Endpoint = Awaited<ReturnType<Webhooks['find']>> & { readonly secret?: string };

interface WebhookEndpointServices {
  readonly webhooks: Pick<
    Webhooks,
    'create' | 'list' | 'find' | 'update' | 'rotate' | 'remove' | 'listDeliveries' | 'replay' | 'sendTest'
  >;
}

const PATH = '/api/v1/webhook-endpoints';
const Id = Type.Object({ id: Type.String({ format: 'uuid', description: 'The `id` of the endpoint.' }) });
const EndpointReply = Type.Object({ data: WebhookEndpoint }, { $id: 'WebhookEndpointReply' });
const CreatedReply = Type.Object({ data: CreatedWebhookEndpoint }, { $id: 'CreatedWebhookEndpointReply' });
const DeliveryReply = Type.Object({ data: WebhookDelivery }, { $id: 'WebhookDeliveryReply' });
const DeliveryList = Type.Object({ data: Type.Array(WebhookDelivery) }, { $id: 'WebhookDeliveryList' });

const operation = (operationId: string, summary: string, description: string) => ({
  operation: { operationId, tag: 'Webhooks', summary, description, authentication: 'session' } as const,
});
const NOT_FOUND = 'webhook_endpoint_not_found';
const CHANGES: readonly ErrorCode[] = ['csrf_rejected', 'payload_too_large'];
const ok = (text: string, schema: TSchema) => ({ 200: json(text, schema) });

export function registerWebhookEndpoints(
  app: App,
  { webhooks }: WebhookEndpointServices,
  requireSession: RequireSession,
): void {
  app.get(
    PATH,
    {
      config: operation(
        'listWebhookEndpoints',
        'List webhook endpoints',
        'Returns the endpoints of the account, oldest first.',
      ),
      onRequest: requireSession,
      schema: {
        response: answers(
          ok('All endpoints.', listOf(WebhookEndpoint, 'WebhookEndpointList', 'endpoints')),
          ...sessionCodes,
        ),
      },
    },
    async (request) => {
      const { account } = signedInOf(request);
      const data = (await webhooks.list(account.accountId)).map(describe);
      return { data, meta: { count: data.length, limit: account.plan.maxApiKeys } };
    },
  );

  app.post(
    PATH,
    {
      config: operation(
        'createWebhookEndpoint',
        'Create a webhook endpoint',
        'Creates an endpoint that gets the events of your [monitors](/docs/monitors) from now on, signed by [Standard ' +
          'Webhooks](https://www.standardwebhooks.com). The secret is returned only once. See [webhooks](/docs/webhooks).',
      ),
      onRequest: requireSession,
      schema: {
        body: NewWebhookEndpoint,
        response: answers(
          { 201: json('The endpoint, with its secret.', CreatedReply) },
          ...sessionCodes,
          ...CHANGES,
          'webhook_endpoint_limit_reached',
          'webhooks_unavailable',
          'unsupported_media_type',
        ),
      },
    },
    async (request, reply) => {
      const created = await webhooks.create(signedInOf(request).account, request.body);
      return reply.code(201).send({ data: describe(created) });
    },
  );

  app.get(
    `${PATH}/:id`,
    {
      config: operation(
        'getWebhookEndpoint',
        'Retrieve a webhook endpoint',
        'Returns one endpoint, without its secret.',
      ),
      onRequest: requireSession,
      schema: { params: Id, response: answers(ok('The endpoint.', EndpointReply), ...sessionCodes, NOT_FOUND) },
    },
    async (request) => ({ data: describe(await webhooks.find(...own(request))) }),
  );

  app.patch(
    `${PATH}/:id`,
    {
      config: operation(
        'updateWebhookEndpoint',
        'Update a webhook endpoint',
        'Changes the address, the monitors or whether events are sent. Enabling an endpoint sends everything it has missed.',
      ),
      onRequest: requireSession,
      schema: {
        params: Id,
        body: WebhookEndpointChange,
        response: answers(
          ok('The endpoint.', EndpointReply),
          ...sessionCodes,
          ...CHANGES,
          NOT_FOUND,
          'unsupported_media_type',
        ),
      },
    },
    async (request) => ({ data: describe(await webhooks.update(...own(request), request.body)) }),
  );

  app.get(
    `${PATH}/:id/deliveries`,
    {
      config: operation(
        'listWebhookDeliveries',
        'List deliveries',
        'Returns the deliveries of an endpoint, the newest first, with their attempts. What was delivered is kept for 30 days.',
      ),
      onRequest: requireSession,
      schema: {
        params: Id,
        querystring: DeliveryParameters,
        response: answers(ok('One page of deliveries.', DeliveryList), ...sessionCodes, NOT_FOUND),
      },
    },
    async (request) => {
      const { limit = 25, state, before } = request.query;
      const found = await webhooks.listDeliveries(...own(request), { limit, state, before });
      return { data: found.map(describeDelivery) };
    },
  );

  app.register(async (scope: App) => {
    // These routes ignore the body, whatever its type.
    takeAnyBody(scope, () => undefined);
    const post = (
      path: string,
      texts: ReturnType<typeof operation>,
      replies: TSchema,
      more: readonly ErrorCode[] = [],
    ) => ({
      url: `${PATH}/:id/${path}`,
      options: {
        config: texts,
        onRequest: requireSession,
        schema: {
          params: Id,
          response: answers({ 202: json('Accepted.', replies) }, ...sessionCodes, ...CHANGES, NOT_FOUND, ...more),
        },
      },
    });
    const rotate = post(
      'rotate',
      operation(
        'rotateWebhookSecret',
        'Rotate the secret of a webhook endpoint',
        'Returns a new secret. For 24 hours, everything is signed with both, so that you can replace the old one without a gap.',
      ),
      CreatedReply,
      ['webhooks_unavailable'],
    );
    scope.post(rotate.url, rotate.options, async (request, reply) =>
      reply.code(202).send({ data: describe(await webhooks.rotate(...own(request))) }),
    );
    const test = post(
      'test',
      operation('testWebhookEndpoint', 'Send a test', 'Sends an example of the type `webhook.test`. It costs nothing.'),
      DeliveryReply,
      ['webhooks_unavailable'],
    );
    scope.post(test.url, test.options, async (request, reply) =>
      reply.code(202).send({ data: describeDelivery(await webhooks.sendTest(...own(request))) }),
    );
    const replay = post(
      'replay',
      operation(
        'replayWebhookEvents',
        'Send events again',
        'Sends all events after a cursor again, with the same `webhook-id`. Each costs one unit of quota when it is delivered.',
      ),
      EndpointReply,
    );
    const schema = { ...replay.options.schema, querystring: ReplayParameters };
    scope.post(replay.url, { ...replay.options, schema }, async (request, reply) =>
      reply.code(202).send({ data: describe(await webhooks.replay(...own(request), request.query.cursor)) }),
    );
    scope.delete(
      `${PATH}/:id`,
      {
        config: operation(
          'deleteWebhookEndpoint',
          'Delete a webhook endpoint',
          'Deletes the endpoint and its deliveries.',
        ),
        onRequest: requireSession,
        schema: { params: Id, response: answers({ 204: bare('Deleted.') }, ...sessionCodes, ...CHANGES, NOT_FOUND) },
      },
      async (request, reply) => {
        await webhooks.remove(...own(request));
        return reply.code(204).send();
      },
    );
  });
}

function own(
  request: Parameters<typeof signedInOf>[0] & { readonly params: { readonly id: string } },
): [string, string] {
  return [signedInOf(request).account.accountId, request.params.id.toLowerCase()];
}

const toTime = (instant: number | null) => (instant === null ? null : new Date(instant).toISOString());

function describe({ accountId: _account, position: _position, previousEndsAt, ...endpoint }: Endpoint) {
  return {
    ...endpoint,
    monitorIds: endpoint.monitorIds === null ? null : [...endpoint.monitorIds],
    enabled: endpoint.disabledReason === null,
    disabledAt: toTime(endpoint.disabledAt),
    previousSecretEndsAt: toTime(previousEndsAt),
    createdAt: new Date(endpoint.createdAt).toISOString(),
  };
}

function describeDelivery({ id, type, state, payload, createdAt, nextAt, deliveredAt, attemptLog }: Delivery) {
  return {
    id,
    type,
    state,
    payload,
    createdAt: new Date(createdAt).toISOString(),
    nextAttemptAt: state === 'waiting' ? toTime(nextAt) : null,
    deliveredAt: toTime(deliveredAt),
    attempts: readAttempts(attemptLog).map((attempt: Attempt) => ({
      ...attempt,
      at: new Date(attempt.at).toISOString(),
    })),
  };
}
