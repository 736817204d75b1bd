import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A proxy in front of a node. Calls `act` before it forwards an INSERT, with a function that forwards it once more. */
export async function interceptInserts(host: string, act: (send: () => Promise<void>) => Promise<void>) {
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { authorization = '' } = request.headers;
    const send = () => fetch(`${host}${request.url}`, { method: 'POST', body, headers: { authorization } });
    if (/[?&]query=INSERT/.test(request.url ?? '')) await act(async () => void (await (await send()).text()));
    const reply = await send();
    const code = reply.headers.get('x-clickhouse-exception-code');
    response.writeHead(reply.status, code === null ? {} : { 'x-clickhouse-exception-code': code });
    response.end(await reply.text());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}
