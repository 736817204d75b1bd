import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort, preparePostgresServer, type PostgresServer as Server } from '../../bench/local-postgres.ts';

export { findFreePort };

/** A PostgreSQL server in a temporary folder. */
export interface PostgresServer extends Server {
  /** Its data directory. */
  readonly data: string;
  /** Stops it and removes its data. */
  destroy(): Promise<void>;
}

/**
 * No fsync: tests do not survive a power failure anyway. Commits still reach the kernel, because tests kill the server.
 */
const SETTINGS = { fsync: 'off', full_page_writes: 'off', max_connections: '300', shared_buffers: '128MB' };

export interface PostgresOptions {
  /** Fills the data directory, which does not exist yet. Default: a new, empty cluster. */
  readonly fill?: (data: string) => Promise<void>;
  readonly settings?: Readonly<Record<string, string>>;
}

export async function createPostgresServer({ fill, settings = {} }: PostgresOptions = {}): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'firmament-postgres-'));
  const data = join(folder, 'data');
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const prepare = async () => {
    await fill?.(data);
    return preparePostgresServer({ folder, setUp: ['--locale=C'], settings: { ...SETTINGS, ...settings } });
  };
  const server = await prepare().catch((error) => {
    remove();
    throw error;
  });
  await server.start();
  return {
    url: server.url,
    data,
    get pid() {
      return server.pid;
    },
    start: () => server.start(),
    stop: (mode) => server.stop(mode),
    async destroy() {
      await server.stop('immediate');
      remove();
    },
  };
}

/** Suspends the server and the processes of its connections. Returns a function that resumes them. */
export function silence(postmaster: number): () => void {
  process.kill(postmaster, 'SIGSTOP');
  const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(postmaster)], { encoding: 'utf8' });
  const pids = [...children.trim().split(/\s+/).map(Number), postmaster];
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  return () => {
    for (const pid of pids) process.kill(pid, 'SIGCONT');
  };
}
