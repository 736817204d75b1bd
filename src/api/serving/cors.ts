import type { Rules } from '../../http/app.ts';
import type { HttpRequest } from '../../http/request.ts';
import type { Route } from '../../http/route.ts';
import { meteringHeaders, pageHeaders } from './answers.ts';

/**
 * Which pages of other origins may read responses in a browser (CORS). Public operations, and those of a protocol that demands it: all
 * pages. Data operations: pages of the origins that the operator lists. Account operations and the portal: none. Browsers never send our
 * cookie along, because no response allows credentials.
 */
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

type OriginRules = Pick<Rules, 'shareHeaders' | 'allowOrigin' | 'answerPreflight'>;

export function createOriginRules(listed: readonly string[]): OriginRules {
  const origins = new Set(listed);

  function isListed({ headers: { origin } }: HttpRequest, { operation }: Route): boolean {
    const isData = operation?.authentication === 'apiKey' && operation.isOpenToPages !== true;
    return isData && origin !== undefined && origins.has(origin);
  }

  return {
    shareHeaders({ operation }) {
      if (operation?.isOpenToPages === true) return { ...DATA_HEADERS, 'access-control-allow-origin': '*' };
      if (operation?.authentication === 'none') return PUBLIC_HEADERS;
      return operation?.authentication === 'apiKey' && origins.size > 0 ? { vary: 'Origin' } : {};
    },
    allowOrigin(request, reply, route) {
      const { origin } = request.headers;
      if (origin === undefined || !isListed(request, route)) return;
      reply.headers(DATA_HEADERS).header('access-control-allow-origin', origin);
    },
    answerPreflight(request, reply, route, methods) {
      const { method, headers } = request;
      const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
      if (!isPreflight || headers.origin === undefined) return false;
      const { authentication, isOpenToPages } = route.operation ?? {};
      if (authentication !== 'none' && isOpenToPages !== true && !isListed(request, route)) return false;
      reply.code(204).headers(describePreflight(methods)).send();
      return true;
    },
  };
}

function describePreflight(methods: readonly string[]): Record<string, string> {
  return {
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': methods.includes('POST') ? ALLOWED_WITH_BODY : ALLOWED,
    'access-control-max-age': '600',
  };
}
