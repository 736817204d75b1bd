import Type, { type TObject } from 'typebox';
import type { Executor } from '../../accounts/charging/execute.ts';
import type { Exchange, Limits, Operation, PricedOperation, Reply, Trial } from '../../accounts/charging/operation.ts';
import type { ErrorCode } from '../../base/errors.ts';
import { startDeadline } from '../../base/system/deadline.ts';
import { compileReader, type Reader } from '../../base/validation.ts';
import { contentTypes } from '../../exports/results/formats.ts';
import type { Routes } from '../../http/app.ts';
import type { DescribedError } from '../../http/errors.ts';
import { type HttpReply, JSON_TYPE, renderHeaders } from '../../http/reply.ts';
import type { HttpRequest } from '../../http/request.ts';
import type { Answer, Route, RouteOptions } from '../../http/route.ts';
import { answers, bare, json, meteredAnswers } from '../answers.ts';
import { readSecret } from '../credentials.ts';
import { type DataAnswer, toOperation } from './answer.ts';
import { denialFailure, renderLimitHeaders } from './limit-headers.ts';
import type { DataOperation } from './operation.ts';

/** What charged routes are made with. */
export interface Charging {
  readonly version: string;
  readonly executor: Executor;
  readonly now: () => number;
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

/** What is sent instead of the operation's own answer, chosen by the request. Undefined: nothing else. */
export type Choose = (request: HttpRequest) => Send | undefined;
export type Send = (request: HttpRequest, reply: HttpReply) => void;

/** Registers GET and HEAD of an operation that serves records. */
export function registerDataRoute<Path extends TObject, Query extends TObject>(
  app: Routes,
  charging: Charging,
  route: DataOperation<Path, Query>,
  choose: Choose = () => undefined,
): void {
  const { url, params, querystring, success, codes = [], namesSnapshot = false } = route;
  const operation = toOperation(route, charging.version);
  addTrial(charging, route as unknown as DataOperation<TObject, TObject>);
  const response = {
    200: describeSuccess(success, namesSnapshot),
    304: bare('Not modified: the client has the current response.', ['ETag']),
  };
  const schema = { ...(params && { params }), ...(querystring && { querystring }), headers: ConditionalHeaders };
  addChargedRoute(app, {
    ...{ url, operation: route.operation, schema, response, codes },
    ...(success.files !== undefined && { headers: { vary: 'Accept' } }),
    handler(request, reply) {
      const other = choose(request);
      if (other !== undefined) return other(request, reply);
      const { headers } = request;
      const input = { url: request.url, headers, response: reply.raw, read: () => readParameters(request) };
      charge(charging, operation, startExchange(request, reply, input), (answer) => sendAnswer(reply, answer));
    },
  });
}

interface ChargedRoute extends Pick<Route, 'url' | 'headers'> {
  readonly operation: DataOperation['operation'];
  readonly schema: { readonly params?: TObject; readonly querystring?: TObject; readonly headers: TObject };
  /** What is sent besides errors. */
  readonly response: Readonly<Record<number, Answer>>;
  readonly codes: readonly ErrorCode[];
  readonly handler: Send;
}

export function addChargedRoute(app: Routes, { operation, schema, response, codes, ...route }: ChargedRoute): void {
  app.route({
    ...route,
    method: 'GET',
    operation: { ...operation, tag: 'Registry', authentication: 'apiKey' },
    // The rate window comes first.
    validatesLater: true,
    schema: { ...schema, response: meteredAnswers(answers(response, ...CHARGED_CODES, ...codes)) },
  });
}

/** A request on its way through the executor, with its reply. The log takes the caller from it. */
export type ChargedExchange<Input> = Exchange<Input> & { readonly reply: HttpReply };

export function startExchange<Input>(request: HttpRequest, reply: HttpReply, input: Input): ChargedExchange<Input> {
  const exchange: ChargedExchange<Input> = {
    input,
    reply,
    credential: readSecret(request),
    deadline: startDeadline(request.startedAt),
    response: reply.raw,
    caller: null,
  };
  request.exchange = exchange;
  return exchange;
}

/**
 * Runs an operation, and sends its answer or what came instead. `send` finishes the reply. If it throws, the charge is refunded. If sending
 * takes time, it returns how many units were delivered.
 */
export function charge<Input, Given, Answer>(
  { executor, now }: Charging,
  operation: Operation<Input, Given, Answer>,
  exchange: ChargedExchange<Input>,
  send: (answer: Answer) => undefined | Promise<number>,
): void {
  const { reply } = exchange;
  const { shared } = reply;
  executor.execute(operation, exchange, (result) => {
    if (result.limits !== null) reportLimits(reply, result.limits, now());
    if (result.outcome === 'answered') return send(result.answer);
    reply.shared = shared;
    reply.fail(result.outcome === 'denied' ? denialFailure(result, now()) : result.error);
    return undefined;
  });
}

/** Returns the answer, or throws what came instead. Limits are set before, so that errors have these headers too. */
export function takeAnswer<T>(reply: HttpReply, result: Reply<T>, now: number): T {
  if (result.limits !== null) reportLimits(reply, result.limits, now);
  if (result.outcome === 'failed') throw result.error;
  if (result.outcome === 'denied') throw denialFailure(result, now);
  return result.answer;
}

export function reportLimits(reply: HttpReply, limits: Limits, now: number): void {
  reply.lines = renderLimitHeaders(limits, now);
}

/** The validated parameters of path and query. */
export function readParameters<Given>(request: HttpRequest): Given {
  return request.parameters?.read(request) as Given;
}

function sendAnswer(reply: HttpReply, answer: DataAnswer): undefined {
  reply.mustRevalidate().tag = answer.tag;
  reply.lines += renderAnswer(answer);
  reply.body = answer.body;
  if (answer.body === null) reply.code(304);
  else reply.type(answer.format === 'json' ? JSON_TYPE : contentTypes[answer.format]);
  reply.finish();
}

/** The headers of an answer besides its tag, which depends on the content coding. */
function renderAnswer(answer: DataAnswer): string {
  const known = answer.isKept ? rendered.get(answer) : undefined;
  if (known !== undefined) return known;
  const { snapshot, link, headers } = answer;
  const text = renderHeaders({ 'x-data-version': snapshot, link, ...headers });
  if (answer.isKept) rendered.set(answer, text);
  return text;
}

const rendered = new WeakMap<DataAnswer, string>();

/** A body that cannot be read, because it is too large or not JSON, counts in the rate window as well. */
const unreadable: Omit<PricedOperation<unknown, never, never>, 'needs'> = {
  price: 'free',
  read: (error) => {
    throw error;
  },
  answer: (given) => given,
};

/** For charged routes with a body. The key or link is verified before the body is read; the handler finds the exchange in the request. */
export function guardBody({ executor, now }: Charging): Required<Pick<RouteOptions, 'before' | 'refuse'>> {
  return {
    before: [(request, reply) => executor.identify(startExchange(request, reply, undefined))],
    async refuse(error, { exchange }, reply) {
      if (exchange === null) throw error;
      const input = { ...(exchange as Exchange<unknown>), input: error };
      const operation = { ...unreadable, needs: { credential: input.credential.kind, plan: 'any' } } as const;
      return takeAnswer(reply, await executor.perform(operation, input), now());
    },
  };
}

/** Adds the same operation for the session of a user, with parameters from a form. Validators are compiled at first use. */
export function addTrial({ trials, executor, version }: Charging, route: DataOperation<TObject, TObject>): void {
  const { needs, ...operation } = toOperation(route, version);
  const parts = (['path', 'query'] as const).flatMap((part) => {
    const schema = part === 'path' ? route.params : route.querystring;
    return schema === undefined ? [] : [{ part, schema }];
  });
  let readers: readonly Reader<object>[] | undefined;

  function read(values: Readonly<Record<string, string>>): object {
    readers ??= parts.map(({ part, schema }) => {
      const reader = compileReader(schema, part);
      const names = Object.keys(schema.properties);
      return (given) =>
        reader(Object.fromEntries(Object.entries(given as object).filter(([name]) => names.includes(name))));
    });
    return Object.assign({}, ...readers.map((each) => each(values)));
  }

  trials.set(route.operation.operationId, (values, exchange) => {
    const input = { url: route.url, headers: {}, response: exchange.response, read: () => read(values) };
    return executor.perform({ ...operation, needs: { ...needs, credential: 'session' } }, { ...exchange, input });
  });
}

function describeSuccess(
  { description, schema, files, headers = [] }: DataOperation['success'],
  namesSnapshot: boolean,
): Answer {
  const answer = json(description, schema, [
    'ETag',
    ...(namesSnapshot ? (['X-Data-Version'] as const) : []),
    ...headers,
  ]);
  return { ...answer, content: { ...answer.content, ...files } };
}
