import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { parse as parseQuery } from 'fast-querystring';
import type { TObject } from 'typebox';
import { takeRequestId } from '../../core/ids.ts';
import { measureDuration, type RecordRequest } from '../../observability/request-log.ts';
import type { Executor } from '../../operations/execute.ts';
import type { Exchange, PricedOperation, Reply } from '../../operations/operation.ts';
import { startDeadline } from '../../system/deadline.ts';
import { compileReader } from '../../validation/reader.ts';
import { readApiKey } from '../credentials.ts';
import type { DescribedError } from '../errors.ts';
import type { FindAddress } from '../transport/client-address.ts';
import { checkQueryEncoding } from '../validation.ts';
import { mayWantFile } from './accept.ts';
import { type DataAnswer, type DataRequest, toOperation } from './answer.ts';
import { denialFailure } from './limit-headers.ts';
import type { DataOperation, NoParameters } from './operation.ts';
import type { RawExchange, ReplyWriter } from './reply.ts';

/**
 * The short way of a data request: from Node's `request` event to the executor and one write, without the framework. It takes what nearly
 * all requests are: a GET or HEAD for JSON with a key and valid parameters. Everything else goes to the Fastify route of the same
 * path before anything is done for it.
 */
export interface DataLane {
  /** Takes requests of this operation. A path can have its parameters in one place: at its end, or in the query. */
  add<Parameters extends TObject>(
    operation: DataOperation<Parameters, NoParameters> | DataOperation<NoParameters, Parameters>,
  ): void;
  /** Puts the lane in front of `handle`, which answers all other requests. */
  open(server: Server, handle: HandleRequest): void;
}

interface DataLaneOptions {
  /** Version of the program, for entity tags. */
  readonly version: string;
  readonly executor: Pick<Executor, 'execute'>;
  readonly findAddress: FindAddress;
  readonly record: RecordRequest;
  readonly writer: ReplyWriter;
  /** Logs the error of a request if it is ours, and returns what to send. */
  readonly describeError: (error: unknown, requestId: string) => DescribedError;
  readonly now: () => number;
  /** Whether the request passes the checks that come before all routes. */
  readonly admits: (request: IncomingMessage) => boolean;
}

interface Route {
  readonly url: string;
  /** The path up to its parameter; the whole path if it has none. */
  readonly prefix: string;
  /** Reads the parameters from the rest of the URL. Returns undefined for another path, and may throw if they are invalid. */
  read(rest: string): unknown;
  readonly operation: PricedOperation<DataRequest, unknown, DataAnswer>;
  readonly isNegotiated: boolean;
}

type HandleRequest = (request: IncomingMessage, response: ServerResponse) => void;

export function createDataLane(options: DataLaneOptions): DataLane {
  const { version, executor, findAddress, record, writer, describeError, now, admits } = options;
  const routes: Route[] = [];
  let handle: HandleRequest = () => undefined;

  function take(request: IncomingMessage, response: ServerResponse): void {
    const startedAt = performance.now();
    const url = request.url ?? '';
    const secret = isPlain(request, response) && admits(request) ? readApiKey(request.headers) : undefined;
    const found = secret === undefined ? undefined : findRoute(url);
    if (found === undefined) {
      handle(request, response);
      return;
    }
    const { route, given } = found;
    // Read now: a connection that is closed has no address.
    const address = findAddress(request);
    const requestId = takeRequestId(request.headers['x-request-id']);
    const exchange: Exchange<DataRequest> = {
      input: { url, headers: request.headers, response, read: () => given },
      credential: { kind: 'key', secret, address },
      deadline: startDeadline(startedAt),
      response,
      caller: null,
    };
    response.on('close', () => {
      const { caller } = exchange;
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
    });
    const raw = { request, response, requestId, isNegotiated: route.isNegotiated };
    executor.execute(route.operation, exchange, (reply) => write(raw, reply));
  }

  function findRoute(url: string): { readonly route: Route; readonly given: unknown } | undefined {
    for (const route of routes) {
      const given = url.startsWith(route.prefix) ? readQuietly(route, url.slice(route.prefix.length)) : undefined;
      if (given !== undefined) return { route, given };
    }
    return undefined;
  }

  function write(raw: RawExchange, reply: Reply<DataAnswer>): undefined {
    // The reply failed while it was written, so it cannot be replaced.
    if (raw.response.headersSent) {
      raw.response.destroy();
      return;
    }
    if (reply.outcome === 'answered') {
      const { answer, limits } = reply;
      // Only conditional requests are answered without a body, and Fastify has those.
      if (answer.body === null) throw new Error('the data lane cannot send an answer without a body');
      writer.writeAnswer(raw, answer as typeof answer & { body: string | Uint8Array }, limits);
      return;
    }
    const error = reply.outcome === 'denied' ? denialFailure(reply, now()) : reply.error;
    writer.writeFailure(raw, describeError(error, raw.requestId), reply.limits);
  }

  return {
    add(operation) {
      const { url, params, querystring, success } = operation;
      const [prefix = ''] = url.split(':', 1);
      routes.push({
        url,
        prefix,
        read: createParameterReader(url, { params, querystring }),
        operation: toOperation(operation as DataOperation<TObject, TObject>, version),
        isNegotiated: success.files !== undefined,
      });
    },
    open(server, handleOthers) {
      handle = handleOthers;
      server.removeAllListeners('request').on('request', take);
    },
  };
}

/** Whether the lane can take the request. Other requests are rare and go to Fastify. */
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

function createParameterReader(url: string, { params, querystring }: ParameterSchemas): Route['read'] {
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
    if (known.size >= MAX_KNOWN_QUERIES) known.clear();
    if (rest.length <= MAX_KNOWN_LENGTH) known.set(rest, given);
    return given;
  };
}

/** These bound the memory for known queries. */
const MAX_KNOWN_QUERIES = 1_000;
const MAX_KNOWN_LENGTH = 200;

/** Returns undefined if the parameters are invalid. Fastify then gets the request and reports what is wrong. */
function readQuietly(route: Route, rest: string): unknown {
  try {
    return route.read(rest);
  } catch {
    return undefined;
  }
}
