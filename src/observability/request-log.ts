import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Metrics } from './metrics.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The address of the client, as reported by a trusted proxy if there is one. */
    address: string;
    /** Set when the request is authenticated, for the log. */
    accountId: string | null;
    keyId: string | null;
  }
}

/**
 * Writes one log line and one metric per request, even if the client disconnects. It logs the pattern of the route, and never the
 * URL, a header or a body: an API key that was pasted into a query string must not reach the log.
 */
export function observeRequest(request: FastifyRequest, reply: FastifyReply, metrics: Metrics): void {
  const started = performance.now();
  reply.raw.once('close', () => {
    const durationMs = Math.round((performance.now() - started) * 1000) / 1000;
    const { method, id: requestId, address, accountId, keyId } = request;
    const route = request.is404 ? 'unmatched' : (request.routeOptions.url ?? 'unmatched');
    const status = reply.raw.statusCode;
    const aborted = reply.raw.writableFinished ? {} : { aborted: true };
    metrics.observeRequest(method, route, status, durationMs / 1000);
    const line = { requestId, method, route, status, durationMs, address, accountId, keyId, ...aborted };
    request.log.info(line, 'request');
  });
}
