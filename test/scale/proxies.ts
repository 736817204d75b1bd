import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { startHttp } from '../harness/http-server.ts';

/**
 * Forwards connections to a port, and never resets one: unlike a server, `clickhouse local` aborts when a node that cancels a statement
 * resets its connection. What it still sends then is read and dropped.
 */
export async function forwardGently(port: number) {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => void sockets.add(socket.on('close', () => sockets.delete(socket)));
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const node = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
    keep(client);
    keep(node);
    client.pipe(node).pipe(client);
    client
      .on('error', () => undefined)
      .on('close', () => {
        node.resume();
        node.end();
      });
    node.on('error', () => undefined).on('close', () => client.destroySoon());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close(): Promise<void> {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** A proxy in front of a node. Calls `act` before it forwards an INSERT, with a function that forwards it once more. */
export async function interceptInserts(host: string, act: (send: () => Promise<void>) => Promise<void>) {
  return startHttp(async (request, response) => {
    const body = await text(request);
    const { authorization = '' } = request.headers;
    const send = () => fetch(`${host}${request.url}`, { method: 'POST', body, headers: { authorization } });
    if (/[?&]query=INSERT/.test(request.url ?? '')) await act(async () => void (await (await send()).text()));
    const reply = await send();
    const code = reply.headers.get('x-clickhouse-exception-code');
    response.writeHead(reply.status, code === null ? {} : { 'x-clickhouse-exception-code': code });
    response.end(await reply.text());
  });
}
