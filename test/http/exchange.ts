import { connect } from 'node:net';

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
