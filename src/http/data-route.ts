import type { FastifyReply, FastifyRequest } from 'fastify';
import Type, { type Static, type TObject } from 'typebox';
import { chooseCoding, readAcceptEncoding } from '../core/compression.ts';
import { isGone } from '../core/gone.ts';
import { nameSnapshot } from '../core/version.ts';
import { type Charged, type Failed, startCharge } from '../metering/charge.ts';
import type { Meter } from '../metering/meter.ts';
import { contentTypes } from '../result-files/formats.ts';
import { chooseFormat, type ReplyFormat } from './accept.ts';
import { type Answer, answers, bare, json, meteredAnswers } from './answers.ts';
import { callerOf, type RequireApiKey } from './api-key.ts';
import type { App } from './app-type.ts';
import type { DataLane } from './data-lane.ts';
import type { DataOperation, DataReply } from './data-operation.ts';
import { CACHE_CONTROL, CONTENT_TYPE } from './data-reply.ts';
import { codedTag, entityTag, findNamedTag, matchesAny } from './etag.ts';
import { denialFailure, writeLimitHeaders } from './limit-headers.ts';
import { requirePaidPlan } from './paid-plan.ts';
import { findSettled } from './settled.ts';
import { checkQueryEncoding } from './validation.ts';
import { addVary } from './vary.ts';

interface Answered extends Pick<DataReply, 'headers'> {
  readonly tag: string;
  readonly body: DataReply['body'] | null;
  readonly isFree: boolean;
}

/** What every data route needs to authenticate and charge a request. */
export interface DataGate {
  readonly version: string;
  readonly requireApiKey: RequireApiKey;
  readonly meter: Meter;
  readonly now: () => number;
  /** Takes the requests that are valid and not conditional. */
  readonly lane: Pick<DataLane, 'add'>;
}

const ConditionalHeaders = Type.Object({
  'If-None-Match': Type.Optional(
    Type.String({
      description: 'The `ETag` of an earlier response. If it is still current, the response is `304` without a body.',
    }),
  ),
});

type NoParameters = TObject<Record<never, never>>;

