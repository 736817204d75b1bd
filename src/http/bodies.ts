import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { fail } from '../base/errors.ts';
import { exceedsBounds } from '../base/json/json-bounds.ts';
import { decodeBody, parseFields } from '../base/requests/form-fields.ts';
import type { HttpRequest } from './request.ts';
import type { BodyReaders, Route } from './route.ts';

/** A change of a monitor that adds and removes 1,000 companies each contains 6,000 values in 4 levels. */
const JSON_BOUNDS = { maxDepth: 16, maxValues: 10_000 };

/**
 * JSON bodies: plain UTF-8 only, so that every text is either stored exactly as it was sent or rejected. Bodies with too many values are rejected
 * before anything is built from them: to build and validate a million values takes seconds.
 */
export const JSON_BODIES: BodyReaders = {
  'application/json': (bytes, { headers }) => {
    requirePlainUtf8(headers);
    const text = decodeBody(bytes);
    if (exceedsBounds(text, JSON_BOUNDS)) throw fail('invalid_request', { message: TOO_COMPLEX });
    return parseJson(text);
  },
};
export const FORM_BODIES: BodyReaders = { 'application/x-www-form-urlencoded': parseFields };
export const RAW_BODIES: BodyReaders = { '*': (bytes) => bytes };
/** For routes that ignore the body. Bodies of every type are accepted. */
export const IGNORED_BODIES: BodyReaders = { '*': () => undefined };

const TOO_COMPLEX = `The body is too complex: send at most ${JSON_BOUNDS.maxValues} values in at most ${JSON_BOUNDS.maxDepth} levels.`;
export async function readBody(request: HttpRequest, { bodies = JSON_BODIES }: Route, limit: number): Promise<unknown> {
  const read = bodies['*'] ?? bodies[mediaTypeOf(request.headers['content-type'])];
  if (read === undefined) throw fail('unsupported_media_type');
  return read(request.sendsBody ? await readBytes(request.raw, limit) : Buffer.alloc(0), request);
}

const MEDIA_TYPE = /^\s*([\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+)\s*(?:;|$)/;

function mediaTypeOf(header = ''): string {
  return MEDIA_TYPE.exec(header)?.[1]?.toLowerCase() ?? '';
}

/** Rejects at the limit. Node discards the bytes that still arrive. */
function readBytes(raw: IncomingMessage, limit: number): Promise<Buffer> {
  const length = Number(raw.headers['content-length']);
  if (length > limit) throw fail('payload_too_large');
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let received = 0;
    raw.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received <= limit) chunks.push(chunk);
      else reject(fail('payload_too_large'));
    });
    raw.once('error', (cause) => reject(fail('invalid_request', { cause })));
    raw.once('end', () => resolve(Buffer.concat(chunks)));
  });
}

/** Rejects names that would change the prototype of an object built from the value. */
export function parseJson(text: string): unknown {
  if (text === '') throw fail('invalid_request', { message: 'The body is empty: send a JSON object.' });
  try {
    return JSON.parse(
      text.startsWith(BOM) ? text.slice(1) : text,
      SUSPICIOUS.test(text) ? rejectPrototypes : undefined,
    );
  } catch (cause) {
    throw fail('invalid_request', { message: 'The body is not valid JSON.', cause });
  }
}

const BOM = '\ufeff';
/** `\\u00` is included because any letter of these names may be escaped. */
const SUSPICIOUS = /__proto__|constructor|\\u00/;

function rejectPrototypes(name: string, value: unknown): unknown {
  const isConstructor = name === 'constructor' && Object.hasOwn(Object(value), 'prototype');
  if (name === '__proto__' || isConstructor) throw new SyntaxError('a name of a prototype');
  return value;
}

const PLAIN = /^\s*(?:identity)?\s*$/i;
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/i;

function requirePlainUtf8({ 'content-encoding': coding = '', 'content-type': type = '' }: IncomingHttpHeaders): void {
  if (!PLAIN.test(coding)) throw fail('unsupported_media_type', { message: COMPRESSED });
  const [, charset = 'utf-8'] = CHARSET.exec(type) ?? [];
  if (!/^utf-?8$/i.test(charset)) throw fail('unsupported_media_type', { message: OTHER_CHARSET });
}

const COMPRESSED = 'Send the body without Content-Encoding: it must not be compressed.';
const OTHER_CHARSET = 'Send the body as application/json in UTF-8, without another charset.';
