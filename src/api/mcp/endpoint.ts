import type { PricedOperation, Reply } from '../../accounts/charging/operation.ts';
import { fail } from '../../base/errors.ts';
import { exceedsBounds } from '../../base/json/json-bounds.ts';
import { parseJson } from '../../http/bodies.ts';
import { type HttpReply, JSON_TYPE } from '../../http/reply.ts';
import { type HttpRequest, requireSite } from '../../http/request.ts';
import { type Call, charge, denialFailure, type Row, reportLimits, startExchange } from '../serving/operation.ts';
import type { Protocol, Sent } from './protocol.ts';
import type { ToolAnswer } from './tool.ts';

const URL_OF_REQUEST = 'http://localhost/mcp';

/**
 * The endpoint for assistants: one message of the Model Context Protocol per request. A message is authenticated and counted like a request to the
 * API, and `protocol.ts` answers it. Every message counts in the rate window. A tool call is a separate operation, which is counted and charged by
 * the executor. Other methods are answered with 405, because there are no sessions and no streams.
 */
export const mcp: Row = {
  method: 'POST',
  url: '/mcp',
  operationId: 'mcp',
  tag: 'Registry',
  summary: 'Model Context Protocol',
  credential: 'key',
  isOutsideContract: true,
  bodies: { 'application/json': readMessage },
  schema: {},
  serve(api) {
    const { site, corsOrigins, metrics, executor, now, reportFailure } = api;
    let protocol: Promise<Protocol> | undefined;

    /** Also returns the reply of the tool that the message has called. */
    async function answer(request: HttpRequest, reply: HttpReply, given: object) {
      let called: Reply<ToolAnswer> | undefined;
      // Loading the package takes a tenth of a second, so the first message loads it.
      protocol ??= import('./protocol.ts').then(({ createProtocol }) => createProtocol(api));
      const sent = await (await protocol).answer(toWebRequest(request), given, {
        async perform(operation, input) {
          called = await executor.perform(operation, startExchange(request, reply, input));
          return called;
        },
        reportFailure: (failure) => reportFailure(failure, request.id),
        count: (tool, outcome) => metrics.count('mcp_tool_calls_total', { tool, outcome }),
      });
      return { sent, called };
    }

    async function handler(request: HttpRequest, reply: HttpReply): Promise<HttpReply | undefined> {
      const answered = isToolCall(request) ? await answer(request, reply, request.body as object) : undefined;
      if (answered?.called !== undefined) {
        const { called, sent } = answered;
        // A tool reports an error as its result. The limits are in headers even then.
        if (called.limits !== null) reportLimits(reply, called.limits, now());
        if (called.outcome === 'denied') reply.headers(denialFailure(called, now()).headers);
        return send(reply, sent);
      }
      // The message is not a tool call, or the protocol rejected it before a tool was called.
      const message: PricedOperation<Call, object, Sent> = {
        price: 'free',
        read: readRequest,
        answer: async (given) => (answered ?? (await answer(request, reply, given))).sent,
      };
      charge(api, message, { request, reply }, (sent) => send(reply, sent));
      return undefined;
    }

    /** Browsers name the origin in every POST. As the protocol demands, a page of another site gets no answer. Programs send no origin. */
    function requireKnownPage({ raw, headers: { origin } }: HttpRequest): void {
      requireSite(raw, site);
      if (origin === undefined || site.hasOrigin(origin) || corsOrigins.includes(origin)) return;
      throw fail('csrf_rejected', { message: OTHER_ORIGIN });
    }

    return { before: [requireKnownPage], handler };
  },
};

const OTHER_ORIGIN =
  'Pages of this origin may not use this endpoint: if you run the server, add the origin to CORS_ORIGINS.';

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

function readRequest({ request: { body } }: Call): object {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
  throw fail('invalid_request', {
    message: 'Send one JSON-RPC message as a JSON object: this endpoint does not take batches.',
  });
}

function isToolCall(request: HttpRequest): boolean {
  return request.bodyError === undefined && (request.body as { method?: unknown } | null)?.method === 'tools/call';
}

/** Headers that are not passed on to the protocol package, because they contain secrets. */
const CREDENTIALS = ['authorization', 'x-api-key', 'cookie'];

function toWebRequest({ headers }: HttpRequest): Request {
  const passed = new Headers();
  for (const [name, value] of Object.entries(headers)) if (!CREDENTIALS.includes(name)) passed.set(name, String(value));
  return new Request(URL_OF_REQUEST, { method: 'POST', headers: passed });
}

function send(reply: HttpReply, { status, text }: Sent): HttpReply {
  reply.code(status);
  return text === undefined ? reply.send() : reply.type(JSON_TYPE).send(text);
}
