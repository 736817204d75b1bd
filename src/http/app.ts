import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, { type FastifyBaseLogger, LogController } from 'fastify';
import type { ApiKeys } from '../accounts/api-keys.ts';
import type { Sessions } from '../accounts/sessions.ts';
import type { Billing } from '../billing/billing.ts';
import type { Clock } from '../core/clock.ts';
import { type Failure, fail, statusOf } from '../core/errors.ts';
import { takeRequestId } from '../core/ids.ts';
import type { ReadBilling, ReadUsage } from '../core/usage.ts';
import type { Meter } from '../metering/meter.ts';
import type { Metrics } from '../observability/metrics.ts';
import { observe } from '../observability/request-log.ts';
import type { Registry } from '../registry/registry.ts';
import type { Search } from '../search/search.ts';
import { requireApiKey } from './api-key.ts';
import type { App } from './app-type.ts';
import { type Contract, collectContract } from './contract.ts';
import { answerOnSocket, type ParserError, parserFailure, type ShowFailure, sendFailure } from './errors.ts';
import type { Guesses } from './guess-throttle.ts';
import { checkHost } from './host.ts';
import { collectPaths } from './not-found.ts';
import { registerAccount } from './routes/account.ts';
import { registerApiKeys } from './routes/api-keys.ts';
import { registerBilling } from './routes/billing.ts';
import { registerCountries } from './routes/countries.ts';
import { registerEntities } from './routes/entities.ts';
import { registerHealth } from './routes/health.ts';
import { registerMe } from './routes/me.ts';
import { registerOpenApi } from './routes/openapi.ts';
import { registerPlans } from './routes/plans.ts';
import { registerWebhook } from './routes/webhook.ts';
import { securityHeaders } from './security-headers.ts';
import { requireSession } from './session.ts';
import { validateRequests } from './validation.ts';

/**
 * The JSON API: a Fastify app built from services, independent of the process that runs it. Everything every request
 * goes through stands here, in order: limits → request id → observation → 404/405 → routes → errors.
 */
export interface AppServices {
  readonly version: string;
  /** Base of the links in replies; a function, for the port may be known only once we listen. */
  readonly publicUrl: () => string;
  readonly log: FastifyBaseLogger;
  readonly metrics: Metrics;
  /** Whether the databases answer and their schema is current. */
  readonly isReady: () => Promise<boolean>;
  /** Whether they once did: before that nobody's key or session can be looked up. */
  readonly isPrepared: () => boolean;
  readonly registry: Pick<Registry, 'version' | 'listCountries' | 'findEntity'>;
  readonly search: Search;
  readonly apiKeys: ApiKeys;
  /** Memory that all serving threads of the process share. */
  readonly shared: { readonly guesses: Guesses };
  readonly meter: Meter;
  readonly clock: Clock;
  readonly sessions: Sessions;
  readonly readUsage: ReadUsage;
  readonly readBilling: ReadBilling;
  readonly billing: Pick<Billing, 'openCheckout' | 'openPortal' | 'receive'>;
  /** Of the pages on the same server; without it an error is JSON everywhere. */
  readonly showFailure?: ShowFailure;
}

/** Bounds against slow and huge requests. */
export interface Limits {
  readonly bodyBytes: number;
  readonly urlLength: number;
  readonly headerBytes: number;
  readonly headersMs: number;
  readonly requestMs: number;
  /** A socket on which nothing moves for this long is closed. */
  readonly idleMs: number;
  /** How often node looks for requests that are late. */
  readonly checkEveryMs: number;
  /** How long the answer to yet another wrong API key of one address is held back at most. */
  readonly guessDelayMs: number;
}

export const defaultLimits: Limits = {
  bodyBytes: 64 * 1024,
  urlLength: 8 * 1024,
  headerBytes: 24 * 1024,
  headersMs: 10_000,
  requestMs: 15_000,
  idleMs: 120_000,
  checkEveryMs: 2_000,
  guessDelayMs: 1_000,
};

export interface BuiltApp {
  readonly app: App;
  /** The contract of the routes registered so far. */
  readonly contract: () => Contract;
}

