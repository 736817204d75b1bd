import type { IncomingMessage } from 'node:http';
import Type from 'typebox';
import { type Failure, fail } from '../../base/errors.ts';

/** The header `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header), with which a client can repeat a request safely. */

/** Shorter texts are rarely unique. */
const MIN_LENGTH = 16;
const MAX_LENGTH = 255;

/** A character of a structured field that is a string (RFC 9651). */
const QUOTED_CHARACTER = String.raw`(?:[ !#-\[\]-~]|\\["\\])`;
/** Visible ASCII without the characters that structure a field, so that two headers that a proxy has joined are not one key. */
const BARE_CHARACTER = String.raw`[!#-+\--:<-\[\]-~]`;

export const IdempotencyHeaders = Type.Object({
  'Idempotency-Key': Type.Optional(
    Type.String({
      minLength: MIN_LENGTH,
      maxLength: 2 * MAX_LENGTH + 2,
      pattern: `^(?:${BARE_CHARACTER}{${MIN_LENGTH},${MAX_LENGTH}}|"${QUOTED_CHARACTER}{${MIN_LENGTH},${MAX_LENGTH}}")$`,
      description:
        `A random text of ${MIN_LENGTH} to ${MAX_LENGTH} characters, such as a UUID, that is new for each request. If you repeat the ` +
        'request with the same key within 24 hours, nothing is made twice: the reply is `409 idempotency_key_reused` with the id ' +
        'of what the first request has made. Write the key as it is or in quotes (structured field).',
      examples: ['6f1c2c1e-4a0d-4d5e-9b57-3c2f0f4a8e11'],
    }),
  ),
});

const QUOTED = new RegExp(`^"(${QUOTED_CHARACTER}*)"$`);
const BARE = new RegExp(`^${BARE_CHARACTER}+$`);

/** Returns undefined if the header is missing, and throws `invalid_request` if it is not valid. */
export function readIdempotencyKey({ headersDistinct }: IncomingMessage): string | undefined {
  const [field, ...others] = headersDistinct['idempotency-key'] ?? [];
  if (field === undefined) return undefined;
  if (others.length > 0) throw reject('was sent more than once: send it once.');
  const key = QUOTED.exec(field)?.[1]?.replace(/\\(.)/g, '$1') ?? BARE.exec(field)?.[0];
  const advice = `send ${MIN_LENGTH} to ${MAX_LENGTH} random characters, for example a UUID.`;
  if (key === undefined) throw reject(`is empty or contains characters that are not allowed: ${advice}`);
  if (key.length < MIN_LENGTH || key.length > MAX_LENGTH) throw reject(`has ${key.length} characters: ${advice}`);
  return key;
}

function reject(problem: string): Failure {
  return fail('invalid_request', { message: `The Idempotency-Key header ${problem}` });
}
