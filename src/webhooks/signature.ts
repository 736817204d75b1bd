import { createHmac, randomBytes } from 'node:crypto';

/** Secrets and signatures of Standard Webhooks 1.0.0. */
const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

export function createWebhookSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

export interface SignedMessage {
  readonly id: string;
  /** Seconds since the Unix epoch. */
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
