import { randomUUID } from 'node:crypto';
import { type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type Failure, fail, statusOf } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { Metrics } from '../base/observability/metrics.ts';
import { findPendingReply, type ParserError, type Pipelining } from './connections.ts';
import { serializeFailure } from './errors.ts';
import { baseHeaders } from './reply.ts';

/**
 * Errors of Node's HTTP parser. A parser error never becomes a request, so the response, the log line and the metric that every request gets are
 * written here.
 */
interface TransportOptions {
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'observeRequest'>;
  readonly docsUrl: () => string;
  readonly urlLength: number;
  readonly pipelining: Pipelining;
}

export function handleTransportErrors(server: Server, options: TransportOptions): void {
  const { log, metrics, docsUrl, urlLength, pipelining } = options;
  /** Connections that have got their last reply. Bytes that still arrive are discarded, and cause more parser errors. */
  const refused = new WeakSet<Socket>();

  function refuse(socket: Socket, failure: Failure, reason?: string): void {
    if (refused.has(socket)) return;
    refused.add(socket);
    const pending = findPendingReply(socket);
    if (pending?.req.complete) {
      // The error belongs to a later request, so the reply to the complete request comes first.
      pipelining.stopReading(socket);
      pending.once('close', () => reject(socket, failure, reason));
    } else if (pending?.headersSent) {
      // A response that has started cannot be replaced.
      socket.destroy();
    } else reject(socket, failure, reason);
  }

  function reject(socket: Socket, failure: Failure, reason?: string): void {
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    const status = statusOf(failure.code);
    const requestId = writeFailure(socket, failure, docsUrl());
    metrics.observeRequest('other', 'unparsed', status, 0);
    const unknown = { method: null, accountId: null, keyId: null };
    // Behind a proxy, this is the proxy's address: the header with the client's address could not be read.
    const address = socket.remoteAddress ?? '';
    log.info({ requestId, ...unknown, route: 'unparsed', status, durationMs: 0, address, reason }, 'request');
  }

  server.on('clientError', (error: ParserError, socket: Socket) => {
    if (pipelining.takeError(error, socket)) return;
    if (error.code === 'ECONNRESET') socket.destroy();
    else refuse(socket, parserFailure(error, urlLength), error.code);
  });
  // The request goes to the app, which rejects the expectation like any other invalid header.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('connect', (_request, socket) =>
    refuse(socket as Socket, fail('method_not_allowed', { headers: { Allow: 'GET, HEAD' } })),
  );
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

/**
 * How long a client has to read an error and close its side. If the server closed at once, the client's system could discard the error. Node alone
 * would wait for two minutes.
 */
const LINGER_MS = 2_000;

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
  const linger = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(linger));
  return requestId;
}
