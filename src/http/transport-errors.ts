import { randomUUID } from 'node:crypto';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type Failure, fail, statusOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { App } from './app-type.ts';
import { baseHeaders } from './base-headers.ts';
import { serializeFailure } from './errors.ts';

/**
 * Errors of Node's HTTP parser. They never become a Fastify request, so the response, the log line and the metric that every
 * request gets are written here.
 */
export interface ParserError {
  readonly code?: string;
  /** The bytes that could not be parsed. It is a Buffer, although Fastify's types do not say so. */
  readonly rawPacket?: unknown;
}

export interface TransportOptions {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly docsUrl: () => string;
  readonly urlLength: number;
}

export type HandleParserError = (error: ParserError, socket: Socket) => void;

export function createParserErrorHandler(options: TransportOptions): HandleParserError {
  return (error, socket) => {
    // A response that has started cannot be replaced, and a broken connection cannot be written to.
    const hasStarted = (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage?.headersSent === true;
    if (error.code === 'ECONNRESET' || !socket.writable || hasStarted) {
      socket.destroy();
      return;
    }
    reject(socket, parserFailure(error, options.urlLength), options, error.code);
  };
}

/** Node reports these as events of the server, and not as requests. */
export function handleServerEvents(app: App, options: TransportOptions): void {
  // The app rejects the expectation like any other invalid header.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.server.on('connect', (_request, socket) => {
    reject(socket as Socket, fail('method_not_allowed', { headers: { Allow: 'GET, HEAD' } }), options);
  });
}

function reject(socket: Socket, failure: Failure, { log, metrics, docsUrl }: TransportOptions, reason?: string): void {
  const status = statusOf(failure.code);
  const requestId = writeFailure(socket, failure, docsUrl());
  metrics.observeRequest('other', 'unparsed', status, 0);
  const unknown = { method: null, accountId: null, keyId: null };
  // Behind a proxy this is its address: the header with the client's could not be read.
  const address = socket.remoteAddress ?? '';
  log.info({ requestId, ...unknown, route: 'unparsed', status, durationMs: 0, address, reason }, 'request');
}

function parserFailure({ code, rawPacket }: ParserError, urlLength: number): Failure {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return fail('request_timeout');
    case 'HPE_HEADER_OVERFLOW':
      // The parser counts the request line as part of the headers.
      return fail(
        Buffer.isBuffer(rawPacket) && hasLongUrl(rawPacket, urlLength) ? 'uri_too_long' : 'headers_too_large',
      );
    default:
      return fail('invalid_request', { message: 'This is not a well-formed HTTP/1.1 request.' });
  }
}

function hasLongUrl(packet: Buffer, urlLength: number): boolean {
  const end = packet.indexOf('\r\n');
  return /^[A-Z-]+ \//.test(packet.toString('latin1', 0, 20)) && (end === -1 || end > urlLength);
}

/** Closes the socket: after a parse error, the following bytes cannot be trusted. Returns the request id. */
function writeFailure(socket: Socket, failure: Failure, docsUrl: string): string {
  const requestId = randomUUID();
  const status = statusOf(failure.code);
  const body = serializeFailure(failure, requestId, docsUrl);
  const headers = {
    ...baseHeaders,
    ...failure.headers,
    'x-request-id': requestId,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
  return requestId;
}
