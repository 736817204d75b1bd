import { decodeBody } from '../json/utf8.ts';

/** The submitted fields. If a field was sent twice, the last value wins. */
export type Fields = Readonly<Record<string, string | undefined>>;

/**
 * Reads a body of the type `application/x-www-form-urlencoded`. Rejects what `URLSearchParams` would replace by U+FFFD: bytes and escaped
 * bytes that are not UTF-8.
 */
export function readFields(body: Buffer): Fields {
  const bytes = body.toString('latin1').replace(ESCAPE, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  decodeBody(Buffer.from(bytes, 'latin1'));
  return Object.fromEntries(new URLSearchParams(body.toString('utf8')));
}

const ESCAPE = /%([0-9a-f]{2})/gi;
