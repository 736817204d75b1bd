import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * A proxy in front of PostgreSQL that holds chosen statements until they are released: a database that answers slowly, for as long as a
 * test wants, at the step it wants.
 */
export interface HeldPostgres {
  /** The address of the database behind the proxy. */
  readonly url: string;
  /** Holds statements that match, and all that follow on their connections. Returns a function that releases them. */
  hold(pattern: RegExp): () => void;
  /** How many statements have been held since the last call of `hold`. */
  held(): number;
  /** How many connections have been held at the same time since the last call of `hold`. */
  peak(): number;
  close(): Promise<void>;
}

export async function holdPostgres(databaseUrl: string): Promise<HeldPostgres> {
  const target = new URL(databaseUrl);
  let pattern: RegExp | undefined;
  const waiting = new Set<() => void>();
  let held = 0;
  let peak = 0;
  const sockets = new Set<Socket>();

  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    }
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
    upstream.pipe(client);
    const read = createReader();
    let forwarding = Promise.resolve();
    client.on('data', (chunk: Buffer) => {
      for (const { bytes, sql } of read(chunk)) {
        forwarding = forwarding.then(async () => {
          if (sql !== undefined && pattern?.test(sql)) {
            const { promise, resolve } = Promise.withResolvers<void>();
            waiting.add(resolve);
            held++;
            peak = Math.max(peak, waiting.size);
            client.once('close', () => waiting.delete(resolve));
            await promise;
            waiting.delete(resolve);
          }
          if (upstream.writable) upstream.write(bytes);
        });
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);

  return {
    url: url.href,
    hold(matching) {
      pattern = matching;
      held = 0;
      peak = 0;
      return () => {
        pattern = undefined;
        for (const release of waiting) release();
      };
    },
    held: () => held,
    peak: () => peak,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Message {
  readonly bytes: Buffer;
  /** The SQL that the message executes. */
  readonly sql: string | undefined;
}

/** Splits what a client sends into messages. Prepared statements are sent once and then executed by name. */
function createReader(): (chunk: Buffer) => Message[] {
  const prepared = new Map<string, string>();
  let rest: Buffer = Buffer.alloc(0);
  let started = false;

  function readSql(type: string, body: Buffer): string | undefined {
    const [first = '', second = ''] = body.toString('latin1').split('\0', 2);
    if (type === 'Q') return first;
    if (type === 'P') prepared.set(first, second);
    return type === 'B' ? prepared.get(second) : undefined;
  }

  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    const messages: Message[] = [];
    for (;;) {
      // The first message has no type.
      const at = started ? 1 : 0;
      if (rest.length < at + 4) return messages;
      const length = at + rest.readUInt32BE(at);
      if (rest.length < length) return messages;
      const bytes = rest.subarray(0, length);
      rest = rest.subarray(length);
      messages.push({
        bytes,
        sql: started ? readSql(String.fromCharCode(bytes[0] ?? 0), bytes.subarray(5)) : undefined,
      });
      started = true;
    }
  };
}
