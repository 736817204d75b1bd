import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { TestDatabase } from './databases.ts';
import { findFreePort } from './postgres-server.ts';

const patient = new URL('patient.ts', import.meta.url).href;
const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** Environment for a server that must run as on a system where only one thread can listen on a port. */
export const NO_SHARED_PORT = {
  NODE_OPTIONS: `--import=${new URL('no-shared-port.ts', import.meta.url).href}`,
} as const;

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly pid: number;
  output(): string;
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<Ended>;
}

/** The processes that this file has started and that have not ended. Each is the leader of a group with its own children. */
const groups = new Set<number>();

/** Ends what a test that failed or timed out has left running. */
function endAll(): void {
  for (const pid of groups) {
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
}

after(endAll);
process.once('exit', endAll);
// The runner sends SIGTERM to a file that exceeds its time.
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    endAll();
    process.exit(1);
  });
}

/** Starts `firmament <args>` as a process. It gets only the given environment, nothing from the test's own. */
export function start(args: readonly string[], env: Record<string, string> = {}, cwd?: string): Running {
  const { PATH = '', PATIENCE, DEEP } = process.env;
  const inherited = { PATH, ...(PATIENCE && { PATIENCE }), ...(DEEP && { DEEP }) };
  const child = spawn(process.execPath, ['--import', patient, main, ...args], {
    env: { ...inherited, NODE_COMPILE_CACHE: join(tmpdir(), 'firmament-compile-cache'), ...env },
    ...(cwd === undefined ? {} : { cwd }),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const pid = child.pid ?? 0;
  if (pid > 0) groups.add(pid);
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const ended = once(child, 'close').then(([code, signal]) => {
    groups.delete(pid);
    return { code, signal, stdout, stderr };
  });
  return { pid, output: () => stdout + stderr, kill: (signal) => void child.kill(signal), ended };
}

export function run(args: readonly string[], env?: Record<string, string>, cwd?: string): Promise<Ended> {
  return start(args, env, cwd).ended;
}

export interface RunningServer extends Running {
  readonly url: string;
}

/** Starts a server and waits until it is live or ready. */
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
      // One thread starts fastest and behaves the same on every machine; test/workers.test.ts uses several.
      WORKERS: '1',
      // Raw requests in tests send these names as `Host`. The demo accepts loopback names only.
      ...(!args.includes('--demo') && { ALLOWED_HOSTS: 'a,x' }),
      DATA_DIR: database.dataDir,
      ...(database.databaseUrl && { DATABASE_URL: database.databaseUrl }),
      ...env,
    },
    database.dataDir,
  );
  const url = `http://127.0.0.1:${port}`;
  let hasEnded = false;
  void running.ended.then(() => {
    hasEnded = true;
  });
  // A server that stops waits up to three seconds for idle connections. A test that stops one should not.
  const headers = { connection: 'close' };
  for (let tries = 0; tries < 5_000; tries++) {
    const response = await fetch(`${url}/api/v1/health/${until}`, { headers }).catch(() => undefined);
    if (response?.status === 200) return { ...running, url };
    if (hasEnded) break;
    await sleep(20);
  }
  running.kill('SIGKILL');
  throw new Error(`the server did not become ${until}:\n${running.output()}`);
}
