import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { completeEnv, type Ended, spawnScript } from './children.ts';
import { runInHost } from './command-hosts.ts';
import type { TestDatabase } from './databases.ts';
import { findFreePort } from './postgres-server.ts';

export type { Ended } from './children.ts';

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** Environment for a server that must run as on a system where only one thread can listen on a port. */
export const NO_SHARED_PORT = {
  NODE_OPTIONS: `--import=${new URL('no-shared-port.ts', import.meta.url).href}`,
} as const;

export interface Running {
  readonly pid: number;
  output(): string;
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<Ended>;
}

/** Starts `firmament <args>` as a process. It gets only the given environment, nothing from the test's own. */
export function start(args: readonly string[], env: Record<string, string> = {}, cwd?: string): Running {
  const child = spawnScript(main, args, {
    env: completeEnv(env),
    ...(cwd === undefined ? {} : { cwd }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, stdout, stderr }));
  return { pid: child.pid ?? 0, output: () => stdout + stderr, kill: (signal) => void child.kill(signal), ended };
}

/**
 * Runs `firmament <args>` to its end. Commands share a process, which waits until a process of its own would end.
 * Use `start` to test the process itself.
 */
export function run(args: readonly string[], env: Record<string, string> = {}, cwd?: string): Promise<Ended> {
  if (env.NODE_OPTIONS !== undefined) return start(args, env, cwd).ended;
  return runInHost({ args, env: completeEnv(env), cwd });
}

export interface RunningServer extends Running {
  readonly url: string;
}

/** Starts a server and waits until it is live or ready. With port 0, the system chooses one, which the log names. */
export async function startServer(
  database: TestDatabase,
  {
    until = 'ready',
    args = [],
    env = {},
    port: given,
  }: { until?: 'live' | 'ready'; args?: string[]; env?: Record<string, string>; port?: number } = {},
): Promise<RunningServer> {
  const port = given ?? (await findFreePort());
  const running = start(
    ['serve', ...args],
    {
      PORT: String(port),
      ADMIN_PORT: '0',
      // One thread starts fastest and behaves the same on every machine; test/workers/threads.deep.test.ts uses several.
      WORKERS: '1',
      // Raw requests in tests send these names as `Host`. The demo accepts loopback names only.
      ...(!args.includes('--demo') && { ALLOWED_HOSTS: 'a,x' }),
      DATA_DIR: database.dataDir,
      ...(database.databaseUrl && { DATABASE_URL: database.databaseUrl }),
      ...env,
    },
    database.dataDir,
  );
  const findUrl = () =>
    port === 0 ? /listening at (http:\/\/127\.0\.0\.1:\d+)/.exec(running.output())?.[1] : `http://127.0.0.1:${port}`;
  let hasEnded = false;
  void running.ended.then(() => {
    hasEnded = true;
  });
  // A server that stops waits up to three seconds for idle connections. A test that stops one should not.
  const headers = { connection: 'close' };
  for (let tries = 0; tries < 4_000; tries++) {
    const url = findUrl();
    const response = await fetch(`${url}/api/v1/health/${until}`, { headers }).catch(() => undefined);
    if (url !== undefined && response?.status === 200) return { ...running, url };
    if (hasEnded) break;
    await sleep(50);
  }
  running.kill('SIGKILL');
  throw new Error(`the server did not become ${until}:\n${running.output()}`);
}
