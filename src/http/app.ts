import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, ListenOptions } from 'node:net';
import createRouter, { type HTTPMethod } from 'find-my-way';
import { fail, statusOf } from '../base/errors.ts';
import type { Logger } from '../base/observability/log.ts';
import { createRequestRecorder, measureDuration } from '../base/observability/log.ts';
import type { Metrics } from '../base/observability/metrics.ts';
import { readBody } from './bodies.ts';
import { defaultTransportLimits, guardConnections, type TransportLimits } from './connections.ts';
import { describeError, type FailureStyle, wantsPage } from './errors.ts';
import { createReplyWriter, type Exit, HttpReply, JSON_TYPE, type SharedHeaders, shareHeaders } from './reply.ts';
import { createClients, HttpRequest, type RequestParts, type TrustedProxies } from './request.ts';
import { type Handler, METHODS, type Route, type RouteOptions } from './route.ts';

/**
 * The server: the steps that every request passes. This folder owns HTTP: connections and their limits, routing, reading of bodies and parameters,
 * and writing of replies. This folder does not know the routes: `api/` and `portal/` add them.
 */
export interface App extends Routes {
  readonly server: Server;
  readonly routes: readonly Route[];
  /** Resolves with the address that the server listens on. */
  listen(options: Pick<ListenOptions, 'host' | 'port' | 'reusePort'>): Promise<string>;
  /** Adds work to do before the server waits for pending requests, or after that. */
  onClose(work: () => void | Promise<void>, when?: 'before' | 'after'): void;
  close(): Promise<void>;
}

export interface Routes {
  route(route: Route): void;
  get<Parts extends RequestParts>(url: string, handler: Handler<Parts>, options?: RouteOptions): void;
  post<Parts extends RequestParts>(url: string, handler: Handler<Parts>, options?: RouteOptions): void;
  /** Returns the routes of a scope: all routes added there get these options. */
  scope(options: RouteOptions): Routes;
  hasRoute(method: string, url: string): boolean;
}

/** Rules for all routes of an app, in the order in which a request meets them. */
export interface Rules {
  shareHeaders(route: Route): Readonly<Record<string, string>>;
  /** Checks the headers, and adds those for the page that sent the request. The path may support other methods only. */
  receive(request: HttpRequest, reply: HttpReply, route: Route | undefined): void;
  /** Answers an OPTIONS request for a path that supports these methods. Returns whether the request is answered. */
  answerPreflight(request: HttpRequest, reply: HttpReply, route: Route, methods: readonly string[]): boolean;
  /** Throws if the route accepts no requests at the moment, or must reject this one. */
  admit(request: HttpRequest, route: Route): void;
}

interface AppOptions {
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'observeRequest'>;
  readonly style: FailureStyle;
  readonly trustedProxies?: TrustedProxies;
  readonly limits?: TransportLimits;
  readonly rules?: Partial<Rules>;
}

interface Entry {
  readonly route: Route;
  readonly shared: SharedHeaders;
}

const KEEP_ALIVE_MS = 72_000;

