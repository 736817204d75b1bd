import { Agent, createServer, type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { runs } from '../harness/depth.ts';
import { use } from '../harness/use.ts';
import { sendError } from './scripted-server.ts';

/** What the proxy does to a request or its reply. */
export const faults = [
  /** 429 and 503 of the API, and the page of a gateway. */
  'limited',
  'unavailable',
  'gateway',
  /** The connection breaks before the request is forwarded, or after the service has answered it. */
  'reset',
  'lost',
  /** Half of the body, then the connection breaks. */
  'cut',
  /** Half of the body, and the headers say that this is all. */
  'short',
  /** The body comes in small parts. */
  'slow',
  /** Half of the body, and nothing more. */
  'stall',
] as const;
export type Fault = (typeof faults)[number];

export interface Upstream {
  readonly url: string;
  /** Replaces the key of the client. */
  readonly key?: string;
}

/** Decides about each request before it is forwarded: where to, and what goes wrong. */
export type Direct = () => Promise<Direction>;

interface Direction {
  readonly upstream: Upstream;
  readonly fault: Fault | null;
}

export interface FaultProxy {
  readonly url: string;
  /** Replaces who decides, for the next run. */
  direct(by: Direct): void;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Stands between a client and services. */
export const useFaultProxy = () => use(startFaultProxy, (proxy) => proxy[Symbol.asyncDispose]());

async function startFaultProxy(): Promise<FaultProxy> {
  const agent = new Agent({ keepAlive: true });
  let decide: Direct | undefined;
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { upstream, fault } = (await decide?.()) ?? {};
    if (upstream === undefined || fault === 'reset') response.destroy();
    else if (fault === 'limited') sendError(response, 429, 'rate_limit_exceeded', { 'retry-after': '0' });
    else if (fault === 'unavailable') sendError(response, 503, 'service_unavailable', { 'retry-after': '0' });
    else if (fault === 'gateway') response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>');
    else await answer(response, await forward(request, upstream, agent), fault ?? null);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    direct: (by) => {
      decide = by;
    },
    async [Symbol.asyncDispose]() {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Forwarded {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

async function forward(request: IncomingMessage, upstream: Upstream, agent: Agent): Promise<Forwarded> {
  const { method, url, headers } = request;
  const body = await buffer(request);
  const address = new URL(url ?? '', upstream.url);
  const credential = upstream.key === undefined ? {} : { authorization: `Bearer ${upstream.key}` };
  const own = { ...headers, host: address.host, ...credential };
  return new Promise((resolve, reject) => {
    const sent = sendRequest(address, { method, agent, headers: own }, (reply) => {
      const { statusCode: status = 0, headers } = reply;
      buffer(reply).then((body) => resolve({ status, headers, body }), reject);
    });
    sent.on('error', reject).end(body);
  });
}

async function answer(
  response: ServerResponse,
  { status, headers, body }: Forwarded,
  fault: Fault | null,
): Promise<void> {
  if (fault === 'lost') {
    response.destroy();
    return;
  }
  const half = body.subarray(0, body.length >> 1);
  const { connection, 'keep-alive': keepAlive, ...kept } = headers;
  // A 304 has no body, so nothing can be missing.
  if (fault === 'short' && body.length > 0) kept['content-length'] = String(half.length);
  response.writeHead(status, kept);
  if (body.length === 0 || fault === null) response.end(body);
  else if (fault === 'short') response.end(half);
  else {
    response.write(half);
    await new Promise((resolve) => setTimeout(resolve, 1));
    if (fault === 'cut') response.destroy();
    if (fault === 'slow') response.end(body.subarray(half.length));
  }
}

/** What happens at one request of a run. */
export interface Step<Event> {
  readonly fault: Fault | null;
  readonly event: Event | null;
}

/** A client gives up a stalled reply after this time. No other reply may take as long, or its request is sent again. */
const TIMEOUT_MS = runs(4_000, 400);

/** Options with which every call gets through in the end: a run has far fewer faults. */
export const persistent = {
  attempts: 100,
  backoff: 0,
  timeout: TIMEOUT_MS,
  deadline: 600_000,
  key: 'frm_test_proxied',
} as const;

/** Half of the requests are fine. A stall costs the whole time limit, so it is rare. */
const anyFault = fc.oneof(
  { weight: 120, arbitrary: fc.constant(null) },
  { weight: 119, arbitrary: fc.constantFrom(...faults.filter((fault) => fault !== 'stall')) },
  { weight: 1, arbitrary: fc.constant<Fault>('stall') },
);

export function anySteps<Event>(event: fc.Arbitrary<Event>, maxLength = 30): fc.Arbitrary<Step<Event>[]> {
  const sometimes = fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: event });
  const step = fc.record({ fault: anyFault, event: sometimes });
  return fc.array(step, { maxLength, size: 'max' });
}
