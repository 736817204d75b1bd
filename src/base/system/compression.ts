import { promisify } from 'node:util';
import zlib, { constants } from 'node:zlib';

/** Content codings that a client accepts. Levels and limits are measured: see docs/decisions/0017-compression.md. */
export type Coding = 'zstd' | 'br' | 'gzip';

/** The order of preference among codings of equal weight: zstd takes a third of the time of the others. */
const CODINGS: readonly Coding[] = ['zstd', 'br', 'gzip'];

export interface AcceptedCodings {
  /** Undefined if the client accepts none of our codings, or prefers the plain body. */
  readonly preferred: Coding | undefined;
  readonly accepted: readonly Coding[];
  readonly acceptsPlain: boolean;
}

const PLAIN_ONLY: AcceptedCodings = { preferred: undefined, accepted: [], acceptsPlain: true };

/** A client sends the same header every time, so parsed headers are kept. The limits bound the memory that hostile headers can use. */
const parsed = new Map<string, AcceptedCodings>();
const MAX_PARSED = 64;
const MAX_KEPT_LENGTH = 200;

/**
 * Reads an `Accept-Encoding` header (RFC 9110, 12.5.3). Without the header, the client gets the plain body. Malformed parts are ignored. `*` means gzip
 * only: a client that does not name zstd or br may not support them.
 */
export function parseAcceptEncoding(header: string | undefined): AcceptedCodings {
  if (header === undefined) return PLAIN_ONLY;
  const known = parsed.get(header);
  if (known !== undefined) return known;
  const accepted = parse(header);
  if (parsed.size >= MAX_PARSED) parsed.clear();
  if (header.length <= MAX_KEPT_LENGTH) parsed.set(header, accepted);
  return accepted;
}

function parse(header: string): AcceptedCodings {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(',')) {
    const [, name = '', weight = '1'] = PART.exec(part) ?? [];
    if (name !== '') weights.set(name === 'x-gzip' ? 'gzip' : name, Number(weight));
  }
  const weightOf = (coding: Coding) => weights.get(coding) ?? (coding === 'gzip' ? (weights.get('*') ?? 0) : 0);
  const accepted = CODINGS.filter((coding) => weightOf(coding) > 0);
  const [best] = accepted.toSorted((a, b) => weightOf(b) - weightOf(a));
  const prefersPlain = best !== undefined && (weights.get('identity') ?? 0) > weightOf(best);
  return {
    preferred: prefersPlain ? undefined : best,
    accepted,
    acceptsPlain: (weights.get('identity') ?? weights.get('*') ?? 1) > 0,
  };
}

const PART = /^\s*([!#$%&'*+.^_`|~\w-]+)\s*(?:;\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/;

/** The minimum length of a compressed body. A smaller body fits into one packet with its headers, so compressing it would save nothing. */
const MIN_LENGTH = 1_024;

/** The coding in which a body is sent; undefined if the body is sent uncompressed. */
export function chooseCoding(codings: AcceptedCodings, body: { readonly length: number }): Coding | undefined {
  return body.length >= MIN_LENGTH || !codings.acceptsPlain ? codings.preferred : undefined;
}

/** Compressing up to this size takes at most a quarter of a millisecond, less than a round trip to another thread. */
const MAX_SYNC_BYTES = 32 * 1024;

export function compress(body: string | Uint8Array, coding: Coding): Buffer | Promise<Buffer> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const kept = keptBodies.get(bytes);
  if (kept === undefined) return compressors[coding](bytes);
  return kept.forms.get(coding) ?? compressAndKeep(kept, bytes, coding);
}

interface Kept {
  readonly forms: Map<Coding, Buffer | Promise<Buffer>>;
  text?: string;
  readonly onKept: ((bytes: number) => void) | undefined;
}

const keptBodies = new WeakMap<Uint8Array, Kept>();

/** Marks a body that is sent repeatedly, to be compressed once per coding. `onKept` gets the size of each form. */
export function keepCompressed(body: Buffer, onKept?: (bytes: number) => void): Buffer {
  keptBodies.set(body, { forms: new Map(), onKept });
  return body;
}

export function isSentRepeatedly(body: Uint8Array): boolean {
  return keptBodies.has(body);
}

/** Longer texts are not faster to send than bytes: `node:http` does not copy long texts to the stack. */
const MAX_TEXT_BYTES = 15 * 1024;

/**
 * A body that is sent repeatedly as text in Latin-1, in which each byte of the body is one character. `node:http` sends head and body as one piece
 * only if both are text. Undefined for other bodies: making the text takes longer than sending two pieces.
 */
export function asText(body: Uint8Array): string | undefined {
  const kept = keptBodies.get(body);
  if (kept === undefined || body.length > MAX_TEXT_BYTES) return undefined;
  if (kept.text === undefined) {
    kept.text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1');
    kept.onKept?.(body.length);
  }
  return kept.text;
}

function compressAndKeep({ forms, onKept }: Kept, body: Uint8Array, coding: Coding): Buffer | Promise<Buffer> {
  const keep = (compressed: Buffer) => {
    // A copy, because zlib returns a view of a larger buffer.
    const form = Buffer.from(new Uint8Array(compressed).buffer);
    forms.set(coding, form);
    onKept?.(form.length);
    return form;
  };
  const compressed = compressors[coding](body);
  if (!(compressed instanceof Promise)) return keep(compressed);
  // Requests that arrive meanwhile share the promise. If compression fails, the next request tries again.
  const keeping = compressed.then(keep, (error: unknown) => {
    forms.delete(coding);
    throw error;
  });
  forms.set(coding, keeping);
  return keeping;
}

/** Small bodies are compressed synchronously, and larger ones in Node's thread pool, so that they do not block the event loop. */
function createCompressor<Options>(
  now: (body: Uint8Array, options: Options) => Buffer,
  later: (body: Uint8Array, options: Options) => Promise<Buffer>,
  options: Options,
) {
  return (body: Uint8Array) => (body.length <= MAX_SYNC_BYTES ? now(body, options) : later(body, options));
}

const compressors: Readonly<Record<Coding, (body: Uint8Array) => Buffer | Promise<Buffer>>> = {
  zstd: createCompressor((body, options) => zlib.zstdCompressSync(body, options), promisify(zlib.zstdCompress), {
    params: { [constants.ZSTD_c_compressionLevel]: 3 },
  }),
  br: createCompressor((body, options) => zlib.brotliCompressSync(body, options), promisify(zlib.brotliCompress), {
    params: { [constants.BROTLI_PARAM_QUALITY]: 4 },
  }),
  gzip: createCompressor((body, options) => zlib.gzipSync(body, options), promisify(zlib.gzip), { level: 4 }),
};
