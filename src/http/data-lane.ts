import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { parse as parseQuery } from 'fast-querystring';
import type { TObject } from 'typebox';
import type { ApiKeys } from '../accounts/api-keys.ts';
import { type Deadline, startDeadline } from '../core/deadline.ts';
import { isGone } from '../core/gone.ts';
import { takeRequestId } from '../core/ids.ts';
import type { Caller } from '../core/usage.ts';
import { nameSnapshot } from '../core/version.ts';
import { type Charged, type Failed, startCharge } from '../metering/charge.ts';
import type { Meter } from '../metering/meter.ts';
import { measureDuration, type RecordRequest } from '../observability/request-log.ts';
import { compileReader } from '../validation/reader.ts';
import { mayWantFile } from './accept.ts';
import type { FindAddress } from './client-address.ts';
import { readApiKey } from './credentials.ts';
import type { DataOperation, DataReply } from './data-operation.ts';
import type { WriteDataReply } from './data-reply.ts';
import { entityTag } from './etag.ts';
import { settle } from './settled.ts';
import { checkQueryEncoding } from './validation.ts';

/**
 * The short way of a data request: from Node's `request` event to key → meter → answer → one write, without the framework. It takes
 * what nearly all requests are: a GET or HEAD for JSON with a known key and valid parameters. Everything else falls through to the Fastify
 * route of the same path, which explains errors. A request that fails after it was charged falls through with its result
 * (`settled.ts`), so that nothing is charged or read twice.
 */
export interface DataLane {
  /** Takes requests of this operation. */
  add<Path extends TObject, Query extends TObject>(operation: DataOperation<Path, Query>): void;
  /** Puts the lane in front of `handle`, which answers all other requests. */
  open(server: Server, handle: HandleRequest): void;
}

export interface DataLaneOptions {
  /** Version of the program, for entity tags. */
  readonly version: string;
  readonly apiKeys: Pick<ApiKeys, 'peekKey' | 'findKey'>;
  readonly meter: Meter;
  readonly findAddress: FindAddress;
  readonly record: RecordRequest;
  readonly writeReply: WriteDataReply;
  /** Whether the request passes the checks that come before all routes. */
  readonly admits: (request: IncomingMessage) => boolean;
}

interface Route {
  readonly url: string;
  /** The path up to its parameter; the whole path if it has none. */
  readonly prefix: string;
  /** Reads the parameters from the rest of the URL. Returns undefined for another path, and may throw if they are invalid. */
  read(rest: string): unknown;
  answer: DataOperation<TObject, TObject>['answer'];
  readonly isNegotiated: boolean;
  readonly namesSnapshot: boolean;
}

/** A request on its way. */
interface Passage {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly route: Route;
  readonly parameters: unknown;
  readonly requestId: string;
  readonly startedAt: number;
  readonly deadline: Deadline;
  /** Read at the start: a connection that is closed has no address. */
  readonly address: string;
  /** Null if the key is unknown, undefined until it is looked up. */
  caller: Caller | null | undefined;
  hasFallenThrough: boolean;
}

export type HandleRequest = (request: IncomingMessage, response: ServerResponse) => void;

