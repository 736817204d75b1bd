import { connect } from 'node:net';

export interface RawReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface RawOptions {
  /** How long to wait for the first byte, measured in time in which this process runs. */
  readonly timeoutMs?: number;
  /** The reply counts as complete after a silence of this length. */
  readonly quietMs?: number;
  /** The first request is a HEAD: its reply has a Content-Length but no body. */
  readonly head?: boolean;
}

const TICK_MS = 10;
/** How much longer the rest of a reply may take. */
const GRACE_TICKS = 300;

/** Sends raw bytes and returns the replies received until the server closes the connection or falls silent. */
export function speakRaw(url: string, bytes: string | Buffer, options: RawOptions = {}): Promise<RawReply[]> {
  const { timeoutMs = 1_500, quietMs = 150, head = false } = options;
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const received: Buffer[] = [];
    const finish = () => {
      clearInterval(timer);
      socket.destroy();
      try {
        resolve(parseReplies(Buffer.concat(received), head));
      } catch (error) {
        reject(error);
      }
    };
    // Ticks are counted instead of time, because a busy machine may stop this process for longer than the silence lasts.
    let ticksLeft = timeoutMs / TICK_MS;
    const timer = setInterval(() => {
      if (--ticksLeft > 0) return;
      const isCut = received.length > 0 && ticksLeft > -GRACE_TICKS && isIncomplete(Buffer.concat(received), head);
      if (!isCut) finish();
    }, TICK_MS);
    socket.on('error', () => undefined);
    socket.on('close', finish);
    socket.on('data', (chunk: Buffer) => {
      received.push(chunk);
      ticksLeft = quietMs / TICK_MS;
    });
    socket.write(bytes);
  });
}

/** Whether the last reply has fewer bytes than its header says. */
function isIncomplete(bytes: Buffer, head: boolean): boolean {
  try {
    const { headers, text } = parseReplies(bytes, head).at(-1) ?? {};
    return !head && Buffer.byteLength(text ?? '') < Number(headers?.get('content-length') ?? 0);
  } catch {
    return !bytes.includes('\r\n\r\n');
  }
}

/** Parses complete replies with a Content-Length. Throws at anything that is not HTTP/1.1. */
export function parseReplies(bytes: Buffer, head = false): RawReply[] {
  const replies: RawReply[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    const end = bytes.indexOf('\r\n\r\n', offset);
    if (end === -1) throw new Error(`not a reply: ${JSON.stringify(bytes.subarray(offset, offset + 80).toString())}`);
    const [line = '', ...headerLines] = bytes.subarray(offset, end).toString('latin1').split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(line)?.[1]);
    if (!(status >= 100)) throw new Error(`not a status line: ${JSON.stringify(line)}`);
    const headers = new Headers(headerLines.map((header) => splitHeader(header)));
    const contentLength = Number(headers.get('content-length') ?? 0);
    // If parsing failed, the server does not know that the method was HEAD, so its error reply has a body.
    const hasBody = !head || replies.length > 0 || bytes[end + 4] === '{'.charCodeAt(0);
    const length = hasBody ? contentLength : 0;
    replies.push({ status, headers, text: bytes.subarray(end + 4, end + 4 + length).toString() });
    offset = end + 4 + length;
  }
  return replies;
}

/** Splits at the first colon only, because the value may contain others. */
function splitHeader(line: string): [string, string] {
  const at = line.indexOf(':');
  return [line.slice(0, at), line.slice(at + 1).trim()];
}
