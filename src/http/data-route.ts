import type { FastifyReply, FastifyRequest } from 'fastify';
import Type, { type Static, type TObject, type TSchema } from 'typebox';
import { chooseCoding, readAcceptEncoding } from '../core/compression.ts';
import type { Deadline } from '../core/deadline.ts';
import type { ErrorCode } from '../core/errors.ts';
import type { Caller } from '../core/usage.ts';
import { charge } from '../metering/charge.ts';
import type { Meter } from '../metering/meter.ts';
import { answers, bare, json, meteredAnswers } from './answers.ts';
import { callerOf, type RequireApiKey } from './api-key.ts';
import type { App } from './app-type.ts';
import type { Operation } from './contract.ts';
import { codedTag, entityTag, findNamedTag, matchesAny } from './etag.ts';
import { denialFailure, writeLimitHeaders } from './limit-headers.ts';
import { checkQueryEncoding } from './validation.ts';

/**
 * A route that serves records. All of them work alike: API key → rate window → validation → quota → answer, an `ETag`, `304` for
 * a client that has the current answer, and a body that is serialized already.
 */
export interface DataRoute<S extends TObject> {
  readonly url: string;
  readonly operation: Pick<Operation, 'operationId' | 'summary' | 'description'>;
  readonly parameters?: { readonly part: 'params' | 'querystring'; readonly schema: S };
  readonly success: { readonly description: string; readonly schema: TSchema };
  /** Error codes that this route adds to those of all data routes. */
  readonly codes?: readonly ErrorCode[];
  /** Version of the data that an answer would come from. Leave it out if it is not cheaper to read than the answer. */
  version?(): string | Promise<string>;
  answer(parameters: Static<S>, caller: Caller, deadline: Deadline): DataReply | Promise<DataReply>;
}

export interface DataReply {
  readonly version: string;
  /** JSON; bytes are UTF-8. */
  readonly body: string | Uint8Array;
}

interface Answered {
  readonly tag: string;
  readonly body: DataReply['body'] | null;
}

/** What every data route needs to authenticate and charge a request. */
export interface DataGate {
  readonly version: string;
  readonly requireApiKey: RequireApiKey;
  readonly meter: Meter;
  readonly now: () => number;
}

const ConditionalHeaders = Type.Object({
  'If-None-Match': Type.Optional(
    Type.String({
      description: 'The `ETag` of an earlier response. If it is still current, the response is `304` without a body.',
    }),
  ),
});

export function registerDataRoute<S extends TObject>(app: App, gate: DataGate, route: DataRoute<S>): void {
  const { version: serviceVersion, requireApiKey, meter, now } = gate;
  const { url, operation, parameters, success, codes = [] } = route;

  async function handler(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const charged = await charge(meter, callerOf(request), {
      deadline: request.deadline,
      read: () => readParameters(request),
      work: (given) => findAnswer(request, given),
      isFree: ({ body }) => body === null,
      // Set before anything is thrown, so that errors have these headers too.
      report: (limits) => reply.headers(writeLimitHeaders(limits)),
    });
    if (charged.outcome === 'denied') throw denialFailure(charged, now());
    const { tag, body } = charged.answer;
    // An import may change the data at any time, so a client may keep the answer but has to revalidate it.
    reply.headers({ etag: tag, 'cache-control': 'private, no-cache' });
    if (body === null) return reply.code(304).send();
    return reply.type('application/json; charset=utf-8').send(body);
  }

  /** The values that Fastify has validated, or the error it has found. */
  function readParameters(request: FastifyRequest): Static<S> {
    checkQueryEncoding(request.url);
    if (request.validationError !== undefined) throw request.validationError;
    return (parameters?.part === 'params' ? request.params : request.query) as Static<S>;
  }

  /** The body is null if the client has it already. */
  function findAnswer(request: FastifyRequest, given: Static<S>): Answered | Promise<Answered> {
    const known = request.headers['if-none-match'];
    if (known !== undefined) return findChanged(request, given, known);
    const found = route.answer(given, callerOf(request), request.deadline);
    // A search in memory is answered at once. Without a promise, it is answered in the same turn of the event loop.
    return found instanceof Promise ? found.then((reply) => tagged(reply, request.url)) : tagged(found, request.url);
  }

  function tagged({ version, body }: DataReply, url: string): Answered & Pick<DataReply, 'body'> {
    return { tag: entityTag(serviceVersion, version, url), body };
  }

  async function findChanged(request: FastifyRequest, given: Static<S>, known: string): Promise<Answered> {
    const { headers, url } = request;
    const codings = readAcceptEncoding(headers['accept-encoding'] as string | undefined);
    if (route.version !== undefined) {
      const tag = findNamedTag(known, entityTag(serviceVersion, await route.version(), url), codings);
      if (tag !== undefined) return { tag, body: null };
    }
    const { tag: current, body } = tagged(await route.answer(given, callerOf(request), request.deadline), url);
    if (matchesAny(known)) return { tag: codedTag(current, chooseCoding(codings, body)), body: null };
    const tag = findNamedTag(known, current, codings);
    return tag === undefined ? { tag: current, body } : { tag, body: null };
  }

  const options = {
    url,
    config: { operation: { ...operation, tag: 'Registry', authentication: 'apiKey' } as const },
    onRequest: requireApiKey,
    // The rate window comes before validation, so Fastify hands a validation error to the handler instead of sending it.
    attachValidation: true,
    schema: {
      ...(parameters && { [parameters.part]: parameters.schema }),
      headers: ConditionalHeaders,
      response: meteredAnswers(
        answers(
          {
            200: json(success.description, success.schema, ['ETag']),
            304: bare('Not modified: the client has the current response.', ['ETag']),
          },
          'api_key_required',
          'invalid_api_key',
          'rate_limit_exceeded',
          'monthly_quota_exceeded',
          ...codes,
          'service_unavailable',
        ),
      ),
    },
    // Bodies and errors are sent as text. Fastify would still compile a serializer per route, which takes 20 ms for a record.
    serializerCompiler: () => JSON.stringify,
    // Fastify's automatic HEAD route would send `Content-Length: 0` with a 304.
    exposeHeadRoute: false,
    handler,
  };
  app.route({ ...options, method: 'GET' });
  app.route({ ...options, method: 'HEAD' });
}
