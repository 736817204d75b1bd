import type { FileHandle } from 'node:fs/promises';
import { fail } from '../../base/errors.ts';
import type { OfferedFile } from '../../exports/offered.ts';
import type { HttpReply } from '../../http/reply.ts';
import type { HttpRequest } from '../../http/request.ts';
import { matchesAny, namesTag } from './data-operation.ts';

export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

const SINGLE = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i;

/**
 * Reads a `Range` header (RFC 9110, 14.2). Undefined means the whole file: without the header, for several ranges, which we do not
 * support, and for malformed ones, which have to be ignored.
 */
export function readRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, from = '', to = ''] = SINGLE.exec(header ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  if (from === '') {
    const length = Number(to);
    if (length === 0) return 'unsatisfiable';
    return size === 0 ? undefined : { first: Math.max(0, size - length), last: size - 1 };
  }
  const [first, last] = [Number(from), to === '' ? Number.POSITIVE_INFINITY : Number(to)];
  if (last < first) return undefined;
  return first < size ? { first, last: Math.min(last, size - 1) } : 'unsatisfiable';
}

/** How to answer a request for a file, as its headers demand. */
export interface FileAnswer {
  readonly status: 200 | 206 | 304;
  readonly range: ByteRange;
  /** Whether the client has named the tag of the file, which shows that the client has the file. `*` does not show that. */
  readonly isNamed: boolean;
}

/** Evaluates the headers in the order of RFC 9110, 13.2.2. Throws `range_not_satisfiable`. */
export function chooseAnswer({ method, headers }: HttpRequest, { bytes, sha256 }: OfferedFile): FileAnswer {
  const tag = tagOf(sha256);
  const known = headers['if-none-match'];
  const isNamed = namesTag(known, tag);
  const whole = { first: 0, last: bytes - 1 };
  if (isNamed || matchesAny(known ?? '')) return { status: 304, range: whole, isNamed };
  // Ranges are only for GET. A date in `If-Range` cannot match, because files have no `Last-Modified`.
  const isRanged = method === 'GET' && (headers['if-range'] ?? tag) === tag;
  const range = isRanged ? readRange(headers.range, bytes) : undefined;
  if (range === 'unsatisfiable')
    throw fail('range_not_satisfiable', { headers: { 'Content-Range': `bytes */${bytes}` } });
  return { status: range === undefined ? 200 : 206, range: range ?? whole, isNamed };
}

/** A strong tag: the bytes of a file never change, and no content coding is applied to them. */
function tagOf(sha256: string): string {
  return `"${sha256}"`;
}

/**
 * Immutable, because the address contains the generation of the export. Private, because the client pays for the file: a shared cache would give it
 * to anyone. `no-transform` keeps proxies from compressing it, which would make the entity tag and ranges wrong.
 */
const CACHE_CONTROL = 'private, immutable, max-age=31536000, no-transform';

/** Headers that a 304 repeats. Without them, caches would take over the `no-store` of other replies. */
export function writeCacheHeaders(reply: HttpReply, { sha256 }: OfferedFile): HttpReply {
  return reply.headers({ 'cache-control': CACHE_CONTROL, etag: tagOf(sha256) });
}

export function writeFileHeaders(reply: HttpReply, file: OfferedFile, { status, range }: FileAnswer): HttpReply {
  const { generation, path, bytes } = file;
  const name = `firmament-${generation}-${path.replace('/entities/country=', '/').replaceAll('/', '-')}`;
  const { first, last } = range;
  if (status === 206) reply.header('content-range', `bytes ${first}-${last}/${bytes}`);
  return writeCacheHeaders(reply, file)
    .code(status)
    .headers({
      'accept-ranges': 'bytes',
      'content-disposition': `attachment; filename="${name}"`,
      'content-length': last - first + 1,
    })
    .type(typeOf(path));
}

/** An error that is sent instead of the file must not be cached for a year. */
function removeFileHeaders(reply: HttpReply): void {
  for (const name of ['etag', 'accept-ranges', 'content-range', 'content-disposition']) reply.removeHeader(name);
  reply.header('cache-control', 'no-store');
}

const TYPES: Readonly<Record<string, string>> = {
  parquet: 'application/vnd.apache.parquet',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8; header=present',
  json: 'application/json; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  zst: 'application/zstd',
  gz: 'application/gzip',
};

export const fileTypes: readonly string[] = Object.values(TYPES).map((type) => type.replace(/;.*/, ''));

function typeOf(path: string): string {
  return TYPES[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
}

const CHUNK_BYTES = 64 * 1024;

/**
 * Sends bytes of an open file as fast as the client reads, and closes the file when it is sent or the client has gone. A client may be slow, but not
 * stalled: `closeStuckConnections` ends it after `stalledMs` without progress. Node's own time-out gets the same value, because it sees no progress
 * while a large buffer of the kernel empties slowly. The next request resets that time-out. If the file cannot be read to its end, the connection is
 * closed, so that the client notices; if even the start cannot be read, the client gets an error. Returns how many units were delivered: none if the
 * file cannot be read.
 */
export function sendFile(
  reply: HttpReply,
  file: FileHandle,
  { first, last }: ByteRange,
  stalledMs: number,
): Promise<number> {
  reply.raw.socket?.setTimeout(stalledMs);
  const bytes = file.createReadStream({ start: first, end: last, highWaterMark: CHUNK_BYTES });
  const delivery = new Promise<number>((resolve) => {
    // This event is not emitted when the client disconnects.
    bytes.once('error', () => {
      if (!reply.raw.headersSent) removeFileHeaders(reply);
      resolve(0);
    });
    bytes.once('close', () => resolve(1));
  });
  reply.send(bytes).finish();
  return delivery;
}
