import type { IncomingMessage } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, { type FastifyBaseLogger, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { type Failure, fail } from '../core/errors.ts';
import { takeRequestId } from '../core/ids.ts';
import { createErrorLog } from '../observability/error-log.ts';
import { createRequestRecorder, observeRequest } from '../observability/request-log.ts';
import { createExecutor, type Executor } from '../operations/execute.ts';
import { createIdentify } from '../operations/identify.ts';
import type { Trial } from '../operations/operation.ts';
import type { AppServices } from './app-services.ts';
import type { App } from './app-type.ts';
import { createDataLane } from './charged/lane.ts';
import { createReplyWriter } from './charged/reply.ts';
import { type Contract, collectContract } from './contract.ts';
import { describeError, sendFailure } from './errors.ts';
import { collectPaths } from './paths.ts';
import { registerRoutes } from './routes.ts';
import { baseHeaders } from './transport/base-headers.ts';
import { createAddressFinder, networkProperty, trustProxies } from './transport/client-address.ts';
import { compressReplies } from './transport/compressed-replies.ts';
import { allowOrigins } from './transport/cors.ts';
import { endEmptyBodies } from './transport/empty-bodies.ts';
import { checkExpectation, checkHost, protectSessions, requireSite } from './transport/host.ts';
import { readJsonBodies } from './transport/json-body.ts';
import { defaultTransportLimits, type TransportLimits } from './transport/limits.ts';
import { createPipelining } from './transport/pipelining.ts';
import { closeStuckConnections } from './transport/stuck-connections.ts';
import { createParserErrorHandler, handleServerEvents } from './transport/transport-errors.ts';
import { validateRequests } from './validation.ts';

/**
 * The JSON API: a Fastify app built from services. This folder owns everything that is HTTP: authentication, validation, headers,
 * the contract, the translation of failures into responses. It does not own the process that runs the app (`serving/`), the rules
 * of the domain or any SQL.
 *
 * This file shows what every request passes, in order: limits → request id → log and metrics → 404/405 and CORS → routes →
 * errors → compression.
 */
interface BuiltApp {
  readonly app: App;
  /** The contract of the routes. Call it when all routes are registered. */
  readonly contract: () => Contract;
  /** Runs the charged operations of the API and of the pages. */
  readonly executor: Executor;
  /** The operations that pages can run, by id. */
  readonly trials: ReadonlyMap<string, Trial>;
}

export function buildApp(services: AppServices, limits: TransportLimits = defaultTransportLimits): BuiltApp {
  const { log, metrics, site, version } = services;
  const docsUrl = () => `${services.publicUrl()}/docs/errors`;
  const errorLog = createErrorLog(log);
  const style = () => ({ docsUrl: docsUrl(), showFailure: services.showFailure, errorLog });
  const pipelining = createPipelining();
  const transport = { log, metrics, docsUrl, urlLength: limits.urlLength, pipelining };

  const trust = trustProxies(services.trustedProxies);
  const findAddress = createAddressFinder(trust);
  const record = createRequestRecorder(log, metrics);

  function begin(request: FastifyRequest, reply: FastifyReply): void {
    reply.headers(baseHeaders).header('X-Request-ID', request.id);
    request.address = findAddress(request.raw);
    request.startedAt = performance.now();
    observeRequest(request, reply, record);
  }

  /** What every request must satisfy, whichever route it is for. Throws otherwise. */
  function check(request: IncomingMessage): void {
    checkHost(request);
    if (site.isClosed) requireSite(request, site);
    checkExpectation(request);
    if ((request.url ?? '').length > limits.urlLength) throw fail('uri_too_long');
  }

  function admits(request: IncomingMessage): boolean {
    try {
      check(request);
      return services.isPrepared();
    } catch {
      return false;
    }
  }

  const app: App = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: (logger) => logger,
    genReqId: (request) => takeRequestId(request.headers['x-request-id']),
    requestIdHeader: false,
    trustProxy: trust ?? false,
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.requestMs,
    connectionTimeout: limits.idleMs,
    return503OnClosing: false,
    http: {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersMs,
      connectionsCheckingInterval: limits.checkEveryMs,
      // `checkHost` requires the header: Node's own rejection has no body and no request id.
      requireHostHeader: false,
      // Node would keep the first of several `Authorization` headers, and a proxy in front of us possibly the last. See `readBearer`.
      joinDuplicateHeaders: true,
      // Saves the events of a stream for each request without a body: see `endEmptyBodies`.
      optimizeEmptyRequests: true,
    },
    routerOptions: { maxParamLength: limits.urlLength },
    frameworkErrors: (error, request, reply) => {
      begin(request, reply);
      sendFailure(request, reply, error, style());
    },
    clientErrorHandler: createParserErrorHandler(transport),
  }).withTypeProvider<TypeBoxTypeProvider>();
  pipelining.follow(app.server);
  closeStuckConnections(app.server, limits);
  handleServerEvents(app, transport);
  app.addHook('onClose', async () => errorLog.close());
  app.removeContentTypeParser('text/plain');
  endEmptyBodies(app);
  readJsonBodies(app);

  validateRequests(app);
  const paths = collectPaths(app);
  const cors = allowOrigins(app, paths, services.corsOrigins);
  const contract = collectContract(app, version);

  app.decorateRequest('address', '');
  app.decorateRequest('network', networkProperty);
  app.decorateRequest('accountId', null);
  app.decorateRequest('startedAt', 0);
  app.decorateRequest('exchange', null);
  app.decorateRequest('signedIn', null);
  app.addHook('onRequest', (request, reply, done) => {
    begin(request, reply);
    check(request.raw);
    if (request.is404) {
      if (cors.answersPreflight(request, reply)) return;
      paths.rejectUnmatched(request);
    }
    if (hasEmptyName(request)) throw fail('not_found');
    if (!services.isPrepared() && needsData(request)) throw starting();
    done();
  });
  protectSessions(app, site);
  compressReplies(app);
  app.setErrorHandler((error, request, reply) => {
    cors.allow(request, reply);
    return sendFailure(request, reply, error, style());
  });

  const { corsOrigins, clock } = services;
  const now = () => clock.now();
  const { keepAliveTimeout: keepAliveMs } = app.server;
  const { apiKeys, reconcileLinks, meter, shared } = services;
  const guesses = { maxDelayMs: limits.guessDelayMs, guesses: shared.guesses };
  const executor = createExecutor({ identify: createIdentify({ apiKeys, reconcileLinks, guesses }), meter });
  // What is not sent of an answer when the server stops is refunded before the database is closed.
  app.addHook('onClose', () => executor.whenDelivered());
  const writer = createReplyWriter({ varyOnOrigin: corsOrigins.length > 0, keepAliveMs, now });
  const explain = (error: unknown, requestId: string) => describeError(error, requestId, style());
  const lane = createDataLane({ version, executor, findAddress, record, writer, describeError: explain, now, admits });
  const trials = new Map<string, Trial>();
  const gate = { version, executor, now, lane, trials, describeError: explain };
  registerRoutes(app, services, limits, contract, gate, errorLog);
  lane.open(app.server, app.routing);
  return { app, contract, executor, trials };
}

/** The router takes `/entities/` for the record with an empty id. */
function hasEmptyName({ params }: FastifyRequest): boolean {
  const values = params as Readonly<Record<string, string>>;
  for (const name in values) if (values[name] === '' && name !== '*') return true;
  return false;
}

/** Pages are not operations: they say themselves what they cannot show yet. */
function needsData(request: FastifyRequest): boolean {
  const { operation } = request.routeOptions.config;
  return operation !== undefined && operation.needsNoData !== true;
}

function starting(): Failure {
  return fail('service_unavailable', { message: 'The service is starting: try again shortly.', retryAfter: 1 });
}
