import Type from 'typebox';
import type { AppServices } from '../app-services.ts';
import type { App } from '../app-type.ts';
import { ApiKey, CreatedApiKey, listOf, NewApiKey } from '../schemas/account.ts';
import type { RequireSession } from '../session.ts';
import { registerNamedSecrets, type SecretResource } from './named-secrets.ts';

const resource: SecretResource = {
  path: '/api/v1/api-keys',
  noun: 'key',
  list: {
    operationId: 'listApiKeys',
    summary: 'List API keys',
    description: 'Returns the active keys of the account, oldest first. Secrets are not included.',
    schema: listOf(ApiKey, 'ApiKeyList', 'keys'),
  },
  create: {
    operationId: 'createApiKey',
    summary: 'Create an API key',
    description:
      'Creates a key and returns its secret. The secret is returned only once, because only its SHA-256 hash is stored. ' +
      'With an `Idempotency-Key`, a repeated request makes no second key, and names the first one. ' +
      'Use one key per application or environment.',
    body: NewApiKey,
    reply: Type.Object({ data: CreatedApiKey }, { $id: 'CreatedApiKeyReply' }),
    result: 'The key, with its secret.',
  },
  revoke: {
    operationId: 'revokeApiKey',
    summary: 'Revoke an API key',
    description: 'Revokes the key. From then on, every server rejects requests with it with `invalid_api_key`.',
  },
  codes: { create: ['api_key_limit_reached'], revoke: 'api_key_not_found' },
  describeSecret: (secret) => ({ secret }),
};

export function registerApiKeys(app: App, { apiKeys }: AppServices, requireSession: RequireSession): void {
  registerNamedSecrets(app, apiKeys, resource, requireSession);
}
