import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { TransportLimits } from './limits.ts';
import { findPendingReply } from './pipelining.ts';

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
