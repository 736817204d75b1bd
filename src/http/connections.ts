import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type Failure, fail, statusOf } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { Metrics } from '../base/observability/metrics.ts';
import { serializeFailure } from './errors.ts';
import { baseHeaders, JSON_TYPE, renderHeaders } from './reply.ts';

/** Connections, as far as they are not requests: their limits, the order of the requests on one of them, and errors of Node's parser. */

/** Bounds on what a client may send and how long it may take, against slow and oversized requests. */
export interface TransportLimits {
  readonly bodyBytes: number;
  readonly urlLength: number;
  readonly headerBytes: number;
  readonly headersMs: number;
  readonly requestMs: number;
  /** A connection is closed after this time without a complete request, even if the client sends other bytes. */
  readonly idleMs: number;
  /** How long a client may take to receive a complete reply. */
  readonly replyMs: number;
  /** How often Node looks for connections that exceed a time limit. */
  readonly checkEveryMs: number;
  /** The longest delay of the response to an invalid API key: see `guess-throttle.ts`. */
  readonly guessDelayMs: number;
}

export const defaultTransportLimits: TransportLimits = {
  bodyBytes: 64 * 1024,
  urlLength: 8 * 1024,
  headerBytes: 24 * 1024,
  headersMs: 10_000,
  requestMs: 15_000,
  idleMs: 120_000,
  replyMs: 600_000,
  checkEveryMs: 2_000,
  guessDelayMs: 1_000,
};

interface Guard {
  readonly limits: TransportLimits;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'observeRequest'>;
  readonly docsUrl: () => string;
}

/** Applies all rules of this file to the connections of a server. */
export function guardConnections(server: Server, guard: Guard): void {
  server.setTimeout(guard.limits.idleMs);
  const pipelining = followPipelining(server);
  closeStuckConnections(server, guard.limits);
  answerParserErrors(server, pipelining, guard);
}

/** The error that Node passes to `clientError`. */
interface ParserError {
  readonly code?: string;
  /** The bytes of this read, and how many of them are parsed. Both fields exist, although the types of Node do not declare them. */
  readonly rawPacket?: unknown;
  readonly bytesParsed?: unknown;
}

type HandleIncoming = (request: IncomingMessage & { upgrade?: boolean }, keepAlive: boolean) => number;

type Connection = Socket & {
  parser?: { onIncoming: HandleIncoming | null; resume(): void } | null;
  _httpMessage?: ServerResponse | null;
};

interface Held {
  readonly socket: Connection;
  readonly start: () => void;
  /** The bytes after the held request's headers. */
  rest: Buffer;
}

type Pipelining = ReturnType<typeof followPipelining>;

/** Return values of a parser callback: llhttp stops. After `PAUSE` it can be resumed, after `STOP` it cannot. */
const PAUSE = 21;
const STOP = -1;

/** The response that this connection waits for. Undefined if there is none. */
function findPendingReply(socket: Socket): ServerResponse | undefined {
  return (socket as Connection)._httpMessage ?? undefined;
}

/**
 * Handles the requests of one connection one after the other. Node parses up to 64 KiB in one read, and would start up to 3,600 requests in one turn
 * of the event loop, while all other connections wait. Here parsing stops at the first request that arrives while a reply is pending. That request is
 * held, and the bytes after it stay unparsed. When the reply is complete, the held request gets a turn, and only one such request starts per turn of
 * the event loop.
 *
 * A connection without pipelining pays one comparison per request. Node has no public way to stop its parser, so this file uses three internals:
 * `parser.onIncoming`, the return value that pauses llhttp, and `_httpMessage`. test/http/pipelining.test.ts fails if a release of Node changes them.
 */
