import type { FastifyReply, FastifyRequest } from 'fastify';
import Type, { type TObject } from 'typebox';
import type { ErrorCode } from '../../core/errors.ts';
import type { Executor } from '../../operations/execute.ts';
import type { Exchange, Limits, Operation, Reply, Trial } from '../../operations/operation.ts';
import { startDeadline } from '../../system/deadline.ts';
import { type Answer, answers, bare, json, meteredAnswers } from '../answers.ts';
import type { App } from '../app-type.ts';
import { readSecret } from '../credentials.ts';
import type { DescribedError } from '../errors.ts';
import { addVary } from '../transport/vary.ts';
import { checkQueryEncoding } from '../validation.ts';
import { type DataAnswer, type DataRequest, toOperation } from './answer.ts';
import type { DataLane } from './lane.ts';
import { addLimitHeaders, denialFailure } from './limit-headers.ts';
import type { DataOperation, NoParameters } from './operation.ts';
import { addAnswerHeaders } from './reply.ts';
import { createTrial } from './trial.ts';

/** What charged routes are made with. */
export interface DataGate {
  readonly version: string;
  readonly executor: Executor;
  readonly now: () => number;
  readonly lane: Pick<DataLane, 'add'>;
  /** The operations that pages can run, by id. */
  readonly trials: Map<string, Trial>;
  /** Logs an error if it is ours, and returns what to send for it. */
  readonly describeError: (error: unknown, requestId: string) => DescribedError;
}

const ConditionalHeaders = Type.Object({
  'If-None-Match': Type.Optional(
    Type.String({
      description: 'The `ETag` of an earlier response. If it is still current, the response is `304` without a body.',
    }),
  ),
});

/** The error codes of every charged route. */
export const CHARGED_CODES = [
  'api_key_required',
  'invalid_api_key',
  'rate_limit_exceeded',
  'monthly_quota_exceeded',
  'service_unavailable',
] as const satisfies readonly ErrorCode[];

/** Registers an operation with Fastify and with the data lane. */
export function registerDataRoute<Parameters extends TObject = NoParameters>(
  app: App,
  gate: DataGate,
  operation: DataOperation<Parameters, NoParameters> | DataOperation<NoParameters, Parameters>,
): void {
  gate.lane.add(operation);
  registerSlowRoute(app, gate, operation as DataOperation<TObject, TObject>);
}

/** What is sent instead of the operation's own answer, chosen by the request. Undefined: nothing else. */
export type Choose = (request: FastifyRequest) => Send | undefined;

/** Sends the answer of an operation, or throws the error that the executor returns. */
export type Send = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Registers an operation with Fastify alone: for parameters in several places, and for paths that have several operations. */
export function registerSlowRoute<Path extends TObject, Query extends TObject>(
  app: App,
  gate: DataGate,
  route: DataOperation<Path, Query>,
  choose: Choose = () => undefined,
): void {
  const { executor, now, version } = gate;
  const { url, params, querystring, success, codes = [], namesSnapshot = false } = route;
  const operation = toOperation(route, version);
  addTrial(gate, route as unknown as DataOperation<TObject, TObject>);

  async function handler(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    if (success.files !== undefined) addVary(reply, 'Accept');
    const other = choose(request);
    if (other !== undefined) return other(request, reply);
    const exchange = startExchange(request, reply, toDataRequest(request, reply));
    return writeAnswer(reply, await executor.perform(operation, exchange), now());
  }

  const response = {
    200: describeSuccess(success, namesSnapshot),
    304: bare('Not modified: the client has the current response.', ['ETag']),
  };
  const schema = { ...(params && { params }), ...(querystring && { querystring }), headers: ConditionalHeaders };
  addChargedRoute(app, { url, operation: route.operation, schema, response, codes, handler });
}

