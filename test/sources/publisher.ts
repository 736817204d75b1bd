import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { use } from '../harness/use.ts';

/** A file as a publisher offers it. Unless set to null, it has a strong ETag of its content. */
export interface Offer {
  readonly body: Buffer;
  readonly etag?: string | null;
  readonly lastModified?: string;
}

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A local server that imitates a publisher, and can do everything wrong that publishers do. */
export interface Publisher {
  readonly url: string;
  readonly requests: { readonly path: string; readonly headers: IncomingMessage['headers'] }[];
  /** Offers a file, or answers in any other way, at this path. */
  offer(path: string, answer: Offer | Answer): void;
  close(): Promise<void>;
}

/** A publisher for the tests of the surrounding `describe`. */
export const usePublisher = () => use(startPublisher, (publisher) => publisher.close());

export async function startPublisher(certificate?: { key: string; cert: string }): Promise<Publisher> {
  const answers = new Map<string, Answer>();
  const requests: Publisher['requests'] = [];
  const listener: RequestListener = (request, response) => {
    const path = request.url ?? '';
    requests.push({ path, headers: request.headers });
    const answer = answers.get(path);
    if (answer === undefined) response.writeHead(404).end('not found');
    else answer(request, response);
  };
  const server: Server = certificate === undefined ? createServer(listener) : createTlsServer(certificate, listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `${certificate === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    requests,
    offer: (path, answer) => void answers.set(path, typeof answer === 'function' ? answer : serveFile(answer)),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/**
 * Answers like a good web server: conditional requests, ranges, lengths. With `closeAfter` it closes the connection after
 * that many bytes of the response.
 */
export function serveFile(offer: Offer, closeAfter?: number): Answer {
  const { body, lastModified } = offer;
  const etag = offer.etag === undefined ? makeEtag(body) : offer.etag;
  const headers = {
    'accept-ranges': 'bytes',
    ...(etag === null ? {} : { etag }),
    ...(lastModified === undefined ? {} : { 'last-modified': lastModified }),
  };
  const send = (response: ServerResponse, content: Buffer) => {
    if (closeAfter === undefined) return void response.end(content);
    // Clients drop what they have not read yet when a connection ends early.
    response.write(content.subarray(0, closeAfter), () => setTimeout(() => response.socket?.destroy(), 150));
  };
  return (request, response) => {
    const { 'if-none-match': match, 'if-modified-since': since, 'if-range': validator, range } = request.headers;
    const isKnown = match === undefined ? since !== undefined && since === lastModified : match === etag;
    if (isKnown) return void response.writeHead(304, headers).end();
    const start = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? Number.NaN);
    const isValid = validator === undefined || validator === etag || validator === lastModified;
    if (Number.isNaN(start) || !isValid) {
      return send(response.writeHead(200, { ...headers, 'content-length': body.length }), body);
    }
    if (start >= body.length) return void response.writeHead(416, headers).end();
    const rest = body.subarray(start);
    const contentRange = `bytes ${start}-${body.length - 1}/${body.length}`;
    const partHeaders = { ...headers, 'content-range': contentRange, 'content-length': rest.length };
    send(response.writeHead(206, partHeaders), rest);
  };
}

export function makeEtag(body: Buffer): string {
  return `"${createHash('md5').update(body).digest('hex')}"`;
}
