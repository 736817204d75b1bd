import { connect, type Socket } from 'node:net';

/** The connections of an attacker. */
export interface Sockets {
  open(): Promise<Socket>;
  /** Connections that the server has not closed. */
  countOpen(): number;
  [Symbol.dispose](): void;
}

/** Uses fifty source addresses, because one does not have enough ports for many thousand connections. */
export function openSockets(url: string): Sockets {
  const sockets: Socket[] = [];
  const port = Number(new URL(url).port);
  return {
    async open() {
      const socket = connect({ port, host: '127.0.0.1', localAddress: `127.0.0.${2 + (sockets.length % 50)}` });
      socket.on('error', () => undefined);
      sockets.push(socket);
      await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
      return socket;
    },
    countOpen: () => sockets.filter(({ destroyed }) => !destroyed).length,
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy();
    },
  };
}