export function createDataLane(options: DataLaneOptions): DataLane {
  const { version, apiKeys, meter, findAddress, record, writeReply, admits } = options;
  const routes: Route[] = [];
  let handle: HandleRequest = () => undefined;

  function take(request: IncomingMessage, response: ServerResponse): void {
    const startedAt = performance.now();
    const key = isPlain(request, response) && admits(request) ? readApiKey(request.headers) : undefined;
    const found = key === undefined ? undefined : findRoute(request.url ?? '');
    if (key === undefined || found === undefined) {
      handle(request, response);
      return;
    }
    const passage: Passage = {
      request,
      response,
      route: found.route,
      parameters: found.parameters,
      requestId: takeRequestId(request.headers['x-request-id']),
      startedAt,
      deadline: startDeadline(startedAt),
      address: findAddress(request),
      caller: apiKeys.peekKey(key),
      hasFallenThrough: false,
    };
    response.on('close', () => observe(passage));
    if (passage.caller) {
      chargeRequest(passage, passage.caller);
      return;
    }
    const authenticate = (caller: Caller | undefined) => {
      passage.caller = caller ?? null;
      if (caller === undefined) fallThrough(passage);
      else chargeRequest(passage, caller);
    };
    // Fastify looks the key up again, with what is left of the deadline, and reports the error.
    apiKeys.findKey(key, passage.deadline).then(authenticate, () => fallThrough(passage));
  }

  function findRoute(url: string): Pick<Passage, 'route' | 'parameters'> | undefined {
    for (const route of routes) {
      const parameters = url.startsWith(route.prefix) ? readQuietly(route, url.slice(route.prefix.length)) : undefined;
      if (parameters !== undefined) return { route, parameters };
    }
    return undefined;
  }

  function chargeRequest(passage: Passage, caller: Caller): void {
    const { route, parameters, deadline, response } = passage;
    const read = () => parameters;
    const work = () => route.answer(parameters as never, { caller, deadline, format: 'json', response });
    const charged = { read, work, isGone: () => isGone(response), deadline };
    startCharge(meter, caller, charged, (result) => complete(passage, result));
  }

  function complete(passage: Passage, result: Charged<DataReply> | Failed): void {
    if (result.outcome !== 'served') {
      fallThrough(passage, result);
      return;
    }
    const { request, response, requestId, route } = passage;
    const { answer, limits } = result;
    const tag = entityTag(version, answer.version, request.url ?? '');
    const { body, link } = answer;
    const snapshot = route.namesSnapshot ? nameSnapshot(version, answer.version) : undefined;
    writeReply(request, response, { requestId, limits, tag, body, link, snapshot, isNegotiated: route.isNegotiated });
  }

  function fallThrough(passage: Passage, result?: Exclude<Charged<DataReply> | Failed, { outcome: 'served' }>): void {
    const { request, response, startedAt, deadline, caller } = passage;
    // The reply failed while it was written, so it cannot be replaced.
    if (response.headersSent) {
      response.destroy();
      return;
    }
    passage.hasFallenThrough = true;
    settle(request, { startedAt, deadline, caller, result });
    handle(request, response);
  }

  function observe(passage: Passage): void {
    if (passage.hasFallenThrough) return;
    const { request, response, requestId, route, startedAt, address, caller } = passage;
    record({
      requestId,
      method: request.method ?? '',
      route: route.url,
      status: response.statusCode,
      durationMs: measureDuration(startedAt),
      address,
      accountId: caller?.accountId ?? null,
      keyId: caller?.keyId ?? null,
      aborted: !response.writableFinished,
    });
  }

  return {
    add({ url, params, querystring, success, namesSnapshot = false, instead, answer }) {
      const [prefix = ''] = url.split(':', 1);
      const isTaken = (given: unknown) => instead?.applies(given as never) !== true;
      const read = createParameterReader(url, { params, querystring }, isTaken);
      const isNegotiated = success.files !== undefined;
      routes.push({ url, prefix, read, answer: answer as Route['answer'], isNegotiated, namesSnapshot });
    },
    open(server, handleOthers) {
      handle = handleOthers;
      server.removeAllListeners('request').on('request', take);
    },
  };
}

/** Anything else is rare, and left to Fastify. */
function isPlain({ method, headers }: IncomingMessage, { shouldKeepAlive }: ServerResponse): boolean {
  return (
    (method === 'GET' || method === 'HEAD') &&
    shouldKeepAlive &&
    headers['if-none-match'] === undefined &&
    headers.origin === undefined &&
    !mayWantFile(headers.accept) &&
    headers['content-length'] === undefined &&
    headers['transfer-encoding'] === undefined
  );
}

interface ParameterSchemas {
  readonly params: TObject | undefined;
  readonly querystring: TObject | undefined;
}

/** For a path that ends with its parameter, or one with a query. */
function createParameterReader(
  url: string,
  { params, querystring }: ParameterSchemas,
  isTaken: (given: unknown) => boolean,
): Route['read'] {
  if (params !== undefined) {
    const read = compileReader(params, 'path');
    const [, name = ''] = url.split(':', 2);
    return (rest) => read({ [name]: rest });
  }
  if (querystring === undefined) return (rest) => (rest === '' ? {} : undefined);
  const read = compileReader(querystring, 'query');
  /** Clients repeat queries, and what a query means depends on nothing else. */
  const known = new Map<string, unknown>();
  return (rest) => {
    const found = known.get(rest);
    if (found !== undefined) return found;
    if (rest !== '' && !rest.startsWith('?')) return undefined;
    checkQueryEncoding(rest);
    const given = Object.freeze(read(parseQuery(rest.slice(1))));
    if (!isTaken(given)) return undefined;
    if (known.size >= MAX_KNOWN_QUERIES) known.clear();
    if (rest.length <= MAX_KNOWN_LENGTH) known.set(rest, given);
    return given;
  };
}

/** These bound the memory for known queries. */
const MAX_KNOWN_QUERIES = 1_000;
const MAX_KNOWN_LENGTH = 200;

/** Fastify reports what is wrong. */
function readQuietly(route: Route, rest: string): unknown {
  try {
    return route.read(rest);
  } catch {
    return undefined;
  }
}
