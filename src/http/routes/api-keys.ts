import Type from 'typebox';
import type { ApiKeys, ListedKey } from '../../accounts/api-keys.ts';
import { answers, bare, json } from '../answers.ts';
import type { App } from '../app-type.ts';
import { IdempotencyHeaders, markReplay, readIdempotencyKey } from '../idempotency-key.ts';
import { ApiKey, CreatedApiKey, NewApiKey } from '../schemas/account.ts';
import { type RequireSession, sessionCodes, signedInOf } from '../session.ts';
import { takeAnyBody } from '../transport/any-body.ts';

const ApiKeyList = Type.Object(
  {
    data: Type.Array(ApiKey),
    meta: Type.Object({
      count: Type.Integer({ minimum: 0, description: 'Number of active keys.', examples: [1] }),
      limit: Type.Integer({ minimum: 0, description: 'Maximum number of active keys of the plan.', examples: [5] }),
    }),
  },
  { $id: 'ApiKeyList' },
);

export interface ApiKeyServices {
  readonly apiKeys: Pick<ApiKeys, 'createOnce' | 'list' | 'revoke'>;
}

export function registerApiKeys(app: App, { apiKeys }: ApiKeyServices, requireSession: RequireSession): void {
  app.get(
    '/api/v1/api-keys',
    {
      config: {
        operation: {
          operationId: 'listApiKeys',
          tag: 'Account',
          summary: 'List API keys',
          description: 'Returns the active keys of the account, oldest first. Secrets are not included.',
          authentication: 'session',
        },
      },
      onRequest: requireSession,
      schema: { response: answers({ 200: json('All active keys.', ApiKeyList) }, ...sessionCodes) },
    },
    async (request) => {
      const { account } = signedInOf(request);
      const data = (await apiKeys.list(account.accountId)).map(describeKey);
      return { data, meta: { count: data.length, limit: account.plan.maxApiKeys } };
    },
  );

  app.post(
    '/api/v1/api-keys',
    {
      config: {
        operation: {
          operationId: 'createApiKey',
          tag: 'Account',
          summary: 'Create an API key',
          description:
            'Creates a key and returns its secret. The secret is returned only once, because only its SHA-256 hash is stored. ' +
            'With an `Idempotency-Key`, you can repeat the request if its reply was lost. ' +
            'Use one key per application or environment.',
          authentication: 'session',
        },
      },
      onRequest: requireSession,
      schema: {
        headers: IdempotencyHeaders,
        body: NewApiKey,
        response: answers(
          {
            201: json(
              'The key, with its secret.',
              Type.Object({ data: CreatedApiKey }, { $id: 'CreatedApiKeyReply' }),
              ['Idempotent-Replayed'],
            ),
          },
          ...sessionCodes,
          'csrf_rejected',
          'api_key_limit_reached',
          'api_key_revoked',
          'idempotency_key_reused',
          'payload_too_large',
          'unsupported_media_type',
        ),
      },
    },
    async (request, reply) => {
      const { accountId } = signedInOf(request).account;
      const outcome = await apiKeys.createOnce(accountId, request.body.name, readIdempotencyKey(request.raw));
      const { secret, ...key } = markReplay(reply, outcome);
      return reply.code(201).send({ data: { ...describeKey({ ...key, lastUsedAt: undefined }), secret } });
    },
  );

  app.register(async (scope: App) => {
    // This route ignores the body, whatever its type.
    takeAnyBody(scope, () => undefined);
    scope.delete(
      '/api/v1/api-keys/:id',
      {
        config: {
          operation: {
            operationId: 'revokeApiKey',
            tag: 'Account',
            summary: 'Revoke an API key',
            description: 'Revokes the key. From then on, every server rejects requests with it with `invalid_api_key`.',
            authentication: 'session',
          },
        },
        onRequest: requireSession,
        schema: {
          params: KeyParameters,
          response: answers(
            { 204: bare('Revoked.') },
            ...sessionCodes,
            'csrf_rejected',
            'api_key_not_found',
            'payload_too_large',
          ),
        },
      },
      async (request, reply) => {
        await apiKeys.revoke(signedInOf(request).account.accountId, request.params.id.toLowerCase());
        return reply.code(204).send();
      },
    );
  });
}

const KeyParameters = Type.Object({
  id: Type.String({ format: 'uuid', description: 'The `id` of the key to revoke.' }),
});

/** A key as the API shows it. */
export function describeKey({ id, name, prefix, createdAt, lastUsedAt }: ListedKey): ApiKey {
  return {
    id,
    name,
    prefix,
    createdAt: new Date(createdAt).toISOString(),
    lastUsedAt: lastUsedAt === undefined ? null : new Date(lastUsedAt).toISOString(),
  };
}
