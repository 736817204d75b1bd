import { fail } from '../errors.ts';

/** The submitted fields. If a field was sent twice, the last value wins. */
export type Fields = Readonly<Record<string, string | undefined>>;

/** The maximum number of fields. The largest form has a checkbox for each of 200 monitors. */
const MAX_FIELDS = 500;
const [PLUS, SPACE] = [0x2b, 0x20];

/**
 * Reads a body of the type `application/x-www-form-urlencoded`, and overwrites its bytes. Rejects bytes and escaped bytes that are not UTF-8, which
 * `URLSearchParams` would replace by U+FFFD. For a body of 1 MB of plus signs or of fields without "=", `URLSearchParams` takes 80 ms and 4 s.
 */
export function parseFields(body: Buffer): Readonly<Record<string, string>> {
  for (let at = 0; at < body.length; at++) if (body[at] === PLUS) body[at] = SPACE;
  const pairs = decodeBody(body).split('&', MAX_FIELDS + 1);
  if (pairs.length > MAX_FIELDS) {
    throw fail('invalid_request', { message: `The form has more than ${MAX_FIELDS} fields.` });
  }
  return Object.fromEntries(pairs.filter((pair) => pair !== '').map(parsePair));
}

function parsePair(pair: string): [name: string, value: string] {
  const equals = pair.indexOf('=');
  return equals === -1
    ? [decodeEscapes(pair), '']
    : [decodeEscapes(pair.slice(0, equals)), decodeEscapes(pair.slice(equals + 1))];
}

function decodeEscapes(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    const message = 'The form has an invalid escape: write % as %25, and other characters in UTF-8.';
    throw fail('invalid_request', { message, cause: error });
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes the body of a request. Throws `invalid_request` instead of replacing bytes that are not UTF-8 by U+FFFD. */
export function decodeBody(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (error) {
    throw fail('invalid_request', { message: 'The body is not valid UTF-8: send it in this encoding.', cause: error });
  }
}
