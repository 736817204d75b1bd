import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

/** What a provider may do instead of answering. */
export const misbehaviours = {
  silent: () => undefined,
  'cut off': (socket: Socket) =>
    socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{"id":"x', () =>
      socket.destroy(),
    ),
  garbage: (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\n<html>sorry, no</html'),
  noise: (socket: Socket) => socket.end(Buffer.from('00ff13371b5b48656c6c6f0a', 'hex')),
} satisfies Record<string, (socket: Socket) => unknown>;

export type Misbehaviour = keyof typeof misbehaviours;

/** Listens on the port and misbehaves on every connection. Returns a function that stops it. */
export async function misbehaveAt(port: number, how: Misbehaviour): Promise<() => Promise<void>> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.once('data', () => misbehaviours[how](socket));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  };
}
