import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger, RequestLine } from './log.ts';
import type { Metrics } from './metrics.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The address of the client, as reported by a trusted proxy if there is one. */
    address: string;
    /** When it arrived, as `performance.now()` counts it. */
    startedAt: number;
    /** Set when a session is verified, for the log. */
    accountId: string | null;
    /** A charged request, with the caller as soon as the API key is verified. */
    exchange: { readonly caller: { readonly accountId: string; readonly keyId: string } | null } | null;
  }
}

export type RecordRequest = (line: RequestLine) => void;

export function createRequestRecorder(log: Logger, metrics: Metrics): RecordRequest {
  return (line) => {
    metrics.observeRequest(line.method, line.route, line.status, line.durationMs / 1_000);
    log.writeRequest(line);
  };
}

/** Records a request when its response ends or the client disconnects. */
export function observeRequest(request: FastifyRequest, reply: FastifyReply, record: RecordRequest): void {
  reply.raw.once('close', () => {
    // A request whose path cannot be decoded does not have the fields that the app adds.
    const { method, id: requestId, address, startedAt, exchange } = request;
    const { accountId = request.accountId ?? null, keyId = null } = exchange?.caller ?? {};
    const route = request.is404 ? 'unmatched' : (request.routeOptions.url ?? 'unmatched');
    const { statusCode: status, writableFinished } = reply.raw;
    const durationMs = measureDuration(startedAt);
    record({ requestId, method, route, status, durationMs, address, accountId, keyId, aborted: !writableFinished });
  });
}

/** Milliseconds since `startedAt`, in whole microseconds. */
export function measureDuration(startedAt: number): number {
  return Math.round((performance.now() - startedAt) * 1_000) / 1_000;
}
