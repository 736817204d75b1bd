import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { meteringHeaders, pageHeaders } from '../answers.ts';
import type { Authentication } from '../contract.ts';
import type { Paths } from '../paths.ts';
import { addVary } from './vary.ts';

/**
 * Which pages of other origins may read responses in a browser (CORS). Public operations, and those of a protocol that demands it: all
 * pages. Data operations: pages of the origins that the operator lists. Account operations and the portal: none. Browsers never send our
 * cookie along, because no response allows credentials.
 */
interface Cors {
  /** Adds the headers to an error that was thrown before the route was reached. */
  allow(request: FastifyRequest, reply: FastifyReply): void;
  /** Answers a preflight request, if a page of this origin may use the path. Returns whether it did. */
  answersPreflight(request: FastifyRequest, reply: FastifyReply): boolean;
}

const PUBLIC_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Retry-After, X-Request-ID',
};

const EXPOSED = [
  ...['Accept-Ranges', 'Content-Range', 'ETag', 'Link', 'Retry-After', 'X-Data-Version', 'X-Request-ID'],
  ...meteringHeaders,
  ...pageHeaders,
];

const DATA_HEADERS = { 'access-control-expose-headers': EXPOSED.join(', ') };

const ALLOWED = 'Authorization, If-None-Match, If-Range, Range, X-API-Key, X-Request-ID';
/** Where clients send a body: the endpoint for assistants. */
const ALLOWED_WITH_BODY = `${ALLOWED}, Content-Type, Mcp-Method, Mcp-Name, Mcp-Protocol-Version`;

/** What decides about a path: fields of its operation. */
interface Access {
  readonly authentication: Authentication | undefined;
  readonly isOpenToPages?: boolean;
}

function describePreflight(methods: ReadonlySet<string>): Record<string, string> {
  return {
    'access-control-allow-methods': [...methods].sort().join(', '),
    'access-control-allow-headers': methods.has('POST') ? ALLOWED_WITH_BODY : ALLOWED,
    'access-control-max-age': '600',
  };
}

/** Adds the headers to every route that is registered after this call. */
export function allowOrigins(app: FastifyInstance, paths: Paths, listed: readonly string[]): Cors {
  const origins = new Set(listed);

  /** Returns whether a page of the request's origin may read the response. */
  function allowFor(operation: Access | undefined, request: FastifyRequest, reply: FastifyReply): boolean {
    const { authentication, isOpenToPages = false } = operation ?? {};
    if (isOpenToPages) {
      reply.headers(DATA_HEADERS).header('access-control-allow-origin', '*');
      return true;
    }
    if (authentication === 'none') {
      reply.headers(PUBLIC_HEADERS);
      return true;
    }
    if (authentication !== 'apiKey' || origins.size === 0) return false;
    addVary(reply, 'Origin');
    const { origin } = request.headers;
    if (origin === undefined || !origins.has(origin)) return false;
    reply.headers(DATA_HEADERS).header('access-control-allow-origin', origin);
    return true;
  }

  app.addHook('onRoute', (route) => {
    const operation = route.config?.operation;
    const isOpen = operation?.authentication === 'none' || operation?.isOpenToPages === true;
    // Without listed origins, data routes are not slowed down by a hook.
    if (!isOpen && (operation?.authentication !== 'apiKey' || origins.size === 0)) return;
    const allow: onRequestHookHandler = (request, reply, done) => {
      allowFor(operation, request, reply);
      done();
    };
    route.onRequest = [allow, ...[route.onRequest ?? []].flat()];
  });

  return {
    allow(request, reply) {
      const { operation = undefined } = request.is404 ? {} : request.routeOptions.config;
      allowFor(operation ?? paths.find(request), request, reply);
    },
    answersPreflight(request, reply) {
      const { method, headers } = request;
      if (method !== 'OPTIONS' || headers.origin === undefined) return false;
      if (headers['access-control-request-method'] === undefined) return false;
      const path = paths.find(request);
      if (path === undefined || !allowFor(path, request, reply)) return false;
      reply.code(204).headers(describePreflight(path.methods)).send();
      return true;
    },
  };
}
