import { type AddressInfo, createServer, type Socket } from 'node:net';
import { waitUntilQuiet } from '../http/transport/drain.ts';
import type { Address } from './port.ts';
import type { Thread } from './thread.ts';

/**
 * For systems where only one thread can listen on a port. Accepts connections in the supervising thread and transfers each
 * one, unread, to a serving thread, round-robin. The data on a connection never passes through this thread.
 */
interface Acceptor {
  readonly port: number;
  /** Starts transferring connections to the threads in this set, which may change over time. Until then connections wait. */
  begin(threads: ReadonlySet<Thread>): void;
  /** Resolves when no new connections have arrived for a while. */
  close(): Promise<void>;
}

export async function acceptConnections({ host, port }: Address): Promise<Acceptor> {
  const begun = Promise.withResolvers<ReadonlySet<Thread>>();
  let lastConnectionAt = 0;
  let next = 0;
  const server = createServer({ pauseOnConnect: true, noDelay: true }, async (socket: Socket) => {
    lastConnectionAt = performance.now();
    const threads = [...(await begun.promise)];
    try {
      threads[next++ % threads.length]?.transfer(socket);
    } catch {
      // The client has already closed the connection.
    }
    // Closes only this thread's handle: a transferred connection stays open.
    socket.destroy();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen({ host, port }, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    begin: begun.resolve,
    async close() {
      await waitUntilQuiet(() => lastConnectionAt);
      server.close();
    },
  };
}