/** Registers an operation with Fastify and with the data lane. */
export function registerDataRoute<Path extends TObject = NoParameters, Query extends TObject = NoParameters>(
  app: App,
  gate: DataGate,
  route: DataOperation<Path, Query>,
): void {
  type Parameters = Static<Path> & Static<Query>;
  const { version: serviceVersion, requireApiKey, meter, now, lane } = gate;
  if (route.skipsLane !== true) lane.add(route);
  const { url, operation, params, querystring, success, codes = [] } = route;

  const formatOf = (request: FastifyRequest): ReplyFormat =>
    success.files === undefined ? 'json' : chooseFormat(request.headers.accept);

  async function handler(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    if (success.files !== undefined) addVary(reply, 'Accept');
    const given = route.instead && readQuietly(request);
    if (given !== undefined && route.instead?.applies(given)) return route.instead.handle(request, reply, given);
    const result = findSettled(request.raw)?.result ?? (await chargeRequest(request, reply));
    // Set before anything is thrown, so that errors have these headers too.
    if (result.limits !== null) reply.headers(writeLimitHeaders(result.limits, now()));
    if (result.outcome === 'failed') throw result.error;
    if (result.outcome === 'denied') throw denialFailure(result, now());
    const { tag, body, headers = {} } = result.answer;
    reply.headers({ etag: tag, 'cache-control': CACHE_CONTROL, ...headers });
    if (body === null) return reply.code(304).send();
    const format = formatOf(request);
    return reply.type(format === 'json' ? CONTENT_TYPE : contentTypes[format]).send(body);
  }

  function chargeRequest(request: FastifyRequest, reply: FastifyReply): Promise<Charged<Answered> | Failed> {
    const { deadline } = request;
    const read = () => readParameters(request);
    const work = (given: Parameters) => findAnswer(request, reply, given);
    const isFree = (answer: Answered) => answer.isFree;
    const { readWait } = route;
    const charged = { read, work, isFree, isGone: () => isGone(reply.raw), deadline, ...(readWait && { readWait }) };
    return new Promise((resolve) => startCharge(meter, callerOf(request), charged, resolve));
  }

  /** The values that Fastify has validated, or the error it has found. */
  function readParameters(request: FastifyRequest): Parameters {
    checkQueryEncoding(request.url);
    if (request.validationError !== undefined) throw request.validationError;
    if (route.requiresPaidPlan === true) requirePaidPlan(callerOf(request));
    const given = { ...(request.params as Static<Path>), ...(request.query as Static<Query>) };
    route.check?.(given, { caller: callerOf(request), format: formatOf(request) });
    return given;
  }

  /** Undefined if they are invalid: then they are read again, and the error is reported. */
  function readQuietly(request: FastifyRequest): Parameters | undefined {
    try {
      return readParameters(request);
    } catch {
      return undefined;
    }
  }

  function answer(request: FastifyRequest, reply: FastifyReply, given: Parameters): DataReply | Promise<DataReply> {
    const { deadline } = request;
    return route.answer(given, {
      caller: callerOf(request),
      deadline,
      format: formatOf(request),
      response: reply.raw,
    });
  }

  /** The body is null if the client has it already. */
  function findAnswer(request: FastifyRequest, reply: FastifyReply, given: Parameters): Answered | Promise<Answered> {
    const known = request.headers['if-none-match'];
    if (known !== undefined) return findChanged(request, reply, given, known);
    const found = answer(request, reply, given);
    // A search in memory is answered at once. Without a promise, it is answered in the same turn of the event loop.
    return found instanceof Promise ? found.then((reply) => tagged(reply, request)) : tagged(found, request);
  }

  function tagged(reply: DataReply, request: FastifyRequest): Answered & Pick<DataReply, 'body'> {
    const { version, body, link, headers = {}, isFree = false } = reply;
    const own = {
      ...(route.namesSnapshot && { 'x-data-version': nameSnapshot(serviceVersion, version) }),
      ...(link !== undefined && { link }),
    };
    return { tag: tagOf(version, request), body, headers: { ...own, ...headers }, isFree };
  }

  function tagOf(version: string, request: FastifyRequest): string {
    return entityTag(serviceVersion, version, request.url, formatOf(request));
  }

  async function findChanged(
    request: FastifyRequest,
    reply: FastifyReply,
    given: Parameters,
    known: string,
  ): Promise<Answered> {
    const codings = readAcceptEncoding(request.headers['accept-encoding'] as string | undefined);
    if (route.version !== undefined) {
      const tag = findNamedTag(known, tagOf(await route.version(), request), codings);
      if (tag !== undefined) return notModified(tag);
    }
    const complete = tagged(await answer(request, reply, given), request);
    const { tag: current, body } = complete;
    // This does not show that the client has the answer, so it costs as much as the answer.
    if (matchesAny(known))
      return { ...notModified(codedTag(current, chooseCoding(codings, body))), isFree: complete.isFree };
    const tag = findNamedTag(known, current, codings);
    return tag === undefined ? complete : notModified(tag);
  }

  const options = {
    url,
    config: { operation: { ...operation, tag: 'Registry', authentication: 'apiKey' } as const },
    onRequest: requireApiKey,
    // The rate window comes before validation, so Fastify hands a validation error to the handler instead of sending it.
    attachValidation: true,
    schema: {
      ...(params && { params }),
      ...(querystring && { querystring }),
      headers: ConditionalHeaders,
      response: meteredAnswers(
        answers(
          {
            200: describeSuccess(success, route.namesSnapshot === true),
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

function describeSuccess(
  { description, schema, files, headers = [] }: DataOperation<TObject, TObject>['success'],
  namesSnapshot: boolean,
): Answer {
  const answer = json(description, schema, [
    'ETag',
    ...(namesSnapshot ? (['X-Data-Version'] as const) : []),
    ...headers,
  ]);
  return { ...answer, content: { ...answer.content, ...files } };
}

function notModified(tag: string): Answered {
  return { tag, body: null, isFree: true };
}
