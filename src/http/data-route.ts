import type { FastifyReply, FastifyRequest, FastifySchemaCompiler } from 'fastify';
import Type, { type TObject, type TSchema } from 'typebox';
import type { ErrorCode } from '../core/errors.ts';
import { answers, bare, json } from './answers.ts';
import type { RequireApiKey } from './api-key.ts';
import type { App } from './app.ts';
import type { Operation } from './contract.ts';
import { entityTag, namesTag } from './etag.ts';

/**
 * A route that serves records. What these have in common stands here once: how parameters are read, validators, `304`,
 * and that a reply is text already and is sent as it is. Parameters are read in Fastify's validation: after `onRequest`,
 * where credentials and the rate window belong, and before `preHandler`, where the quota does.
 */
export interface DataRoute<P> {
  readonly url: string;
  readonly operation: Pick<Operation, 'operationId' | 'summary' | 'description'>;
  readonly parameters?: Parameters<P>;
  readonly success: { readonly description: string; readonly schema: TSchema };
  /** What it throws besides `service_unavailable` and what the gate does. */
  readonly codes?: readonly ErrorCode[];
  /** Of the data an answer would come from, where that is cheaper to tell than the answer. */
  version?(): string | Promise<string>;
  answer(parameters: P): DataReply | Promise<DataReply>;
}

export interface Parameters<P> {
  readonly place: 'params' | 'querystring';
  /** For the contract; `read` keeps to it. */
  readonly schema: TObject;
  /** Throws `invalid_request`. */
  read(given: GivenParameters): P;
}

export type GivenParameters = Readonly<Record<string, string | undefined>>;

export interface DataReply {
  readonly version: string;
  /** JSON, in UTF-8 when it is bytes. */
  readonly body: string | Uint8Array;
}

const Conditional = Type.Object({
  'If-None-Match': Type.Optional(
    Type.String({
      description: 'The `ETag` of a reply you have: while it is current the answer is 304, without a body.',
    }),
  ),
});

/** What every data route has in front of it. */
export interface DataGate {
  readonly version: string;
  readonly requireApiKey: RequireApiKey;
}

export function registerDataRoute<P>(app: App, gate: DataGate, route: DataRoute<P>): void {
  const { version: serviceVersion, requireApiKey } = gate;
  const { url, operation, parameters, success, codes = [] } = route;
  const readFrom = parameters?.place === 'params' ? 'params' : 'query';

  async function handler(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const known = request.headers['if-none-match'];
    if (known !== undefined && route.version !== undefined) {
      const tag = entityTag(serviceVersion, await route.version());
      if (namesTag(known, tag)) return reply.code(304).headers(validators(tag)).send();
    }
    const { version, body } = await route.answer(request[readFrom] as P);
    const tag = entityTag(serviceVersion, version);
    reply.headers(validators(tag));
    if (known !== undefined && namesTag(known, tag)) return reply.code(304).send();
    return reply.type('application/json; charset=utf-8').send(body);
  }

  const options = {
    url,
    config: { operation: { ...operation, tag: 'Registry', authentication: 'apiKey' } as const },
    onRequest: [requireApiKey],
    schema: {
      ...(parameters && { [parameters.place]: parameters.schema }),
      headers: Conditional,
      response: answers(
        { 200: json(success.description, success.schema, ['ETag']), 304: bare('Nothing has changed.', ['ETag']) },
        'api_key_required',
        'invalid_api_key',
        ...codes,
        'service_unavailable',
      ),
    },
    validatorCompiler: compilerFor(parameters),
    // Fastify's own HEAD announces a length of 0 for a 304.
    exposeHeadRoute: false,
    handler,
  };
  app.route({ ...options, method: 'GET' });
  app.route({ ...options, method: 'HEAD' });
}

/** A client may keep a reply but asks each time whether it still holds: an import may come at any moment. */
function validators(tag: string): Record<string, string> {
  return { etag: tag, 'cache-control': 'private, no-cache' };
}

/** Fastify's validator would take `1e1` for a number and explain itself poorly; ours reads what the contract says. */
function compilerFor<P>(parameters: Parameters<P> | undefined): FastifySchemaCompiler<unknown> {
  return ({ httpPart }) => {
    if (parameters === undefined || httpPart !== parameters.place) return () => true;
    return (given: GivenParameters) => {
      try {
        return { value: parameters.read(given) };
      } catch (error) {
        return { error: error as Error };
      }
    };
  };
}
