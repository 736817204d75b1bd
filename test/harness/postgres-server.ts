import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort, preparePostgresServer, type PostgresServer as Server } from '../../src/bench/postgres-server.ts';

export { findFreePort };

/** A real PostgreSQL in a temporary folder. */
export interface PostgresServer extends Server {
  /** Stops it and removes its data. */
  destroy(): Promise<void>;
}

/** No fsync, for nobody pulls the plug on a test; but commits reach the kernel, for tests do kill the server. */
const SETTINGS = { fsync: 'off', full_page_writes: 'off', max_connections: '300', shared_buffers: '128MB' };

export async function createPostgresServer(): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'firmament-postgres-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const server = await preparePostgresServer({ folder, setUp: ['--locale=C'], settings: SETTINGS }).catch((error) => {
    remove();
    throw error;
  });
  await server.start();
  return {
    url: server.url,
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
