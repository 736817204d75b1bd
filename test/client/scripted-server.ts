import type { IncomingMessage, ServerResponse } from 'node:http';
import { startHttp } from '../harness/http-server.ts';

export interface ScriptedServer {
  readonly url: string;
  /** The requests so far. */
  readonly requests: readonly {
    readonly method: string;
    readonly url: string;
    readonly headers: IncomingMessage['headers'];
  }[];
  [Symbol.asyncDispose](): Promise<void>;
}

export type Answer = (response: ServerResponse, request: IncomingMessage, count: number) => void;

/** Answers as the test says, for replies that the service sends only in trouble. */
export async function startScript(answer: Answer): Promise<ScriptedServer> {
  const requests: { method: string; url: string; headers: IncomingMessage['headers'] }[] = [];
  const server = await startHttp((request, response) => {
    const { method = '', url = '', headers } = request;
    requests.push({ method, url, headers });
    request.resume().on('end', () => answer(response, request, requests.length));
  });
  return { ...server, requests };
}

/** An error reply of the API. */
export function sendError(
  response: ServerResponse,
  status: number,
  code: string,
  headers: Record<string, string> = {},
): void {
  const error = {
    code,
    message: `Message of ${code}.`,
    requestId: 'b6a3a9d2-1f0e-4e0e-9a43-0f6a5e1c7d11',
    docs: `http://x/docs/errors/${code}`,
  };
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify({ error }));
}

export function sendJson(response: ServerResponse, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
