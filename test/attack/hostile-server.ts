import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { startHttp } from '../harness/http-server.ts';

/** An attacker's server. It answers as the test wants and records the requests. */
export interface HostileServer {
  readonly url: string;
  readonly visits: string[];
  [Symbol.asyncDispose](): Promise<void>;
}

export async function startHostile(answer: RequestListener = refuse): Promise<HostileServer> {
  const visits: string[] = [];
  const server = await startHttp((request, response) => {
    visits.push(`${request.method} ${request.url}`);
    response.on('error', () => undefined);
    answer(request, response);
  });
  return { ...server, visits };
}

function refuse(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(404).end();
}

export function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Sends an endless answer as fast as the client reads, up to `limit` bytes, and reports the bytes sent so far. */
export function sendEndless(
  response: ServerResponse,
  onByte: (total: number) => void,
  limit = 512 * 1024 * 1024,
): void {
  const chunk = Buffer.alloc(256 * 1024, ' ');
  let total = 0;
  response.writeHead(200, { 'content-type': 'application/json' });
  const push = () => {
    while (!response.destroyed && total < limit) {
      total += chunk.length;
      onByte(total);
      if (!response.write(chunk)) {
        response.once('drain', push);
        return;
      }
    }
    response.end();
  };
  push();
}

/** Sends one space at a time and never ends. */
export function sendDrip(response: ServerResponse, everyMs = 20): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write(' '), everyMs);
  response.on('close', () => clearInterval(timer));
}
