import { type ChildProcess, execFileSync, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { ftruncateSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '../local-postgres.ts';
import type { LoadFigures, LoadReport, LoadTask } from './load.ts';
import type { Reply } from './replies.ts';

/** The processes of `bench http`: servers run on one core, the load and everything else on the others. */
export interface Cores {
  readonly server: string;
  readonly load: string;
  /** All cores except the server's. */
  readonly others: string;
}

/** Returns undefined if processes cannot be pinned to a core, or there is only one core. */
export function findCores(): Cores | undefined {
  try {
    const list = execFileSync('taskset', ['-pc', String(process.pid)], { encoding: 'utf8', stdio: 'pipe' });
    const cores = (list.split(':').at(-1) ?? '').trim().split(',').flatMap(expandRange);
    const [server, load] = cores;
    if (server === undefined || load === undefined) return undefined;
    return { server, load, others: cores.slice(1).join() };
  } catch {
    return undefined;
  }
}

/** `0-2` → 0, 1, 2. */
function expandRange(range: string): string[] {
  const [first = 0, last = first] = range.split('-').map(Number);
  return Array.from({ length: last - first + 1 }, (_, index) => String(first + index));
}

/** Pins a running process, and those it will start, to these cores. */
export function pinTo(cores: string | undefined, pid: number): void {
  if (cores !== undefined) execFileSync('taskset', ['-a', '-pc', cores, String(pid)], { stdio: 'ignore' });
}

export interface BenchServer {
  readonly port: number;
  /** CPU seconds used so far; undefined if the system does not report them. */
  cpuSeconds(): number | undefined;
  readonly pid: number;
  stop(): Promise<void>;
}

interface ServeOptions {
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  readonly path: string;
  readonly core: string | undefined;
  readonly workers?: number;
  /** The folder for CPU profiles; undefined to run without profiling. */
  readonly profile: string | undefined;
  readonly signal: AbortSignal;
}

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

export interface FirmamentServer extends BenchServer {
  /** Seconds of garbage collection in all threads so far, including the time in which the process was stopped meanwhile. */
  readGcSeconds(): Promise<number>;
}

/** Starts `firmament serve` as shipped, logging to a file. */
export async function startServe(options: ServeOptions): Promise<FirmamentServer> {
  const { dataDir, databaseUrl, path, core, workers = 1, profile, signal } = options;
  const [port, adminPort] = [await findFreePort(), await findFreePort()];
  const logFile = join(dataDir, 'serve.log');
  // Opened for appending, so that it can be truncated while the server writes.
  const log = openSync(logFile, 'a');
  ftruncateSync(log);
  if (profile !== undefined) mkdirSync(profile, { recursive: true });
  const child = start([...(profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profile]), main, 'serve'], {
    core,
    signal,
    stdio: ['ignore', log, log],
    env: {
      PATH: path,
      PORT: String(port),
      ADMIN_PORT: String(adminPort),
      WORKERS: String(workers),
      DATA_DIR: dataDir,
      ...(databaseUrl && { DATABASE_URL: databaseUrl }),
    },
    // So that no .env file of the caller is read.
    cwd: dataDir,
  });
  for (let tries = 0; ; tries++) {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/health/ready`).catch(() => undefined);
    if (response?.status === 200) {
      // Draining takes seconds and is needed only to write a profile: everything charged is already stored.
      const stopServe = () => stop(child, profile === undefined ? 'SIGKILL' : 'SIGTERM');
      const cpuSeconds = () => readCpu(child);
      return { port, pid: child.pid ?? 0, cpuSeconds, readGcSeconds: () => readGc(adminPort), stop: stopServe };
    }
    if (hasEnded(child) || tries > 6_000) {
      child.kill('SIGKILL');
      throw new Error(`the server did not become ready:\n${readFileSync(logFile, 'utf8').slice(-2_000)}`);
    }
    signal.throwIfAborted();
    await sleep(50);
  }
}

async function readGc(adminPort: number): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${adminPort}/metrics`);
  const sums = (await response.text()).matchAll(/^nodejs_gc_duration_seconds_sum\{.*\} (.+)$/gm);
  return [...sums].reduce((sum, [, seconds]) => sum + Number(seconds), 0);
}

export async function startBare(
  replies: ReadonlyMap<string, Reply>,
  core: string | undefined,
  signal: AbortSignal,
): Promise<BenchServer> {
  const child = start([fileURLToPath(new URL('bare.ts', import.meta.url))], { core, signal, stdio: WITH_MESSAGES });
  const { port } = await request<{ port: number }>(child, replies);
  return { port, pid: child.pid ?? 0, cpuSeconds: () => readCpu(child), stop: () => stop(child) };
}

export interface Load {
  readonly pid: number;
  make(task: LoadTask): Promise<LoadFigures>;
  stop(): Promise<void>;
}

export function startLoad(core: string | undefined, signal: AbortSignal): Load {
  const child = start([fileURLToPath(new URL('load.ts', import.meta.url))], { core, signal, stdio: WITH_MESSAGES });
  return {
    pid: child.pid ?? 0,
    async make(task) {
      const report = await request<LoadReport>(child, task);
      if ('failure' in report) throw new Error(`the load failed: ${report.failure}`);
      return report;
    },
    stop: () => stop(child),
  };
}

export const WITH_MESSAGES: StdioOptions = ['ignore', 'inherit', 'inherit', 'ipc'];

interface StartOptions {
  readonly core: string | undefined;
  readonly signal: AbortSignal;
  readonly stdio: StdioOptions;
  readonly env?: Record<string, string>;
  readonly cwd?: string;
}

export function start(args: readonly string[], { core, signal, stdio, env, cwd }: StartOptions): ChildProcess {
  const [command = '', ...rest] = [...(core === undefined ? [] : ['taskset', '-c', core]), process.execPath, ...args];
  const child = spawn(command, rest, { stdio, serialization: 'advanced', ...(env && { env }), ...(cwd && { cwd }) });
  const end = () => child.kill('SIGKILL');
  signal.addEventListener('abort', end);
  child.on('exit', () => signal.removeEventListener('abort', end));
  return child;
}

/** Sends one message and waits for one reply. */
export async function request<T>(child: ChildProcess, message: object): Promise<T> {
  const over = new AbortController();
  const ended = once(child, 'exit', { signal: over.signal }).then(() => {
    throw new Error('a process of the benchmark ended unexpectedly');
  });
  ended.catch(() => undefined);
  const answered = once(child, 'message', { signal: over.signal });
  answered.catch(() => undefined);
  child.send(message);
  try {
    const [answer] = await Promise.race([answered, ended]);
    return answer as T;
  } finally {
    over.abort();
  }
}

export async function stop(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** Reads CPU time from /proc. Linux counts in hundredths of a second. */
function readCpu({ pid }: ChildProcess): number | undefined {
  try {
    const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
    const [user, system] = fields.split(' ').slice(11, 13).map(Number);
    return ((user ?? 0) + (system ?? 0)) / 100;
  } catch {
    return undefined;
  }
}
