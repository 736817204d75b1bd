import { Agent, request } from 'node:https';
import type { TcpNetConnectOpts } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import type { Engine } from '../harness/databases.ts';
import { findFreePort } from '../harness/postgres-server.ts';
import { until } from '../harness/until.ts';
import { PROXY_HOST, type ProxyName, type RunningProxy, startProxy } from './proxy.ts';
import { startTarget, type Target, type TargetOptions } from './target.ts';

/** A server behind a proxy, with the settings of docs/operations.md and the configuration in `ops/`. */
export interface ProxiedTarget {
  readonly target: Target;
  readonly proxy: RunningProxy;
  /** Sends a request to the proxy and returns the complete answer. Status 0: the connection broke. */
  ask(path: string, options?: AskOptions): Promise<ProxiedReply>;
  /** A TLS connection to the proxy that speaks HTTP/1.1. */
  connect(from?: string): Promise<TLSSocket>;
  /** Answers of the service with 5xx. Health checks answer 503 while the service starts, so they do not count. */
  countFailures(): number;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface AskOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The address of the client; default: 127.0.0.1. */
  readonly from?: string;
}

export interface ProxiedReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

interface LoggedRequest {
  readonly route: string;
  readonly status: number;
}

export async function startProxied(
  engine: Engine,
  name: ProxyName,
  { env = {}, ...options }: TargetOptions = {},
): Promise<ProxiedTarget> {
  // The server must know its public address, so the port of the proxy is chosen first.
  const port = await findFreePort();
  const publicEnv = { PUBLIC_URL: `https://${PROXY_HOST}:${port}`, TRUST_PROXY: '127.0.0.1', LOG_LEVEL: 'info' };
  const target = await startTarget(engine, { ...options, env: { ...publicEnv, ...env } });
  const proxy = await startProxy(name, port, [target.url]).catch(async (error) => {
    await target[Symbol.asyncDispose]();
    throw error;
  });
  const tls = { host: '127.0.0.1', port, servername: PROXY_HOST, ca: proxy.certificate };

  const readLog = (): LoggedRequest[] => {
    const lines = target.server.output().split('\n');
    return lines.filter((line) => line.includes('"msg":"request"')).map((line) => JSON.parse(line));
  };

  const proxied: ProxiedTarget = {
    target,
    proxy,
    ask(path, { method = 'GET', headers = {}, body, from: localAddress = '127.0.0.1' } = {}) {
      return new Promise((resolve) => {
        const host = `${PROXY_HOST}:${port}`;
        // A new agent opens a new connection.
        const connection = { ...tls, localAddress, agent: new Agent() };
        const options = { ...connection, path, method, headers: { host, ...headers } };
        const sending = request(options, async (response) => {
          const chunks: Buffer[] = [];
          try {
            for await (const chunk of response) chunks.push(chunk);
            resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) });
          } catch {
            resolve(BROKEN);
          }
        });
        sending.on('error', () => resolve(BROKEN));
        sending.end(body);
      });
    },
    async connect(localAddress = '127.0.0.1') {
      const options: ConnectionOptions & TcpNetConnectOpts = { ...tls, localAddress, ALPNProtocols: ['http/1.1'] };
      const socket = connect(options);
      socket.on('error', () => undefined);
      await new Promise((resolve) => socket.once('secureConnect', resolve).once('close', resolve));
      return socket;
    },
    countFailures: () => readLog().filter(({ status, route }) => status >= 500 && !route.includes('/health/')).length,
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      await target[Symbol.asyncDispose]();
    },
  };
  // HAProxy sends nothing to a server before its first successful health check.
  const isReady = async () => (await proxied.ask('/api/v1/health/ready')).status === 200;
  await until(`${name} forwards requests`, isReady).catch(async (error) => {
    await proxied[Symbol.asyncDispose]();
    throw error;
  });
  return proxied;
}

const BROKEN: ProxiedReply = { status: 0, headers: {}, body: Buffer.alloc(0) };

/** Sends bytes and returns everything that arrives, until the peer closes the connection or is silent for `quietMs`. */
export async function speak(socket: TLSSocket, bytes: string, quietMs: number): Promise<Buffer> {
  let received = Buffer.alloc(0);
  let lastAt = performance.now();
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    lastAt = performance.now();
  });
  socket.write(bytes);
  while (!socket.destroyed && performance.now() - lastAt < quietMs) await sleep(5);
  socket.destroy();
  return received;
}
