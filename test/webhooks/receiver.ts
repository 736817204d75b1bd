import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { startHttp } from '../harness/http-server.ts';

/** A webhook as it arrived. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Behave = (received: Received, response: ServerResponse, count: number) => void;

/** A receiver of webhooks that answers as the test says: `ok`, unless `behave` is replaced. */
export interface Receiver extends AsyncDisposable {
  readonly url: string;
  readonly received: Received[];
  behave: Behave;
}

export const ok: Behave = (_received, response) => void response.end('thanks');
export const answer =
  (status: number, headers: Record<string, string> = {}, body = ''): Behave =>
  (_received, response) =>
    void response.writeHead(status, headers).end(body);
export const hang: Behave = () => undefined;
export const close: Behave = (_received, response) => void response.socket?.destroy();

export async function startReceiver(behave: Behave = ok): Promise<Receiver> {
  const received: Received[] = [];
  const server = await startHttp((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const each = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() };
      received.push(each);
      receiver.behave(each, response, received.length);
    });
  });
  const receiver: Receiver = { ...server, received, behave };
  return receiver;
}
