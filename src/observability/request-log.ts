import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Metrics } from './metrics.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is calling, once authenticated; for the log and the meter. */
    accountId: string | null;
    keyId: string | null;
  }
}

/**
 * One log line and one observation a request, also when the client hangs up. The route's pattern is written, never the
 * URL, a header or a body: a key pasted into a query string must not reach a log.
 */
export function observeRequest(request: FastifyRequest, reply: FastifyReply, metrics: Metrics): void {
  const started = performance.now();
  reply.raw.once('close', () => {
    const durationMs = Math.round((performance.now() - started) * 1000) / 1000;
    const { method, id: requestId, accountId, keyId } = request;
    const route = request.is404 ? 'unmatched' : (request.routeOptions.url ?? 'unmatched');
    const status = reply.raw.statusCode;
    const aborted = reply.raw.writableFinished ? {} : { aborted: true };
    metrics.observeRequest(method, route, status, durationMs / 1000);
    request.log.info({ requestId, method, route, status, durationMs, accountId, keyId, ...aborted }, 'request');
  });
}
