import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Failure, fail } from '../../core/errors.ts';
import type { Site } from '../../core/site.ts';
import type { Exchange } from '../../mcp/call.ts';
import type { Mcp } from '../../mcp/mcp.ts';
import { checkMessage } from '../../mcp/message.ts';
import type { Denial, Limits } from '../../metering/charge.ts';
import { countRequest } from '../../metering/charge-units.ts';
import type { Metrics } from '../../observability/metrics.ts';
import { callerOf } from '../api-key.ts';
import type { App } from '../app-type.ts';
import type { DataGate } from '../data-route.ts';
import { requireSite } from '../host.ts';
import { denialFailure, writeLimitHeaders } from '../limit-headers.ts';

export interface McpServices {
  readonly mcp: Mcp;
  readonly site: Site;
  readonly corsOrigins: readonly string[];
  readonly metrics: Pick<Metrics, 'countToolCall'>;
}

const URL_OF_REQUEST = 'http://localhost/mcp';

/**
 * The endpoint for assistants: one message of the Model Context Protocol per request. It is authenticated and counted like the API, and
 * `mcp/` answers it and charges for it. Other methods are answered with 405, because there are no sessions and no streams.
 */
export function registerMcp(
  app: App,
  { mcp, site, corsOrigins, metrics }: McpServices,
  { requireApiKey, meter, now }: DataGate,
  reportFailure: (failure: Failure, requestId: string) => void,
): void {
  /** Requests that were counted, or that a tool has tried to count. */
  const settled = new WeakSet<FastifyRequest>();

  function reportLimits(request: FastifyRequest, reply: FastifyReply, limits: Limits): void {
    settled.add(request);
    reply.headers(writeLimitHeaders(limits, now()));
  }

  async function count(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (settled.has(request)) return;
    settled.add(request);
    const counted = await countRequest(meter, callerOf(request), request.deadline);
    reportLimits(request, reply, counted.limits);
    if (counted.outcome === 'denied') throw denialFailure(counted, now());
  }

  async function handler(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { body, deadline } = request;
    const exchange: Exchange = {
      caller: callerOf(request),
      deadline,
      now,
      reportLimits: (limits) => reportLimits(request, reply, limits),
      reportDenial: (denial: Denial) => void reply.headers(denialFailure(denial, now()).headers),
      reportFailure: (failure) => reportFailure(failure, request.id),
      count(tool, outcome) {
        settled.add(request);
        metrics.countToolCall(tool, outcome);
      },
    };
    if (!isToolCall(body)) await count(request, reply);
    if (!isMessage(body)) throw fail('invalid_request', { message: NOT_A_MESSAGE });
    const response = await mcp.answer(toWebRequest(request), body, exchange);
    // The protocol rejects some calls before they reach a tool.
    await count(request, reply);
    return sendResponse(reply, response);
  }

  app.register(async (scope: App) => {
    const parse = scope.getDefaultJsonParser('error', 'error');
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
      checkMessage(text as string);
      parse(request, text as string, done);
    });
    // What is rejected before it reaches the handler, such as a body that is too large, counts as well.
    scope.setErrorHandler(async (error, request, reply) => {
      if (request.caller !== null) await count(request, reply);
      throw error;
    });
    scope.post(
      '/mcp',
      {
        config: {
          operation: {
            operationId: 'mcp',
            tag: 'Registry',
            summary: 'Model Context Protocol',
            authentication: 'apiKey',
            isOutsideContract: true,
          },
        },
        onRequest: [
          (request, _reply, done) => {
            requireSite(request.raw, site);
            requireOrigin(request, site, corsOrigins);
            done();
          },
          requireApiKey,
        ],
      },
      handler,
    );
  });
}

const NOT_A_MESSAGE = 'Send one JSON-RPC message as a JSON object: this endpoint does not take batches.';

function isMessage(body: unknown): body is Readonly<Record<string, unknown>> {
  return typeof body === 'object' && body !== null && !Array.isArray(body);
}

/** A tool counts its call itself, together with its charge. */
function isToolCall(body: unknown): boolean {
  return isMessage(body) && body.method === 'tools/call';
}

/**
 * Browsers name the origin of the page in every POST. A page of another site, which may have taken over the name of this machine by
 * DNS rebinding, gets no answer, as the protocol demands. Programs send no origin.
 */
function requireOrigin({ headers: { origin } }: FastifyRequest, site: Site, corsOrigins: readonly string[]): void {
  if (origin === undefined || site.hasOrigin(origin) || corsOrigins.includes(origin)) return;
  throw fail('csrf_rejected', {
    message: 'Pages of this origin may not use this endpoint: if you run the server, add the origin to CORS_ORIGINS.',
  });
}

/** The key stays here. */
const CREDENTIALS = new Set(['authorization', 'x-api-key', 'cookie']);

function toWebRequest({ headers }: FastifyRequest): Request {
  const passed = Object.entries(headers).filter(([name]) => !CREDENTIALS.has(name));
  return new Request(URL_OF_REQUEST, {
    method: 'POST',
    headers: passed.flatMap(([name, value]) => [value ?? []].flat().map((each): [string, string] => [name, each])),
  });
}

async function sendResponse(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  reply.code(response.status);
  if (response.body === null) return reply.send();
  return reply.type(response.headers.get('content-type') ?? 'application/json').send(await response.text());
}
