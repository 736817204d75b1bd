import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isLoopbackName, readHostName } from '../core/site.ts';
import type { Metrics } from './metrics.ts';

export interface AdminServer {
  readonly url: string;
  close(): Promise<void>;
}

/** A server for operators: `GET /metrics` and nothing else. It listens on loopback and answers under loopback names only, because
 *  metrics are not public: pages of other sites could read them under a name that resolves to this machine. */
export async function listenAdmin(render: Metrics['render'], port: number): Promise<AdminServer> {
  const server = createServer(async (request, response) => {
    if (!isLoopbackName(readHostName(request.headers.host ?? ''))) {
      response.writeHead(403, { 'Content-Type': 'text/plain' }).end('Use 127.0.0.1 or localhost as the host name.\n');
      return;
    }
    if (request.url !== '/metrics' || request.method !== 'GET') {
      response.writeHead(404, { 'Content-Type': 'text/plain' }).end('Use GET /metrics.\n');
      return;
    }
    const { contentType, text } = await render();
    response.writeHead(200, { 'Content-Type': contentType }).end(text);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
