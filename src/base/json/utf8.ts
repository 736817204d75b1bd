import { fail } from '../errors.ts';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes the body of a request. Throws `invalid_request` instead of replacing bytes that are not UTF-8 by U+FFFD. */
export function decodeBody(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (error) {
    throw fail('invalid_request', { message: 'The body is not valid UTF-8: send it in this encoding.', cause: error });
  }
}
