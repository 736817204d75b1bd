import { gunzipSync } from 'node:zlib';

/** One reply of a pipelined connection. */
export interface PipelinedReply {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/**
 * Reads the complete replies at the start of the bytes. Replies to HEAD have no body, so the methods of the requests must be
 * known. Interim replies (1xx) are left out. Throws at anything that is not HTTP.
 */
export function readReplies(bytes: Buffer, methods: readonly string[]): PipelinedReply[] {
  const replies: PipelinedReply[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf('\r\n\r\n', at);
    if (end === -1) break;
    const [line = '', ...lines] = bytes.toString('latin1', at, end).split('\r\n');
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(line)?.[1]);
    if (!(status >= 100)) throw new Error(`not a status line: ${JSON.stringify(line.slice(0, 80))}`);
    const headers = new Map(lines.map(splitHeader));
    at = end + 4;
    if (status < 200) continue;
    const isEmpty = methods[replies.length] === 'HEAD' || status === 204 || status === 304;
    const body = isEmpty ? { content: Buffer.alloc(0), end: at } : readBody(bytes, at, headers);
    if (body === undefined) break;
    at = body.end;
    const content = headers.get('content-encoding') === 'gzip' && !isEmpty ? gunzipSync(body.content) : body.content;
    replies.push({ status, headers, body: content });
  }
  return replies;
}

interface Body {
  readonly content: Buffer;
  /** The offset after the body. */
  readonly end: number;
}

/** Undefined if the body is incomplete. */
function readBody(bytes: Buffer, start: number, headers: ReadonlyMap<string, string>): Body | undefined {
  if (headers.get('transfer-encoding') !== 'chunked') {
    const end = start + Number(headers.get('content-length') ?? 0);
    return end > bytes.length ? undefined : { content: bytes.subarray(start, end), end };
  }
  const chunks: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd === -1) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    if (!(size >= 0)) throw new Error('not a chunk size');
    const chunkEnd = lineEnd + 2 + size;
    if (chunkEnd + 2 > bytes.length) return undefined;
    if (size === 0) return { content: Buffer.concat(chunks), end: chunkEnd + 2 };
    chunks.push(bytes.subarray(lineEnd + 2, chunkEnd));
    at = chunkEnd + 2;
  }
}

function splitHeader(line: string): [string, string] {
  const at = line.indexOf(':');
  return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
}
