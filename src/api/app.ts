import { createExecutor, createIdentify } from '../accounts/charging/execute.ts';
import type { UserOperation } from '../accounts/charging/operation.ts';
import { fail } from '../base/errors.ts';
import { createErrorLog } from '../base/observability/error-log.ts';
import { createApp, type Rules } from '../http/app.ts';
import { defaultTransportLimits, type TransportLimits } from '../http/connections.ts';
import { describeError } from '../http/errors.ts';
import { checkExpectation, checkHost, type HttpRequest, requireSite } from '../http/request.ts';
import type { Route } from '../http/route.ts';
import type { AppServices } from './app-services.ts';
import { type Contract, describeContract, renderContract } from './contract.ts';
import { meteringHeaders, pageHeaders } from './serving/answers.ts';
import { createCredentialSteps } from './serving/operation.ts';
import { operations } from './table.ts';

/**
 * The JSON API: routes of the server (`http/`), built from services. This folder owns what the API promises: credential, charged routes, the
 * contract. This folder does not own the process that runs the app (`server/`), the rules of the domain or any SQL.
 */
export function buildApp(services: AppServices, limits: TransportLimits = defaultTransportLimits) {
  const { log, metrics, version, clock, apiKeys, reconcileLinks, meter, shared, trustedProxies, showFailure } =
    services;
  const errorLog = createErrorLog(log);
  const style = { docsUrl: () => `${services.publicUrl()}/docs/errors`, showFailure, errorLog };
  const app = createApp({ log, metrics, style, trustedProxies, limits, rules: createRules(services, limits) });

  const guesses = { maxDelayMs: limits.guessDelayMs, guesses: shared.guesses };
  const executor = createExecutor({ identify: createIdentify({ apiKeys, reconcileLinks, guesses }), meter });
  // When the server stops, unsent parts of answers are refunded before the database is closed.
  app.onClose(() => executor.whenDelivered());
  app.onClose(() => errorLog.close());
  let described: Contract | undefined;
  const contract = () => {
    described ??= describeContract(operations, version);
    return described;
  };
  const api = {
    ...services,
    ...{ executor, limits, now: () => clock.now(), contract: () => renderContract(contract()) },
    reportFailure: errorLog.report,
    describeError: (error: unknown, requestId: string) => describeError(error, requestId, style),
  };
  const userOperations = new Map<string, UserOperation>();
  const credentialSteps = createCredentialSteps(services, executor);
  for (const row of operations) {
    const { serve, schema: _, ...route } = row;
    const { forUser, before = [], handler } = serve(api);
    const steps = [...before, ...credentialSteps(row)];
    app.route({ ...route, handler, operation: row, ...(steps.length > 0 && { before: steps }) });
    if (forUser !== undefined) userOperations.set(row.operationId, forUser);
  }
  return { app, contract, executor, userOperations };
}

const STARTING = { message: 'The service is starting: try again shortly.', retryAfter: 1 };

/**
 * Which pages of other origins may read responses in a browser (CORS). Public operations, and operations whose protocol demands open access: all
 * pages. Data operations: pages of the origins that the operator lists. Account operations and the portal: none. Browsers never send our cookie
 * along, because no response allows credentials.
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
/** The headers that a page may send with a body, which only the endpoint for assistants takes. */
const ALLOWED_WITH_BODY = `${ALLOWED}, Content-Type, Mcp-Method, Mcp-Name, Mcp-Protocol-Version`;

function createRules({ corsOrigins, site, isPrepared }: AppServices, { urlLength }: TransportLimits): Rules {
  function isListed({ headers: { origin } }: HttpRequest, { operation }: Route): boolean {
    const isData = operation?.credential === 'key' && operation.isOpenToPages !== true;
    return isData && origin !== undefined && corsOrigins.includes(origin);
  }

  return {
    shareHeaders({ operation }) {
      if (operation?.isOpenToPages === true) return { ...DATA_HEADERS, 'access-control-allow-origin': '*' };
      if (operation?.credential === 'none') return PUBLIC_HEADERS;
      return operation?.credential === 'key' && corsOrigins.length > 0 ? { vary: 'Origin' } : {};
    },
    receive(request, reply, route) {
      const { raw, headers, url } = request;
      if (headers.origin !== undefined && route !== undefined && isListed(request, route))
        reply.headers(DATA_HEADERS).header('access-control-allow-origin', headers.origin);
      checkHost(raw);
      if (site.isClosed) requireSite(raw, site);
      checkExpectation(raw);
      if (url.length > urlLength) throw fail('uri_too_long');
    },
    answerPreflight(request, reply, route, methods) {
      const { origin, 'access-control-request-method': wanted } = request.headers;
      if (request.method !== 'OPTIONS' || wanted === undefined || origin === undefined) return false;
      const { credential, isOpenToPages } = route.operation ?? {};
      if (credential !== 'none' && isOpenToPages !== true && !isListed(request, route)) return false;
      const headers = {
        'access-control-allow-methods': methods.join(', '),
        'access-control-allow-headers': methods.includes('POST') ? ALLOWED_WITH_BODY : ALLOWED,
        'access-control-max-age': '600',
      };
      reply.code(204).headers(headers).send();
      return true;
    },
    admit({ raw }, { operation }) {
      // Pages are not operations: each page shows which of its parts are not available yet.
      if (operation !== undefined && operation.needsNoData !== true && !isPrepared())
        throw fail('service_unavailable', STARTING);
      // A browser sends its cookies to pages and to operations with a session. Other operations accept any host name: probes use an address, and API
      // clients send a key that no browser adds by itself.
      if ((operation?.credential ?? 'session') === 'session') requireSite(raw, site);
    },
  };
}
