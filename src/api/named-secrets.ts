import Type, { type Static } from 'typebox';
import type { ListedSecret } from '../accounts/named-secrets.ts';
import { linkAddress } from '../base/site.ts';
import { MAX_NAME_LENGTH } from '../base/storable.ts';
import { address, bodyOf, component, flag, formatInstant, limitedList, orNull, replyOf, text, uuid } from './fields.ts';
import { resourceOperations } from './serving/account-operation.ts';
import { json } from './serving/answers.ts';

/** The name of a new API key or reconcile link, stored exactly as the client sends it. */
export const newName = (noun: string, example: string) =>
  text(
    `What the ${noun} is for: 1 to ${MAX_NAME_LENGTH} characters, counted as Unicode code points. It is stored as you send it, white space ` +
      'and line breaks included. U+0000 and unpaired surrogates cannot be stored and are rejected.',
    example,
    {
      minLength: 1,
      maxLength: MAX_NAME_LENGTH,
      errorMessage: {
        required: `is required: it must be a string of 1 to ${MAX_NAME_LENGTH} characters`,
        type: `must be a string of 1 to ${MAX_NAME_LENGTH} characters`,
      },
    },
  );

function secretFields(noun: string, prefix: string, example: string) {
  return {
    id: uuid(`Unique identifier of the ${noun}. Use it to revoke the ${noun}.`),
    name: text(`The name you gave the ${noun}.`, example, { minLength: 1, maxLength: MAX_NAME_LENGTH }),
    prefix: text(`First characters of the secret, to recognize the ${noun}.`, prefix),
    createdAt: Type.String({ format: 'date-time' }),
    lastUsedAt: orNull.instant(`Time of the last request with this ${noun}. \`null\` if it was never used.`),
    expiresAt: orNull.instant(
      `When the ${noun} stops working because it was rotated: another one replaces it. \`null\` if it was not.`,
    ),
  };
}

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

const mayManage = 'Whether the key may change monitors and webhook endpoints. Only programs that do so need it.';
export const NewApiKey = bodyOf('NewApiKey', {
  name: newName('key', 'production'),
  canManage: Type.Optional(flag(mayManage, undefined, { default: false })),
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

const NewReconcileLink = bodyOf('NewReconcileLink', { name: newName('link', 'supplier list') });

const own = { tag: 'Account', credential: 'session' } as const;
const revoked = (noun: string) => Type.Object({ id: uuid(`The \`id\` of the ${noun} to revoke.`) });

const keys = resourceOperations({
  ...own,
  kind: 'api_key',
  path: '/api/v1/api-keys',
  params: revoked('key'),
  show: describeKey,
});

const links = resourceOperations({
  ...own,
  kind: 'reconcile_link',
  path: '/api/v1/reconcile-links',
  params: revoked('link'),
  show: describeLink,
});

export const namedSecrets = [
  keys.list({
    operationId: 'listApiKeys',
    summary: 'List API keys',
    description: 'Returns the active keys of the account, oldest first. Secrets are not included.',
    reply: json('All active keys.', limitedList('ApiKeyList', ApiKey, 'keys')),
    list: (api, accountId) => api.apiKeys.list(accountId),
  }),
  keys.create({
    operationId: 'createApiKey',
    summary: 'Create an API key',
    description:
      'Creates a key and returns its secret. The secret is returned only once, because only its SHA-256 hash is stored. ' +
      'With an `Idempotency-Key`, a repeated request makes no second key, and names the first one. ' +
      'Use one key per application or environment.',
    body: NewApiKey,
    reply: json('The key, with its secret.', replyOf('CreatedApiKeyReply', CreatedApiKey)),
    async answer(_given, { api, account, body: { name, canManage }, idempotencyKey }) {
      const { secret, ...key } = await api.apiKeys.create(account.accountId, name, canManage, idempotencyKey);
      return { data: { ...describeKey(key), secret } };
    },
  }),
  links.list({
    operationId: 'listReconcileLinks',
    summary: 'List reconcile links',
    description: 'Returns the active links of the account, oldest first, without their addresses.',
    reply: json('All active links.', limitedList('ReconcileLinkList', ReconcileLink, 'links')),
    list: (api, accountId) => api.reconcileLinks.list(accountId),
  }),
  links.create({
    operationId: 'createReconcileLink',
    summary: 'Create a reconcile link',
    description:
      'Creates an address for programs that reconcile names with companies and cannot send an API key, such as ' +
      '[OpenRefine](/docs/openrefine). The address is returned only once, because only the hash of its secret part is stored. It can ' +
      'be used for reconciliation only, has a rate limit of its own, and draws on the quota of the account. With an ' +
      '`Idempotency-Key`, a repeated request makes no second link, and names the first one.',
    body: NewReconcileLink,
    reply: json('The link, with its address.', replyOf('CreatedReconcileLinkReply', CreatedReconcileLink)),
    async answer(_given, { api, account, body: { name }, idempotencyKey }) {
      const { secret, ...link } = await api.reconcileLinks.create(account.accountId, name, false, idempotencyKey);
      return { data: { ...describeLink(link), url: linkAddress(api.publicUrl(), secret) } };
    },
  }),
];

export const revocations = [
  keys.remove({
    operationId: 'revokeApiKey',
    summary: 'Revoke an API key',
    description: 'Revokes the key. From then on, every server rejects requests with it with `invalid_api_key`.',
    done: 'Revoked.',
    remove: (api, accountId, id) => api.apiKeys.revoke(accountId, id),
  }),
  links.remove({
    operationId: 'revokeReconcileLink',
    summary: 'Revoke a reconcile link',
    description: 'Revokes the link. From then on, every server rejects requests with it with `invalid_reconcile_link`.',
    done: 'Revoked.',
    remove: (api, accountId, id) => api.reconcileLinks.revoke(accountId, id),
  }),
];

type Shown = Omit<ListedSecret, 'lastUsedAt'> & Partial<Pick<ListedSecret, 'lastUsedAt'>>;

function describeLink({ id, name, prefix, createdAt, lastUsedAt, expiresAt }: Shown) {
  return {
    id,
    name,
    prefix,
    createdAt: formatInstant(createdAt),
    lastUsedAt: formatInstant(lastUsedAt ?? null),
    expiresAt: formatInstant(expiresAt),
  };
}

export function describeKey(key: Shown): ApiKey {
  return { ...describeLink(key), canManage: key.canManage === 1 };
}
