import type { IncomingMessage } from 'node:http';
import type Stripe from 'stripe';

export interface Connection {
  readonly secretKey: string;
  readonly apiUrl: string | undefined;
  readonly version: string;
  readonly timeoutMs: number;
}

/** The one this program was written and tested against; Stripe keeps old ones alive. */
const API_VERSION = '2026-10-28.endive';
/** Of one answer; a page of a hundred subscriptions has a few hundred KiB. */
const MOST_BYTES = 8 * 1024 * 1024;

/** The SDK is loaded when first needed: it would double the start of every command that never pays. */
export async function openStripe({ secretKey, apiUrl, version, timeoutMs }: Connection): Promise<Stripe> {
  const { default: Stripe } = await import('stripe');
  const address = apiUrl === undefined ? undefined : new URL(apiUrl);
  const node = Stripe.createNodeHttpClient();
  const path = address?.pathname.replace(/\/+$/, '') ?? '';
  // The SDK takes host and port of another address, but not its path.
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
 * The SDK's own time-out is one of silence: an answer that drips, or has no end, would hold a webhook and our memory for
 * as long as the other side likes.
 */
async function readText(answer: IncomingMessage, timeoutMs: number): Promise<string> {
  const timer = setTimeout(() => answer.destroy(new Error('the answer does not end')), timeoutMs);
  try {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > MOST_BYTES) throw new Error(`the answer is longer than ${MOST_BYTES} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString();
  } finally {
    clearTimeout(timer);
  }
}
