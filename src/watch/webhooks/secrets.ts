import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export type SealedSecrets = ReturnType<typeof createSealedSecrets>;

/**
 * Seals the secrets of endpoints before they are stored: signing needs the secret itself, so secrets are encrypted with a key of the operator. `keys`
 * are 32 bytes each, in base64. The first key seals, all keys can unseal.
 */
export function createSealedSecrets(keys: readonly string[]) {
  const [first, ...others] = keys.map((key) => Buffer.from(key, 'base64'));
  if (first === undefined) throw new Error('there is no key to seal secrets with');

  function open(key: Buffer, bytes: Buffer, id: string): string {
    const cipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES));
    cipher.setAAD(Buffer.from(id)).setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    return cipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + cipher.final('utf8');
  }

  return {
    /** `id` is the id of the endpoint: a sealed secret cannot be moved to another endpoint. */
    seal(secret: string, id: string): string {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', first, nonce).setAAD(Buffer.from(id));
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64');
    },
    /** Throws if the key that sealed the secret is not configured, or if the sealed text was changed. */
    unseal(sealed: string, id: string): string {
      const bytes = Buffer.from(sealed, 'base64');
      for (const key of [first, ...others]) {
        try {
          return open(key, bytes, id);
        } catch {
          // Another key may have sealed the secret.
        }
      }
      throw new Error('no key of WEBHOOK_KEY can decrypt the secret of this endpoint');
    },
  };
}

/** The prefix of secrets of Standard Webhooks 1.0.0. */
const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

export function createWebhookSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

interface SignedMessage {
  readonly id: string;
  /** The time of signing, in seconds since the Unix epoch. */
  readonly timestamp: number;
  readonly body: string;
}

/** The header `webhook-signature`, with one signature per secret. */
export function signMessage({ id, timestamp, body }: SignedMessage, secrets: readonly string[]): string {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return signatures.join(' ');
}