export function createApp(options: AppOptions): App {
  const { log, metrics, style, trustedProxies = 0, limits = defaultTransportLimits, rules = {} } = options;
  const clients = createClients(trustedProxies);
  const record = createRequestRecorder(log, metrics);
  const unmatched = shareHeaders();
  const router = createRouter({
    maxParamLength: limits.urlLength,
    querystringParser: (search) => search,
    onBadUrl: () => undefined,
  });
  const routes: Route[] = [];
  const write = createReplyWriter(KEEP_ALIVE_MS, failReply);
  const exit: Exit = { finish: write, fail: failReply };

  /**
   * The steps of every request, in order:
   *
   *    1  request id            request.ts
   *    2  address and host      request.ts
   *    3  route                 findEntry: else OPTIONS, 404 or 405
   *    4  credential            `before` of the route, or the executor
   *    5  rate window           the executor (accounts/charging/execute.ts), for what is charged
   *    6  validation            the executor, or the handler of what is not charged
   *    7  quota                 the executor
   *    8  work                  `handler` of the route
   *    9  reply                 reply.ts
   *   10  log and metrics       recordAtEnd
   *
   * The steps run in one turn of the event loop unless a step has to wait.
   */
  function handle(raw: IncomingMessage, response: ServerResponse): void {
    const request = new HttpRequest(raw, clients, log);
    const found = findEntry(request.method, request);
    const reply = new HttpReply(request, response, found?.shared ?? unmatched, exit);
    recordAtEnd(request, response, found?.route.url ?? 'unmatched');
    try {
      if (found === undefined || found === null) {
        rejectUnmatched(request, reply);
        return;
      }
      rules.receive?.(request, reply, found.route);
      rules.admit?.(request, found.route);
      const { before, takesOver, handler } = found.route;
      const isComplete = before === undefined && (takesOver === true || !request.hasBody);
      settle(reply, isComplete ? handler(request, reply) : prepare(found.route, request, reply));
    } catch (error) {
      failReply(reply, error);
    }
  }

  /** Checks the credential and reads the body before the handler runs. */
  async function prepare(route: Route, request: HttpRequest, reply: HttpReply): Promise<unknown> {
    for (const step of route.before ?? []) {
      await step(request, reply);
      if (reply.state === 'complete') return reply;
    }
    if (request.hasBody) {
      try {
        request.body = await readBody(request, route, route.bodyLimit ?? limits.bodyBytes);
      } catch (error) {
        request.bodyError = error;
        // The client may still be sending the rest of the body.
        reply.header('connection', 'close');
      }
    }
    return route.handler(request, reply);
  }

  function settle(reply: HttpReply, answered: unknown): void {
    if (answered instanceof Promise) {
      answered.then((value) => settle(reply, value)).catch((error) => failReply(reply, error));
      return;
    }
    if (answered !== undefined && answered !== reply) reply.send(answered);
    if (reply.state === 'complete') write(reply);
  }

  function failReply(reply: HttpReply, error: unknown): void {
    const { raw: response, request } = reply;
    // A reply whose headers are sent cannot be replaced.
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const { failure, headers, body } = describeError(error, request.id, style);
    reply.tag = undefined;
    if (reply.hasHeader('content-length')) reply.removeHeader('content-length');
    reply.code(statusOf(failure.code)).headers(headers);
    if (style.showFailure !== undefined && wantsPage(request)) {
      const page = style.showFailure(failure, request);
      reply.header('Content-Security-Policy', page.policy).type('text/html; charset=utf-8').send(page.body);
    } else {
      reply.type(JSON_TYPE).send(body);
    }
    write(reply);
  }

  function recordAtEnd(request: HttpRequest, response: ServerResponse, route: string): void {
    response.on('close', () => {
      const { id: requestId, method, address, startedAt, exchange } = request;
      const { accountId = request.accountId, keyId = null } = exchange?.caller ?? {};
      const { statusCode: status, writableFinished } = response;
      const aborted = writableFinished ? undefined : true;
      const durationMs = measureDuration(startedAt);
      record({ requestId, method, route, status, durationMs, address, accountId, keyId, aborted });
    });
  }

  /** Finds the route and sets the parameters of the request. Returns null if the path cannot be decoded. */
  function findEntry(method: string, request: HttpRequest): Entry | undefined | null {
    const { url } = request;
    // The router would read the target `*` as `/`.
    if (!url.startsWith('/') && !url.includes('://')) return undefined;
    const found = router.find(method as HTTPMethod, url);
    if (found === null) return undefined;
    if (found.store === null) return null;
    const { params } = found;
    // The router would match `/entities/` as the record with an empty id.
    for (const name in params) if (params[name] === '' && name !== '*') return undefined;
    request.params = params;
    request.search = found.searchParams as unknown as string;
    return found.store;
  }

  /**
   * Distinguishes a path that does not exist (404) from one that does not support the method (405 with `Allow`), before the body is
   * read, so that an invalid or oversized body cannot change the answer.
   */
  function rejectUnmatched(request: HttpRequest, reply: HttpReply): void {
    const found = METHODS.map((method) => findEntry(method, request));
    const known = found.flatMap((entry) => entry ?? []);
    const [first] = known;
    if (first !== undefined) reply.shared = first.shared;
    rules.receive?.(request, reply, first?.route);
    if (found.includes(null)) throw fail('invalid_request', { message: BAD_PATH });
    if (first === undefined) throw fail('not_found');
    const allowed = known.map(({ route }) => route.method).sort();
    if (rules.answerPreflight?.(request, reply, first.route, allowed) === true) {
      write(reply);
      return;
    }
    throw fail('method_not_allowed', { headers: { Allow: allowed.join(', ') } });
  }

  function add(route: Route): void {
    const shared = shareHeaders(rules.shareHeaders?.(route) ?? {}, route.headers ?? {});
    routes.push(route);
    router.on(route.method, route.url, () => undefined, { route, shared });
    if (route.method === 'GET' && route.withoutHead !== true) add({ ...route, method: 'HEAD' });
  }

  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: limits.checkEveryMs,
      // `checkHost` requires the header: Node's own rejection has no body and no request id.
      requireHostHeader: false,
      // Node would keep the first of several `Authorization` headers, and a proxy in front of us possibly the last. See `readBearer`.
      joinDuplicateHeaders: true,
      // Saves the events of a stream for each request without a body.
      optimizeEmptyRequests: true,
    },
    handle,
  );
  guardConnections(server, { limits, log, metrics, docsUrl: style.docsUrl });

  const closing = { before: [] as (() => unknown)[], after: [] as (() => unknown)[] };

  function routesWith(common: RouteOptions): Routes {
    return {
      route: (route) => add({ ...common, ...route }),
      get: (url, handler, own) => add({ ...common, ...own, method: 'GET', url, handler } as Route),
      post: (url, handler, own) => add({ ...common, ...own, method: 'POST', url, handler } as Route),
      scope: (own) => routesWith({ ...common, ...own }),
      hasRoute: (method, url) => routes.some((route) => route.method === method && route.url === url),
    };
  }

  return {
    ...routesWith({}),
    server,
    routes,
    async listen(where) {
      await once(server.listen(where), 'listening');
      const url = writeAddress(server.address() as AddressInfo);
      log.info(`Server listening at ${url}`);
      return url;
    },
    onClose: (work, when = 'after') => void closing[when].push(work),
    async close() {
      for (const work of closing.before) await work();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      });
      for (const work of closing.after) await work();
    },
  };
}

function writeAddress({ address, family, port }: AddressInfo): string {
  if (address === '0.0.0.0') return `http://127.0.0.1:${port}`;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

const BAD_PATH = 'The path is not correctly percent-encoded.';
