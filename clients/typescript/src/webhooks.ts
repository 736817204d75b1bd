import { FirmamentError } from './errors.ts';

/** What a webhook tells. `data` depends on `type`: an `entity.…` event has the change of a company, as `/changes` shows it. */
export interface WebhookEvent {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>> & { readonly entityId?: string | null };
}

/** A webhook that was not signed with this secret, is too old, or was changed on its way. Answer 400, and do not use it. */
export class InvalidWebhook extends FirmamentError {}

export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

const TOLERANCE_SECONDS = 300;

/**
 * Verifies a webhook by Standard Webhooks 1.0.0 and returns what it tells. `body` is the body exactly as it arrived, not parsed and written
 * again. Throws `InvalidWebhook`. Events may arrive more than once: drop those whose `webhook-id` you have seen.
 */
export async function verifyWebhook(
  headers: WebhookHeaders,
  body: string | Uint8Array,
  secret: string,
): Promise<WebhookEvent> {
  const read = (name: string) => {
    const value = headers instanceof Headers ? headers.get(name) : headers[name];
    if (typeof value === 'string' && value !== '') return value;
    throw new InvalidWebhook(`the header ${name} is missing`);
  };
  const [id, timestamp, signatures] = [read('webhook-id'), read('webhook-timestamp'), read('webhook-signature')];
  const age = /^\d{1,12}$/.test(timestamp) ? Math.abs(Date.now() / 1_000 - Number(timestamp)) : Number.NaN;
  if (!(age <= TOLERANCE_SECONDS))
    throw new InvalidWebhook('the webhook is too old, or the clock of this machine is wrong');
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const signed = join(new TextEncoder().encode(`${id}.${timestamp}.`), bytes);
  const key = await importSecret(secret);
  for (const signature of signatures.split(' ')) {
    const [version, value = ''] = signature.split(',', 2);
    // `verify` compares in constant time.
    if (version === 'v1' && (await crypto.subtle.verify('HMAC', key, decode(value), signed))) return JSON.parse(text);
  }
  throw new InvalidWebhook('no signature fits: check the secret, and pass the body exactly as it arrived');
}

function importSecret(secret: string): Promise<CryptoKey> {
  const bytes = decode(secret.replace(/^whsec_/, ''));
  if (bytes.length === 0)
    throw new TypeError('the secret of a webhook endpoint starts with whsec_, followed by base64');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

/** Empty if it is not base64. */
function decode(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

function join(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
