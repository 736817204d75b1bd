import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

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

/** The error that Node passes to `clientError`. */
export interface ParserError {
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

export type Pipelining = ReturnType<typeof createPipelining>;

/** Return values of a parser callback: llhttp stops. After `PAUSE` it can be resumed, after `STOP` it cannot. */
const PAUSE = 21;
const STOP = -1;

/** The response that this connection waits for. Undefined if there is none. */
export function findPendingReply(socket: Socket): ServerResponse | undefined {
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
export function createPipelining() {
  /** The held request of each connection that waits for an earlier reply. */
  const heldBy = new WeakMap<Socket, Held>();
  const stopped = new WeakSet<Socket>();
  const ready: Held[] = [];

  function bound(server: Server, socket: Connection): void {
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
  }

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
    /** Applies these rules to every connection of the server. */
    follow(server: Server): void {
      server.on('connection', (socket: Socket) => bound(server, socket as Connection));
    },
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

interface Progress {
  pending: ServerResponse | undefined;
  bytesWritten: number;
  at: number;
}

/**
 * Closes connections that make no progress. Node's own timeouts start again with every byte that arrives, so a client that sends
 * an empty line per second, or that never reads a reply but keeps sending, would stay connected forever.
 */
export function closeStuckConnections(server: Server, { idleMs, replyMs, checkEveryMs }: TransportLimits): void {
  const connections = new Map<Socket, Progress>();
  server.on('connection', (socket: Socket) => {
    connections.set(socket, { pending: undefined, bytesWritten: 0, at: performance.now() });
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
