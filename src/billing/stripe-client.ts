import type { IncomingMessage } from 'node:http';
import type Stripe from 'stripe';

interface Connection {
  readonly secretKey: string;
  readonly apiUrl: string | undefined;
  readonly version: string;
  readonly timeoutMs: number;
}

/** The version this code was written and tested against. Stripe keeps supporting old versions. */
const API_VERSION = '2026-10-28.endive';
/** The limit of one response. A page of a hundred subscriptions takes a few hundred KiB. */
const MAX_BYTES = 8 * 1024 * 1024;

/** Loads the SDK on first use: loading it at start would double the start-up time of commands that do not use it. */
export const loadStripe = () => import('stripe');

export async function openStripe({ secretKey, apiUrl, version, timeoutMs }: Connection): Promise<Stripe> {
  const { default: Stripe } = await loadStripe();
  const address = apiUrl === undefined ? undefined : new URL(apiUrl);
  const node = Stripe.createNodeHttpClient();
  const path = address?.pathname.replace(/\/+$/, '') ?? '';
  // The SDK has options for host and port, but not for a path.
  const makeRequest: typeof node.makeRequest = async (host, port, rest, ...others) => {
    const response = await node.makeRequest(host, port, path + rest, ...others);
    const raw = response.getRawResponse() as IncomingMessage;
    return Object.assign(response, { toJSON: async () => JSON.parse(await readText(raw, timeoutMs)) });
  };
  return new Stripe(secretKey, {
    apiVersion: API_VERSION,
    timeout: timeoutMs,
    maxNetworkRetries: 1,
    telemetry: false,
    appInfo: { name: 'Firmament', version },
    httpClient: { getClientName: () => node.getClientName(), makeRequest },
    ...(address && {
      host: address.hostname,
      port: address.port || (address.protocol === 'http:' ? 80 : 443),
      protocol: address.protocol === 'http:' ? 'http' : 'https',
    }),
  });
}

/**
 * Bounds time and size of a response. The SDK's own time-out covers idle time only: a response that trickles in, or
 * never ends, would block a webhook and fill our memory.
 */
async function readText(response: IncomingMessage, timeoutMs: number): Promise<string> {
  const timer = setTimeout(() => response.destroy(new Error('the response took too long')), timeoutMs);
  try {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) throw new Error(`the response is longer than ${MAX_BYTES} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString();
  } finally {
    clearTimeout(timer);
  }
}
