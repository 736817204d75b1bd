import Type, { type Static, type TProperties, type TSchema } from 'typebox';
import type { ListedSecret } from '../accounts/named-secrets.ts';
import type { ErrorCode } from '../base/errors.ts';
import { linkAddress } from '../base/requests/reconcile-path.ts';
import { MAX_NAME_LENGTH } from '../base/storable.ts';
import { address, component, flag, instant, listOf, nullable, text, uuid } from './fields.ts';
import { accountOperation } from './serving/account-operation.ts';
import { bare, json } from './serving/answers.ts';
import type { Api, Row } from './serving/operation.ts';

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
type NewSecret = typeof NewApiKey | typeof NewReconcileLink;

const apiKeyFields = {
  ...secretFields('key', 'frm_live_4fG7xQ', 'production'),
  canManage: flag('Whether the key may change monitors and webhook endpoints. Every key can read them.'),
};

export const ApiKey = component('ApiKey', 'An active API key. The secret is not included.', apiKeyFields);
type ApiKey = Static<typeof ApiKey>;

const CreatedApiKey = component('CreatedApiKey', 'A new API key, including its secret.', {
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

const ReconcileLink = component(
  'ReconcileLink',
  'An active reconcile link. Its address is not included.',
  reconcileLinkFields,
);

const CreatedReconcileLink = component('CreatedReconcileLink', 'A new reconcile link, including its address.', {
  ...reconcileLinkFields,
  url: address(
    'The address to add to OpenRefine as a standard service. Store it now: it is never shown again.',
    'https://api.example.com/api/v1/reconcile/l/frl_live_7hQ2mZ',
  ),
});

const NewReconcileLink = newSecret('link', 'supplier list', 'NewReconcileLink', {});

type Texts = Required<Pick<Row, 'operationId' | 'summary' | 'description'>>;

/** What users create, list and revoke under one path: API keys, or reconcile links. */
interface SecretKind {
  readonly path: string;
  readonly service: 'apiKeys' | 'reconcileLinks';
  /** As in "All active keys." */
  readonly noun: string;
  readonly list: Texts & { readonly schema: TSchema };
  readonly create: Texts & { readonly body: NewSecret; readonly reply: TSchema; readonly result: string };
  readonly revoke: Texts;
  readonly codes: { readonly limit: ErrorCode; readonly unknown: ErrorCode };
  show(listed: ListedSecret): object;
  /** How a new secret is shown. */
  describeSecret(secret: string, api: Api): Readonly<Record<string, string>>;
}

const API_KEYS: SecretKind = {
  path: '/api/v1/api-keys',
  service: 'apiKeys',
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
  codes: { limit: 'api_key_limit_reached', unknown: 'api_key_not_found' },
  show: describeKey,
  describeSecret: (secret) => ({ secret }),
};

const RECONCILE_LINKS: SecretKind = {
  path: '/api/v1/reconcile-links',
  service: 'reconcileLinks',
  noun: 'link',
  list: {
    operationId: 'listReconcileLinks',
    summary: 'List reconcile links',
    description: 'Returns the active links of the account, oldest first, without their addresses.',
    schema: listOf(ReconcileLink, 'ReconcileLinkList', 'links'),
  },
  create: {
    operationId: 'createReconcileLink',
    summary: 'Create a reconcile link',
    description:
      'Creates an address for programs that reconcile names with companies and cannot send an API key, such as ' +
      '[OpenRefine](/docs/openrefine). The address is returned only once, because only the hash of its secret part is stored. It can ' +
      'be used for reconciliation only, has a rate limit of its own, and draws on the quota of the account. With an ' +
      '`Idempotency-Key`, a repeated request makes no second link, and names the first one.',
    body: NewReconcileLink,
    reply: Type.Object({ data: CreatedReconcileLink }, { $id: 'CreatedReconcileLinkReply' }),
    result: 'The link, with its address.',
  },
  revoke: {
    operationId: 'revokeReconcileLink',
    summary: 'Revoke a reconcile link',
    description: 'Revokes the link. From then on, every server rejects requests with it with `invalid_reconcile_link`.',
  },
  codes: { limit: 'reconcile_link_limit_reached', unknown: 'reconcile_link_not_found' },
  show(listed) {
    const { canManage: _, ...link } = describeKey(listed);
    return link;
  },
  describeSecret: (secret, { publicUrl }) => ({ url: linkAddress(publicUrl(), secret) }),
};

const own = { tag: 'Account', credential: 'session' } as const;

export const namedSecrets = [API_KEYS, RECONCILE_LINKS].flatMap((kind) => [listSecrets(kind), createSecret(kind)]);
export const revocations = [API_KEYS, RECONCILE_LINKS].map(revokeSecret);

function listSecrets({ path, service, noun, list: { schema, ...texts }, show }: SecretKind): Row {
  return accountOperation({
    ...own,
    ...texts,
    url: path,
    replies: { 200: json(`All active ${noun}s.`, schema) },
    async answer(_given, { api, account }) {
      const data = (await api[service].list(account.accountId)).map(show);
      return { data, meta: { count: data.length, limit: account.plan.maxApiKeys } };
    },
  });
}

function createSecret({ path, service, create, codes, show, describeSecret }: SecretKind): Row {
  const { reply, result, ...described } = create;
  return accountOperation({
    ...own,
    ...described,
    method: 'POST',
    url: path,
    isRepeatable: true,
    replies: { 201: json(result, reply) },
    codes: [codes.limit],
    async answer(_given, { api, account, body, idempotencyKey }) {
      const { name, canManage } = body as Static<typeof NewApiKey>;
      const { secret, ...key } = await api[service].create(account.accountId, name, canManage, idempotencyKey());
      return { data: { ...show({ ...key, lastUsedAt: undefined }), ...describeSecret(secret, api) } };
    },
  });
}

function revokeSecret({ path, service, noun, revoke, codes }: SecretKind): Row {
  return accountOperation({
    ...own,
    ...revoke,
    method: 'DELETE',
    url: `${path}/:id`,
    params: Type.Object({ id: uuid(`The \`id\` of the ${noun} to revoke.`) }),
    replies: { 204: bare('Revoked.') },
    codes: [codes.unknown],
    answer({ id }, { api, account }) {
      return api[service].revoke(account.accountId, id.toLowerCase());
    },
  });
}

/** A key as the API shows it. */
export function describeKey({ id, name, prefix, createdAt, lastUsedAt, expiresAt, canManage }: ListedSecret): ApiKey {
  return {
    id,
    name,
    prefix,
    createdAt: new Date(createdAt).toISOString(),
    lastUsedAt: lastUsedAt === undefined ? null : new Date(lastUsedAt).toISOString(),
    expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    canManage: canManage === 1,
  };
}
