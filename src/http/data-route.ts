import type { FastifyReply, FastifyRequest } from 'fastify';
import Type, { type TObject, type TSchema } from 'typebox';
import type { ErrorCode } from '../core/errors.ts';
import type { Meter } from '../metering/meter.ts';
import { admissionOf, admit } from './admission.ts';
import { answers, bare, json, meteringHeaders } from './answers.ts';
import { callerOf, type RequireApiKey } from './api-key.ts';
import type { App } from './app-type.ts';
import type { Operation } from './contract.ts';
import { entityTag, namesTag } from './etag.ts';
import { checkQueryString } from './query.ts';

/**
 * A route that serves records. What these have in common stands here once: API key and limits in front, how parameters are
 * read, validators, `304`, and that a reply is text already and is sent as it is.
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
  readonly meter: Meter;
  readonly now: () => number;
}

export function registerDataRoute<P>(app: App, gate: DataGate, route: DataRoute<P>): void {
  const { version: serviceVersion, requireApiKey, meter, now } = gate;
  const { url, operation, parameters, success, codes = [] } = route;

  async function passMeter(request: FastifyRequest): Promise<void> {
    request.admission = await admit(meter, callerOf(request), now, () => {
      checkQueryString(request);
      return parameters?.read((parameters.place === 'params' ? request.params : request.query) as GivenParameters) as P;
    });
  }

  /** What ends in anything but a 200 is given back. */
  async function handler(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const admission = admissionOf<P>(request);
    const answer = await findAnswer(request, admission.parameters).catch(async (error: unknown) => {
      await meter.refund(admission.receipt);
      throw error;
    });
    reply.headers(validators(answer.tag));
    if (answer.body === null) {
      await meter.refund(admission.receipt);
      return reply.code(304).send();
    }
    return reply.headers(admission.headers).type('application/json; charset=utf-8').send(answer.body);
  }

  /** A body of null is one that the client has already. */
  async function findAnswer(
    request: FastifyRequest,
    given: P,
  ): Promise<{ tag: string; body: DataReply['body'] | null }> {
    const known = request.headers['if-none-match'];
    if (known !== undefined && route.version !== undefined) {
      const tag = entityTag(serviceVersion, await route.version());
      if (namesTag(known, tag)) return { tag, body: null };
    }
    const { version, body } = await route.answer(given);
    const tag = entityTag(serviceVersion, version);
    return { tag, body: known !== undefined && namesTag(known, tag) ? null : body };
  }

  const options = {
    url,
    config: { operation: { ...operation, tag: 'Registry', authentication: 'apiKey' } as const },
    onRequest: [requireApiKey, passMeter],
    schema: {
      ...(parameters && { [parameters.place]: parameters.schema }),
      headers: Conditional,
      response: answers(
        {
          200: json(success.description, success.schema, ['ETag', ...meteringHeaders]),
          304: bare('Nothing has changed.', ['ETag']),
        },
        'api_key_required',
        'invalid_api_key',
        'rate_limit_exceeded',
        'monthly_quota_exceeded',
        ...codes,
        'service_unavailable',
      ),
    },
    // Fastify's validator would take `1e1` for a number and explain itself poorly; parameters are read before the meter.
    validatorCompiler: () => () => true,
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
