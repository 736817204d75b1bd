import Type, { type Static, type TSchema } from 'typebox';
import type { ListedSecret, NamedSecrets } from '../../accounts/named-secrets.ts';
import type { ErrorCode } from '../../base/errors.ts';
import { linkAddress } from '../../base/requests/reconcile-path.ts';
import type { Routes } from '../../http/app.ts';
import { IGNORED_BODIES } from '../../http/bodies.ts';
import type { Operation } from '../../http/route.ts';
import type { AppServices } from '../app-services.ts';
import {
  ApiKey,
  CreatedApiKey,
  CreatedReconcileLink,
  listOf,
  NewApiKey,
  NewReconcileLink,
  type NewSecret,
  ReconcileLink,
} from '../schemas/account.ts';
import { answers, bare, json } from '../serving/answers.ts';
import { IdempotencyHeaders, readIdempotencyKey } from '../serving/idempotency-key.ts';
import { sessionCodes, signedInOf } from '../serving/session.ts';

type Texts = Required<Pick<Operation, 'operationId' | 'summary' | 'description'>>;

/** What users create, list and revoke under one path: API keys, or reconcile links. */
interface SecretResource {
  readonly path: string;
  /** As in "All active keys." */
  readonly noun: string;
  readonly list: Texts & { readonly schema: TSchema };
  readonly create: Texts & { readonly body: NewSecret; readonly reply: TSchema; readonly result: string };
  readonly revoke: Texts;
  readonly codes: { readonly create: readonly ErrorCode[]; readonly revoke: ErrorCode };
  show(listed: ListedSecret): object;
  /** How a new secret is shown. */
  describeSecret(secret: string): Readonly<Record<string, string>>;
}

const API_KEYS: SecretResource = {
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
  show: describeKey,
  describeSecret: (secret) => ({ secret }),
};

const RECONCILE_LINKS: Omit<SecretResource, 'describeSecret'> = {
  path: '/api/v1/reconcile-links',
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
  codes: { create: ['reconcile_link_limit_reached'], revoke: 'reconcile_link_not_found' },
  show(listed) {
    const { canManage: _, ...link } = describeKey(listed);
    return link;
  },
};

type Secrets = Pick<NamedSecrets, 'create' | 'list' | 'revoke'>;

function listKinds({ apiKeys, reconcileLinks, publicUrl }: AppServices): readonly [Secrets, SecretResource][] {
  return [
    [apiKeys, API_KEYS],
    [reconcileLinks, { ...RECONCILE_LINKS, describeSecret: (secret) => ({ url: linkAddress(publicUrl(), secret) }) }],
  ];
}

export function registerNamedSecrets(app: Routes, services: AppServices): void {
  for (const [secrets, resource] of listKinds(services)) registerCreation(app, secrets, resource);
}

export function registerRevocations(app: Routes, services: AppServices): void {
  for (const [secrets, resource] of listKinds(services)) registerRevocation(app, secrets, resource);
}

function registerCreation(
  app: Routes,
  secrets: Secrets,
  { path, noun, list, create, codes, show, describeSecret }: SecretResource,
): void {
  app.route({
    method: 'GET',
    url: path,
    operation: describe(list),
    schema: { response: answers({ 200: json(`All active ${noun}s.`, list.schema) }, ...sessionCodes) },
    async handler(request) {
      const { account } = signedInOf(request);
      const data = (await secrets.list(account.accountId)).map(show);
      return { data, meta: { count: data.length, limit: account.plan.maxApiKeys } };
    },
  });

  app.route({
    method: 'POST',
    url: path,
    operation: describe(create),
    schema: {
      headers: IdempotencyHeaders,
      body: create.body,
      response: answers(
        { 201: json(create.result, create.reply) },
        ...sessionCodes,
        'csrf_rejected',
        ...codes.create,
        'idempotency_key_reused',
        'payload_too_large',
        'unsupported_media_type',
      ),
    },
    async handler(request, reply) {
      const { accountId } = signedInOf(request).account;
      const { name, canManage } = request.body as Static<typeof NewApiKey>;
      const { secret, ...key } = await secrets.create(accountId, name, canManage, readIdempotencyKey(request.raw));
      const data = { ...show({ ...key, lastUsedAt: undefined }), ...describeSecret(secret) };
      return reply.code(201).send({ data });
    },
  });
}

function registerRevocation(app: Routes, secrets: Secrets, { path, noun, revoke, codes }: SecretResource): void {
  app.route({
    method: 'DELETE',
    url: `${path}/:id`,
    operation: describe(revoke),
    bodies: IGNORED_BODIES,
    schema: {
      params: Type.Object({
        id: Type.String({ format: 'uuid', description: `The \`id\` of the ${noun} to revoke.` }),
      }),
      response: answers({ 204: bare('Revoked.') }, ...sessionCodes, 'csrf_rejected', codes.revoke, 'payload_too_large'),
    },
    async handler(request, reply) {
      const { id } = request.params as { readonly id: string };
      await secrets.revoke(signedInOf(request).account.accountId, id.toLowerCase());
      return reply.code(204).send();
    },
  });
}

function describe({ operationId, summary, description }: Texts): Operation {
  return { operationId, tag: 'Account', summary, description, authentication: 'session' };
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
