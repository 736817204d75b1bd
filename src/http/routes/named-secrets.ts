import Type, { type Static, type TSchema } from 'typebox';
import type { ListedSecret, NamedSecrets } from '../../accounts/named-secrets.ts';
import type { ErrorCode } from '../../core/errors.ts';
import { answers, bare, json } from '../answers.ts';
import type { App } from '../app-type.ts';
import type { Operation } from '../contract.ts';
import { IdempotencyHeaders, readIdempotencyKey } from '../idempotency-key.ts';
import type { ApiKey, NewApiKey, NewSecret } from '../schemas/account.ts';
import { type RequireSession, sessionCodes, signedInOf } from '../session.ts';
import { takeAnyBody } from '../transport/any-body.ts';

type Texts = Required<Pick<Operation, 'operationId' | 'summary' | 'description'>>;

/** What users create, list and revoke under one path: API keys, or reconcile links. */
export interface SecretResource {
  readonly path: string;
  /** As in "All active keys." */
  readonly noun: string;
  readonly list: Texts & { readonly schema: TSchema };
  readonly create: Texts & { readonly body: NewSecret; readonly reply: TSchema; readonly result: string };
  readonly revoke: Texts;
  readonly codes: { readonly create: readonly ErrorCode[]; readonly revoke: ErrorCode };
  /** How a new secret is shown. */
  describeSecret(secret: string): Readonly<Record<string, string>>;
}

export function registerNamedSecrets(
  app: App,
  secrets: Pick<NamedSecrets, 'create' | 'list' | 'revoke'>,
  { path, noun, list, create, revoke, codes, describeSecret }: SecretResource,
  requireSession: RequireSession,
): void {
  const operation = ({ operationId, summary, description }: Texts) => ({
    operation: { operationId, tag: 'Account', summary, description, authentication: 'session' } as const,
  });

  app.get(
    path,
    {
      config: operation(list),
      onRequest: requireSession,
      schema: { response: answers({ 200: json(`All active ${noun}s.`, list.schema) }, ...sessionCodes) },
    },
    async (request) => {
      const { account } = signedInOf(request);
      const data = (await secrets.list(account.accountId)).map(describeKey);
      return { data, meta: { count: data.length, limit: account.plan.maxApiKeys } };
    },
  );

  app.post(
    path,
    {
      config: operation(create),
      onRequest: requireSession,
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
    },
    async (request, reply) => {
      const { accountId } = signedInOf(request).account;
      const { name, canManage } = request.body as Static<typeof NewApiKey>;
      const { secret, ...key } = await secrets.create(accountId, name, canManage, readIdempotencyKey(request.raw));
      const data = { ...describeKey({ ...key, lastUsedAt: undefined }), ...describeSecret(secret) };
      return reply.code(201).send({ data });
    },
  );

  app.register(async (scope: App) => {
    // This route ignores the body, whatever its type.
    takeAnyBody(scope, () => undefined);
    scope.delete(
      `${path}/:id`,
      {
        config: operation(revoke),
        onRequest: requireSession,
        schema: {
          params: Type.Object({
            id: Type.String({ format: 'uuid', description: `The \`id\` of the ${noun} to revoke.` }),
          }),
          response: answers(
            { 204: bare('Revoked.') },
            ...sessionCodes,
            'csrf_rejected',
            codes.revoke,
            'payload_too_large',
          ),
        },
      },
      async (request, reply) => {
        await secrets.revoke(signedInOf(request).account.accountId, request.params.id.toLowerCase());
        return reply.code(204).send();
      },
    );
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