function followPipelining(server: Server) {
  /** The held request of each connection that waits for an earlier reply. */
  const heldBy = new WeakMap<Socket, Held>();
  const stopped = new WeakSet<Socket>();
  const ready: Held[] = [];

  server.on('connection', (socket: Connection) => {
    const { parser } = socket;
    const start = parser?.onIncoming;
    if (!parser || !start) return;
    parser.onIncoming = (request, keepAlive) => {
      const pending = socket._httpMessage;
      if (!pending) return start(request, keepAlive);
      if (request.upgrade) {
        // The parser cannot be resumed after an upgrade. Clients have no reason to send an upgrade while a reply is pending.
        request.upgrade = false;
        server.emit('clientError', Object.assign(new Error('upgrade behind a request'), { code: 'HPE_USER' }), socket);
        return STOP;
      }
      hold({ socket, start: () => start(request, keepAlive), rest: Buffer.alloc(0) }, pending);
      return PAUSE;
    };
  });

  function hold(held: Held, pending: ServerResponse): void {
    heldBy.set(held.socket, held);
    pause(held.socket);
    // This event is also emitted if the client disconnects.
    pending.once('close', () => enqueue(held));
  }

  function enqueue(held: Held): void {
    if (ready.push(held) === 1) setImmediate(runNext);
  }

  function runNext(): void {
    const held = ready.shift();
    if (ready.length > 0) setImmediate(runNext);
    if (held !== undefined) run(held);
  }

  function run(held: Held): void {
    const { socket, start, rest } = held;
    if (!socket.writable || !socket.parser) return;
    if (socket.writableNeedDrain) {
      socket.once('drain', () => enqueue(held));
      return;
    }
    heldBy.delete(socket);
    socket.parser.resume();
    start();
    if (socket.destroyed) return;
    // The rest contains the body of this request, then the next request, which is held in turn.
    socket.emit('data', rest);
    if (heldBy.has(socket) || stopped.has(socket)) return;
    socket.off('resume', pauseAgain);
    socket.resume();
  }

  return {
    /** Call this for each `clientError`. Returns true if the error only reports that parsing has stopped at a held request. */
    takeError({ code, rawPacket, bytesParsed }: ParserError, socket: Socket): boolean {
      const held = heldBy.get(socket);
      if (held === undefined) return false;
      if (code === 'HPE_PAUSED' && Buffer.isBuffer(rawPacket)) {
        held.rest = rawPacket.subarray(Number(bytesParsed));
        return true;
      }
      // The held request is late because it had to wait here, not because the client is slow.
      return code === 'ERR_HTTP_REQUEST_TIMEOUT';
    },
    stopReading(socket: Socket): void {
      stopped.add(socket);
      pause(socket);
    },
  };
}

function pause(socket: Socket): void {
  if (!socket.listeners('resume').includes(pauseAgain)) socket.on('resume', pauseAgain);
  socket.pause();
}

/** Node resumes a socket when its output has drained or a request body is read, even if we have paused it. */
function pauseAgain(this: Socket): void {
  this.pause();
  // Node's server stops reading on this event, which `pause` does not emit if the socket was paused in the same tick.
  this.emit('pause');
}

/**
 * Closes connections that make no progress. Node's own timeouts start again with every byte that arrives, so a client that sends
 * an empty line per second, or that never reads a reply but keeps sending, would stay connected forever.
 */
function closeStuckConnections(server: Server, { idleMs, replyMs, checkEveryMs }: TransportLimits): void {
  const start = () => ({ pending: undefined as ServerResponse | undefined, bytesWritten: 0, at: performance.now() });
  const connections = new Map<Socket, ReturnType<typeof start>>();
  server.on('connection', (socket: Socket) => {
    connections.set(socket, start());
    socket.once('close', () => connections.delete(socket));
  });

  function check(): void {
    const now = performance.now();
    for (const [socket, last] of connections) {
      const pending = findPendingReply(socket);
      if (pending !== last.pending || socket.bytesWritten !== last.bytesWritten) {
        connections.set(socket, { pending, bytesWritten: socket.bytesWritten, at: now });
      } else if (now - last.at >= (pending === undefined ? idleMs : replyMs)) {
        socket.destroy();
      }
    }
  }
  const timer = setInterval(check, checkEveryMs).unref();
  server.once('close', () => clearInterval(timer));
}

/**
 * A parser error never becomes a request, so the response, the log line and the metric that every request gets are written here.
 */
function answerParserErrors(server: Server, pipelining: Pipelining, { limits, log, metrics, docsUrl }: Guard): void {
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
    else refuse(socket, parserFailure(error, limits.urlLength), error.code);
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
  const head = renderHeaders({
    ...baseHeaders,
    ...failure.headers,
    'x-request-id': requestId,
    'content-type': JSON_TYPE,
    'content-length': Buffer.byteLength(body),
    Connection: 'close',
  });
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`);
  const linger = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(linger));
  return requestId;
}