export function buildApp(services: AppServices, limits: Limits = defaultLimits): BuiltApp {
  const { log, metrics, version } = services;
  const docsUrl = () => `${services.publicUrl()}/docs/errors`;
  const style = () => ({ docsUrl: docsUrl(), showFailure: services.showFailure });

  const app: App = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: (logger) => logger,
    genReqId: (request) => takeRequestId(request.headers['x-request-id']),
    requestIdHeader: false,
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.requestMs,
    connectionTimeout: limits.idleMs,
    return503OnClosing: false,
    // A Host header is required by us (below), for node's own refusal has no body and no request id.
    http: {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersMs,
      connectionsCheckingInterval: limits.checkEveryMs,
      requireHostHeader: false,
    },
    routerOptions: { maxParamLength: limits.urlLength },
    frameworkErrors: (error, request, reply) => {
      reply.headers(securityHeaders).header('X-Request-ID', request.id);
      observe(request, reply, metrics);
      sendFailure(request, reply, error, style());
    },
    clientErrorHandler: answerClientError,
  }).withTypeProvider<TypeBoxTypeProvider>();
  app.server.on('checkExpectation', (_request, response) => {
    answerOnWire(fail('invalid_request', { message: 'This expectation cannot be met.' }), response.socket as Socket);
  });
  app.server.on('connect', (_request, socket) => {
    answerOnWire(fail('method_not_allowed', { headers: { Allow: 'GET, HEAD' } }), socket as Socket);
  });
  app.removeContentTypeParser('text/plain');

  validateRequests(app);
  const refuseUnmatched = collectPaths(app);
  const contract = collectContract(app, version);

  app.decorateRequest('accountId', null);
  app.decorateRequest('keyId', null);
  app.decorateRequest('caller', null);
  app.decorateRequest('signedIn', null);
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(securityHeaders).header('X-Request-ID', request.id);
    observe(request, reply, metrics);
    checkHost(request.raw);
    if (request.url.length > limits.urlLength) throw fail('uri_too_long');
    if (request.is404) refuseUnmatched(request);
    const needs = request.routeOptions.config.operation?.authentication ?? 'none';
    if (needs !== 'none' && !services.isPrepared()) throw starting();
    done();
  });
  app.setErrorHandler((error, request, reply) => sendFailure(request, reply, error, style()));

  const gate = {
    version,
    requireApiKey: requireApiKey(services.apiKeys, {
      slowestMs: limits.guessDelayMs,
      guesses: services.shared.guesses,
    }),
    meter: services.meter,
    now: () => services.clock.now(),
  };
  registerCountries(app, services, gate);
  registerEntities(app, services, gate);
  const sessionHook = requireSession(services.sessions, services.publicUrl);
  registerAccount(app, services, sessionHook);
  registerMe(app, sessionHook);
  registerApiKeys(app, services, sessionHook);
  registerBilling(app, services, sessionHook);
  registerWebhook(app, services);
  registerHealth(app, services);
  registerPlans(app);
  registerOpenApi(app, contract);
  return { app, contract };

  function answerClientError(error: ParserError, socket: Socket): void {
    // A reply that has begun cannot be taken back, and a broken connection cannot be written to.
    const begun = (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage?.headersSent === true;
    if (error.code === 'ECONNRESET' || !socket.writable || begun) {
      socket.destroy();
      return;
    }
    answerOnWire(parserFailure(error, limits.urlLength), socket, error.code);
  }

  /** For what never becomes a request of Fastify's: the same reply, log line and observation by hand. */
  function answerOnWire(failure: Failure, socket: Socket, reason?: string): void {
    const status = statusOf(failure.code);
    const requestId = answerOnSocket(socket, failure, docsUrl());
    metrics.observeRequest('other', 'unparsed', status, 0);
    const line = { requestId, method: null, route: 'unparsed', status, durationMs: 0, accountId: null, keyId: null };
    log.info({ ...line, reason }, 'request');
  }
}

function starting(): Failure {
  return fail('service_unavailable', { message: 'The service is starting: try again shortly.', retryAfter: 1 });
}
