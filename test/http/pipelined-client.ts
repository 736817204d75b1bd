import { connect, type Socket } from 'node:net';
import { parseReplies, type RawReply } from '../harness/raw.ts';

/** A reply as it was sent. */
export interface SentReply {
  readonly statusLine: string;
  readonly status: number;
  /** Names as they are written, with their values. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
}

/** Sends the bytes of one request on a new connection. Resolves with the reply when it is complete, however long that takes. */
export function exchange(url: string, request: string): Promise<SentReply> {
  const hasBody = !request.startsWith('HEAD ');
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    let received: Buffer = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const reply = readReply(received, hasBody);
      if (reply === undefined) return;
      resolve(reply);
      socket.destroy();
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`closed after ${JSON.stringify(received.toString('latin1', 0, 200))}`)));
    socket.write(request, 'latin1');
  });
}

export function findHeader({ headers }: SentReply, name: string): string | undefined {
  return headers.find(([given]) => given.toLowerCase() === name)?.[1];
}

/** Undefined until the reply is complete. */
function readReply(bytes: Buffer, hasBody: boolean): SentReply | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const status = Number(statusLine.split(' ')[1]);
  if (status < 200) return readReply(bytes.subarray(end + 4), hasBody);
  const headers = lines.map((line) => {
    const at = line.indexOf(': ');
    return [line.slice(0, at), line.slice(at + 2)] as const;
  });
  const reply = { statusLine, status, headers, body: bytes.subarray(end + 4) };
  const length = hasBody ? Number(findHeader(reply, 'content-length') ?? 0) : 0;
  return reply.body.length < length ? undefined : reply;
}

/** A client that writes raw bytes and collects the replies, without any assumption about time. */
export interface PipelinedClient {
  readonly socket: Socket;
  write(bytes: string): void;
  /** Resolves with the replies so far as soon as there are `count`, or when the server closes the connection. */
  receive(count: number): Promise<RawReply[]>;
  /** Resolves with all replies when the connection is closed. */
  readonly ended: Promise<RawReply[]>;
}

/** `hasNoBody` says which replies have a `Content-Length` but no body, by their number: those to HEAD. */
export function openClient(url: string, hasNoBody: (reply: number) => boolean = () => false): PipelinedClient {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true });
  const replies: RawReply[] = [];
  const waiting = new Set<() => void>();
  const ended = Promise.withResolvers<RawReply[]>();
  let bytes = Buffer.alloc(0);
  let hasEnded = false;

  /** Moves the replies that are complete from `bytes` to `replies`. */
  function readReplies(): void {
    for (;;) {
      const headersEnd = bytes.indexOf('\r\n\r\n') + 4;
      if (headersEnd < 4) return;
      const head = bytes.toString('latin1', 0, headersEnd);
      const length = hasNoBody(replies.length) ? 0 : Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
      if (headersEnd + length > bytes.length) return;
      replies.push(...parseReplies(bytes.subarray(0, headersEnd + length), length === 0));
      bytes = bytes.subarray(headersEnd + length);
    }
  }
  function wake(): void {
    for (const resolve of waiting) resolve();
    waiting.clear();
  }
  function end(): void {
    hasEnded = true;
    wake();
    ended.resolve(replies);
  }
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    readReplies();
    wake();
  });
  socket.on('end', end).on('close', end);

  return {
    socket,
    write: (text) => void socket.write(text, 'latin1'),
    async receive(count) {
      while (!hasEnded && replies.length < count) {
        await new Promise<void>((resolve) => waiting.add(resolve));
      }
      return replies;
    },
    ended: ended.promise,
  };
}
