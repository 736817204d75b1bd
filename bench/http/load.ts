import { connect, type Socket } from 'node:net';

/**
 * The process that generates the load: keep-alive connections with one request in flight each. It must be much cheaper
 * than any server, so it writes requests as plain text and reads only the status and the length of a reply.
 */
export interface LoadTask {
  readonly port: number;
  /** Requested in turn, over all connections. */
  readonly paths: readonly string[];
  /** Used one after the other, each for `REQUESTS_PER_KEY` requests. */
  readonly secrets: readonly string[];
  readonly connections: number;
  readonly seconds: number;
}

export interface LoadFigures {
  /** All answers, including those that arrived after the deadline. */
  readonly answers: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The share of one core that this process used. */
  readonly loadCpu: number;
}

export type LoadReport = LoadFigures | { readonly failure: string };

process.on('message', (task: LoadTask) => {
  makeLoad(task).then(
    (figures) => process.send?.(figures),
    (error: unknown) => process.send?.({ failure: error instanceof Error ? error.message : String(error) }),
  );
});

/**
 * All connections use the same key at a time, as when a customer sends a burst of requests. Low enough to stay within a
 * key's rate limit even when the keys are used again.
 */
const REQUESTS_PER_KEY = 250;

/** Counts requests over all rounds. */
let sent = 0;

async function makeLoad({ port, paths, secrets, connections, seconds }: LoadTask): Promise<LoadFigures> {
  const sockets: Socket[] = [];
  const times: number[] = [];
  let inTime = 0;
  const cpuBefore = process.cpuUsage();
  const started = performance.now();
  const deadline = started + seconds * 1_000;

  function keepSending(): Promise<void> {
    return new Promise((resolve, reject) => {
      let sentAt = 0;
      const readReply = createReader();
      const send = () => {
        sentAt = performance.now();
        const secret = secrets[Math.floor(sent / REQUESTS_PER_KEY) % secrets.length];
        const path = paths[sent++ % paths.length];
        socket.write(
          `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-API-Key: ${secret}\r\nAccept: application/json\r\n\r\n`,
          'latin1',
        );
      };
      const callback = (size: number, buffer: Uint8Array) => {
        try {
          if (!readReply(buffer as Buffer, size)) return true;
        } catch (error) {
          reject(error);
          return false;
        }
        const now = performance.now();
        times.push(now - sentAt);
        if (now < deadline) {
          inTime++;
          send();
        } else {
          resolve();
          socket.destroy();
        }
        return true;
      };
      const socket = connect({ host: '127.0.0.1', port, onread: { buffer: Buffer.allocUnsafe(65_536), callback } });
      sockets.push(socket);
      socket.setNoDelay(true);
      socket.on('connect', send);
      socket.on('error', reject);
      socket.on('close', () => reject(new Error('the server closed a connection')));
    });
  }

  try {
    await Promise.all(Array.from({ length: connections }, keepSending));
  } finally {
    for (const socket of sockets) socket.destroy();
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  const took = performance.now() - started;
  const sorted = Float64Array.from(times).sort();
  const percentile = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
  return {
    answers: times.length,
    perSecond: inTime / seconds,
    p50Ms: percentile(0.5),
    p99Ms: percentile(0.99),
    loadCpu: (user + system) / 1_000 / took,
  };
}

const END_OF_HEAD = '\r\n\r\n';

/** Returns a function that takes the chunks of replies and returns true when one is complete. It throws unless a reply is 200
 *  and has a content length. */
function createReader(): (buffer: Buffer, size: number) => boolean {
  let head = '';
  let remaining = 0;
  return (buffer, size) => {
    if (remaining > 0) {
      remaining -= size;
    } else {
      head += buffer.toString('latin1', 0, size);
      const end = head.indexOf(END_OF_HEAD);
      if (end < 0) return false;
      const length = /\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1];
      if (!head.startsWith('HTTP/1.1 200 ') || length === undefined) throw new Error(`answered with\n${head}`);
      remaining = Number(length) - (head.length - end - END_OF_HEAD.length);
      head = '';
    }
    if (remaining < 0) throw new Error('a reply was longer than its content length');
    return remaining === 0;
  };
}
