import { connect, type Socket } from 'node:net';

/**
 * The process that makes the load of `bench http`: connections that are kept, each with one request under way. It has to be
 * much cheaper than any server, so it writes requests made beforehand and of a reply reads the status and the length.
 */
export interface LoadTask {
  readonly port: number;
  /** Asked for in turn, over all connections. */
  readonly paths: readonly string[];
  /** One after the other, each for `PER_KEY` requests. */
  readonly secrets: readonly string[];
  readonly connections: number;
  readonly seconds: number;
}

export interface LoadFigures {
  /** All that were answered, also those after the time was up. */
  readonly answers: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of the core this process had. */
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
 * One client at a time, with all connections: of what arrives together most is of one key, as when a customer makes a burst of
 * requests. Few enough for the window of a key, also when keys come round again.
 */
const PER_KEY = 250;

/** Goes on over all rounds. */
let sent = 0;

async function makeLoad({ port, paths, secrets, connections, seconds }: LoadTask): Promise<LoadFigures> {
  const sockets: Socket[] = [];
  const times: number[] = [];
  let inTime = 0;
  const cpuBefore = process.cpuUsage();
  const started = performance.now();
  const deadline = started + seconds * 1_000;

  function keepAsking(): Promise<void> {
    return new Promise((resolve, reject) => {
      let sentAt = 0;
      const readReply = createReader();
      const ask = () => {
        sentAt = performance.now();
        const secret = secrets[Math.floor(sent / PER_KEY) % secrets.length];
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
          ask();
        } else {
          resolve();
          socket.destroy();
        }
        return true;
      };
      const socket = connect({ host: '127.0.0.1', port, onread: { buffer: Buffer.allocUnsafe(65_536), callback } });
      sockets.push(socket);
      socket.setNoDelay(true);
      socket.on('connect', ask);
      socket.on('error', reject);
      socket.on('close', () => reject(new Error('the server closed a connection')));
    });
  }

  try {
    await Promise.all(Array.from({ length: connections }, keepAsking));
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

/** Tells with which piece a reply is complete; throws if it is anything but a 200 of a told length. */
function createReader(): (buffer: Buffer, size: number) => boolean {
  let head = '';
  let left = 0;
  return (buffer, size) => {
    if (left > 0) {
      left -= size;
    } else {
      head += buffer.toString('latin1', 0, size);
      const end = head.indexOf(END_OF_HEAD);
      if (end < 0) return false;
      const length = /\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1];
      if (!head.startsWith('HTTP/1.1 200 ') || length === undefined) throw new Error(`answered with\n${head}`);
      left = Number(length) - (head.length - end - END_OF_HEAD.length);
      head = '';
    }
    if (left < 0) throw new Error('a reply was longer than it said');
    return left === 0;
  };
}
