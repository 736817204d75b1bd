import { type AddressInfo, createServer, type Socket } from 'node:net';
import { untilQuiet } from '../http/drain.ts';
import type { Address } from './port.ts';
import type { Thread } from './thread.ts';

/**
 * For systems where only one can listen on a port: accepts connections in this thread, untouched, and hands each to one of the
 * serving threads, in turn. What is on a connection never passes through here.
 */
export interface Acceptor {
  readonly port: number;
  /** Hands over to these, as many as there are at the time; until then connections wait. */
  begin(threads: ReadonlySet<Thread>): void;
  /** Once no more connections come. */
  close(): Promise<void>;
}

export async function acceptConnections({ host, port }: Address): Promise<Acceptor> {
  const begun = Promise.withResolvers<ReadonlySet<Thread>>();
  let lastConnectionAt = 0;
  let turn = 0;
  const server = createServer({ pauseOnConnect: true, noDelay: true }, async (socket: Socket) => {
    lastConnectionAt = performance.now();
    const threads = [...(await begun.promise)];
    try {
      threads[turn++ % threads.length]?.handOver(socket);
    } catch {
      // It has been closed by the other side already.
    }
    // What was handed over is closed here alone.
    socket.destroy();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen({ host, port }, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    begin: begun.resolve,
    async close() {
      await untilQuiet(() => lastConnectionAt);
      server.close();
    },
  };
}
