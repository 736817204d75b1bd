import type { PricedOperation, Reply } from '../../accounts/charging/operation.ts';
import { fail } from '../../base/errors.ts';
import { exceedsBounds } from '../../base/json/json-bounds.ts';
import type { Site } from '../../base/site.ts';
import { parseJson } from '../../http/bodies.ts';
import { requireSite } from '../../http/host.ts';
import { type HttpReply, JSON_TYPE } from '../../http/reply.ts';
import type { HttpRequest } from '../../http/request.ts';
import { charge, denialFailure, guardBody, reportLimits, takeExchange } from '../serving/charge.ts';
import type { Row } from '../serving/operation.ts';
import type { Protocol } from './protocol.ts';
import type { ToolAnswer } from './tool.ts';

const URL_OF_REQUEST = 'http://localhost/mcp';

interface Sent {
  readonly status: number;
  readonly text: string | undefined;
}

interface Message {
  readonly body: unknown;
  answer(body: object): Sent | Promise<Sent>;
}

/** Every message counts in the rate window. A tool call is a separate operation, which is counted and charged by the executor. */
const message: PricedOperation<Message, object, Sent> = {
  needs: { credential: 'key', plan: 'any' },
  price: 'free',
  read({ body }) {
    if (!isMessage(body)) throw fail('invalid_request', { message: NOT_A_MESSAGE });
    return body;
  },
  answer: (body, { input }) => input.answer(body),
};

/**
 * The endpoint for assistants: one message of the Model Context Protocol per request. A message is authenticated and counted like a request to the
 * API, and `protocol.ts` answers it. Other methods are answered with 405, because there are no sessions and no streams.
 */
export const mcp: Row = {
  method: 'POST',
  url: '/mcp',
  operationId: 'mcp',
  tag: 'Registry',
  summary: 'Model Context Protocol',
  credential: 'key',
  // A message is free. The tool that it calls determines the price.
  price: 'free',
  plan: 'any',
  isOutsideContract: true,
  bodies: { 'application/json': readMessage },
  schema: {},
  serve(api) {
    const { site, corsOrigins, metrics, executor, now, reportFailure } = api;
    const { before, refuse } = guardBody(api);
    let protocol: Promise<Protocol> | undefined;

    async function handler(request: HttpRequest, reply: HttpReply): Promise<HttpReply | undefined> {
      const { body } = request;
      let called: Reply<ToolAnswer> | undefined;
      async function answer(given: object): Promise<Sent> {
        // Loading the package takes a tenth of a second, so the first message loads it.
        protocol ??= import('./protocol.ts').then(({ createProtocol }) => createProtocol(api));
        const response = await (await protocol).answer(toWebRequest(request), given, {
          async perform(operation, input) {
            called = await executor.perform(operation, takeExchange(request, reply, input));
            return called;
          },
          now,
          reportFailure: (failure) => reportFailure(failure, request.id),
          count: (tool, outcome) => metrics.count('mcp_tool_calls_total', { tool, outcome }),
        });
        return { status: response.status, text: response.body === null ? undefined : await response.text() };
      }
      const answered = isToolCall(body) ? await answer(body) : undefined;
      if (answered !== undefined && called !== undefined) {
        reportReply(reply, called, now());
        return send(reply, answered);
      }
      // The message is not a tool call, or the protocol rejected it before a tool was called.
      const input: Message = { body, answer: (given) => answered ?? answer(given) };
      charge(api, message, takeExchange(request, reply, input), (sent) => void send(reply, sent).finish());
      return undefined;
    }

    function requireKnownPage(request: HttpRequest): void {
      requireSite(request.raw, site);
      requireOrigin(request, site, corsOrigins);
    }

    return { before: [requireKnownPage, ...before], refuse, handler };
  },
};

/**
 * Bounds of a message. The package of the protocol validates every level and value of it, which took 6 to 11 µs each. The
 * official client sent at most 4 levels and 16 values in 125 messages of both revisions; other clients were not measured.
 */
const BOUNDS = { maxDepth: 16, maxValues: 256 };
const TOO_COMPLEX = `The message is too complex: send at most ${BOUNDS.maxValues} values in at most ${BOUNDS.maxDepth} levels.`;

/** Rejects the text of a message that would take long to read, before anything is built from it. */
function readMessage(bytes: Buffer): unknown {
  const text = bytes.toString();
  if (exceedsBounds(text, BOUNDS)) throw fail('invalid_request', { message: TOO_COMPLEX });
  return parseJson(text);
}

/** A tool reports an error as its result. The limits are in headers even then. */
function reportReply(reply: HttpReply, called: Reply<unknown>, now: number): void {
  if (called.limits !== null) reportLimits(reply, called.limits, now);
  if (called.outcome === 'denied') reply.headers(denialFailure(called, now).headers);
}

const NOT_A_MESSAGE = 'Send one JSON-RPC message as a JSON object: this endpoint does not take batches.';

function isMessage(body: unknown): body is Readonly<Record<string, unknown>> {
  return typeof body === 'object' && body !== null && !Array.isArray(body);
}

function isToolCall(body: unknown): body is object {
  return isMessage(body) && body.method === 'tools/call';
}

/**
 * Browsers name the origin of the page in every POST. A page of another site, which may have taken over the name of this machine by
 * DNS rebinding, gets no answer, as the protocol demands. Programs send no origin.
 */
function requireOrigin({ headers: { origin } }: HttpRequest, site: Site, corsOrigins: readonly string[]): void {
  if (origin === undefined || site.hasOrigin(origin) || corsOrigins.includes(origin)) return;
  throw fail('csrf_rejected', {
    message: 'Pages of this origin may not use this endpoint: if you run the server, add the origin to CORS_ORIGINS.',
  });
}

/** Headers that are not passed on to the protocol package, because they contain secrets. */
const CREDENTIALS = new Set(['authorization', 'x-api-key', 'cookie']);

function toWebRequest({ headers }: HttpRequest): Request {
  const passed = Object.entries(headers).filter(([name]) => !CREDENTIALS.has(name));
  return new Request(URL_OF_REQUEST, {
    method: 'POST',
    headers: passed.flatMap(([name, value]) => [value ?? []].flat().map((each): [string, string] => [name, each])),
  });
}

function send(reply: HttpReply, { status, text }: Sent): HttpReply {
  reply.code(status);
  return text === undefined ? reply.send() : reply.type(JSON_TYPE).send(text);
}
