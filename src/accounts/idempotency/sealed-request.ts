import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto';

/** A request that a client may repeat: the same key of the same account and operation means the same request. */
export interface RepeatableRequest {
  readonly accountId: string;
  readonly operation: string;
  /** Chosen by the client. It must be hard to guess, because it protects the stored reply. */
  readonly key: string;
  /** What the request asks for. A key cannot be used for two different bodies. */
  readonly body: string;
}

/** A request as the database knows it: without its key, neither the key nor the reply can be computed from what is stored. */
export interface SealedRequest {
  readonly id: string;
  readonly requestHash: string;
  /** The id of the next attempt, if the reply to an earlier one is outdated: the same on all servers that know that reply. */
  nextId(outdated: string): string;
  seal(reply: string): string;
  /** Throws if the reply was changed. */
  unseal(sealed: string): string;
}

const CIPHER = 'aes-256-gcm';
const ID_BYTES = 32;
const SECRET_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Both parts of the derived bytes are independent: the id says nothing about the secret. */
export function sealRequest({ accountId, operation, key, body }: RepeatableRequest): SealedRequest {
  const derived = Buffer.from(hkdfSync('sha256', key, accountId, operation, ID_BYTES + SECRET_BYTES));
  const id = derived.toString('hex', 0, ID_BYTES);
  const secret = derived.subarray(ID_BYTES);
  return {
    id,
    requestHash: hash('sha256', `${id} ${body}`, 'hex'),
    nextId: (outdated) => hash('sha256', `${id} ${outdated}`, 'hex'),
    seal(reply) {
      // Random, because a key that has expired may be used again for another reply.
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, secret, nonce);
      const text = Buffer.concat([cipher.update(reply, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url');
    },
    unseal(sealed) {
      const bytes = Buffer.from(sealed, 'base64url');
      const decipher = createDecipheriv(CIPHER, secret, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      return decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    },
  };
}