interface ChargedRoute {
  readonly url: string;
  readonly operation: DataOperation<TObject, TObject>['operation'];
  readonly schema: { readonly params?: TObject; readonly querystring?: TObject; readonly headers: TObject };
  /** What is sent besides errors. */
  readonly response: Readonly<Record<number, Answer>>;
  readonly codes: readonly ErrorCode[];
  handler(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
}

/** Registers GET and HEAD. */
export function addChargedRoute(app: App, { operation, schema, response, codes, ...route }: ChargedRoute): void {
  const options = {
    ...route,
    config: { operation: { ...operation, tag: 'Registry', authentication: 'apiKey' } as const },
    // The rate window comes before validation, so Fastify hands a validation error to the handler instead of sending it.
    attachValidation: true,
    schema: { ...schema, response: meteredAnswers(answers(response, ...CHARGED_CODES, ...codes)) },
    // Bodies and errors are sent as text. Fastify would still compile a serializer per route, which takes 20 ms for a record.
    serializerCompiler: () => JSON.stringify,
    // Fastify's automatic HEAD route would send `Content-Length: 0` with a 304.
    exposeHeadRoute: false,
  };
  app.route({ ...options, method: 'GET' });
  app.route({ ...options, method: 'HEAD' });
}

/** Runs an operation whose answer takes time to send. `send` calls `sent` when Fastify may go on, and returns what was delivered. */
export function sendSlowly<Input, Given, Answer>(
  { executor, now }: DataGate,
  operation: Operation<Input, Given, Answer>,
  exchange: Exchange<Input>,
  reply: FastifyReply,
  send: (answer: Answer, sent: (reply: FastifyReply) => void) => undefined | Promise<number>,
): Promise<FastifyReply> {
  return new Promise((resolve, reject) => {
    executor.execute(operation, exchange, (result) => {
      try {
        return send(takeAnswer(reply, result, now()).answer, resolve);
      } catch (error) {
        reject(error);
        return undefined;
      }
    });
  });
}

export function addTrial({ trials, executor, version }: DataGate, route: DataOperation<TObject, TObject>): void {
  trials.set(route.operation.operationId, createTrial(route, executor, version));
}

/** A request of Fastify on its way through the executor. The log takes the caller from it. */
export function startExchange<Input>(request: FastifyRequest, reply: FastifyReply, input: Input): Exchange<Input> {
  const { address, startedAt } = request;
  const exchange: Exchange<Input> = {
    input,
    credential: { ...readSecret(request), address },
    deadline: startDeadline(startedAt),
    response: reply.raw,
    caller: null,
  };
  request.exchange = exchange;
  return exchange;
}

function toDataRequest(request: FastifyRequest, reply: FastifyReply): DataRequest {
  const { url, headers } = request;
  return { url, headers, response: reply.raw, read: () => readParameters(request) };
}

/** The values that Fastify has validated, or the error it has found. */
export function readParameters<Given>(request: FastifyRequest): Given {
  checkQueryEncoding(request.url);
  if (request.validationError !== undefined) throw request.validationError;
  return { ...(request.params as object), ...(request.query as object) } as Given;
}

function writeAnswer(reply: FastifyReply, result: Reply<DataAnswer>, now: number): FastifyReply {
  const { answer } = takeAnswer(reply, result, now);
  addAnswerHeaders(answer, (name, value) => void reply.header(name, value));
  return answer.body === null ? reply.code(304).send() : reply.send(answer.body);
}

/** Returns the answer, or throws what came instead. Limits are set before, so that errors have these headers too. */
export function takeAnswer<T>(
  reply: FastifyReply,
  result: Reply<T>,
  now: number,
): Extract<Reply<T>, { outcome: 'answered' }> {
  if (result.limits !== null) reportLimits(reply, result.limits, now);
  if (result.outcome === 'failed') throw result.error;
  if (result.outcome === 'denied') throw denialFailure(result, now);
  return result;
}

export function reportLimits(reply: FastifyReply, limits: Limits, now: number): void {
  addLimitHeaders(limits, now, (name, value) => void reply.header(name, value));
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
