import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { startHttp } from '../harness/http-server.ts';
import { use } from '../harness/use.ts';
import { sendError } from './scripted-server.ts';

/**
 * What the proxy does to a request or its reply: 429 and 503 of the API, the page of a gateway, a connection that breaks before the request is
 * forwarded (`reset`), after the service has answered it (`lost`) or in the middle of the reply (`cut`).
 */
export type Fault = 'limited' | 'unavailable' | 'gateway' | 'reset' | 'lost' | 'cut';

/** Stands between a client and the service. Each request takes the first of `faults`, if there is one. */
export const useFaultProxy = (service: { readonly url: string }) =>
  use(
    () => startFaultProxy(service),
    (proxy) => proxy[Symbol.asyncDispose](),
  );

async function startFaultProxy(service: { readonly url: string }) {
  const faults: Fault[] = [];
  const requests: string[] = [];
  const server = await startHttp((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    handle(request, response, faults.shift()).catch(() => response.destroy());
  });

  async function handle(request: IncomingMessage, response: ServerResponse, fault: Fault | undefined): Promise<void> {
    if (fault === 'reset') response.destroy();
    else if (fault === 'limited') sendError(response, 429, 'rate_limit_exceeded', { 'retry-after': '0' });
    else if (fault === 'unavailable') sendError(response, 503, 'service_unavailable', { 'retry-after': '0' });
    else if (fault === 'gateway') response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>');
    else await answer(request, response, fault);
  }

  async function answer(request: IncomingMessage, response: ServerResponse, fault: 'lost' | 'cut' | undefined) {
    const { method = '', url } = request;
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
    const sent = await buffer(request);
    const body = method === 'GET' ? {} : { body: new Uint8Array(sent) };
    const reply = await fetch(service.url + url, { method, headers: headers as Record<string, string>, ...body });
    const received = Buffer.from(await reply.arrayBuffer());
    if (fault === 'lost') {
      response.destroy();
      return;
    }
    // `fetch` has decompressed the body.
    const hop = ['connection', 'keep-alive', 'content-encoding', 'content-length', 'transfer-encoding'];
    const kept = [...reply.headers].filter(([name]) => !hop.includes(name));
    response.writeHead(reply.status, [...kept, ['content-length', String(received.length)]].flat());
    if (fault === 'cut') response.write(received.subarray(0, received.length >> 1), () => response.destroy());
    else response.end(received);
  }

  return { ...server, faults, requests };
}
