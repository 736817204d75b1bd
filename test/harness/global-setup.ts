import { createTemplates, removeTemplates } from './databases.ts';
import { useMemoryDisk } from './memory-disk.ts';
import { createPostgresServer, type PostgresServer } from './postgres-server.ts';
import { describeMissingSamples } from './real-samples.ts';

let server: PostgresServer | undefined;

/** Starts one PostgreSQL server for the whole run. Each test creates its own databases on it. */
export async function globalSetup(): Promise<void> {
  const notice = describeMissingSamples();
  if (notice !== undefined) console.log(notice);
  useMemoryDisk();
  server = await createPostgresServer();
  await createTemplates(server.url);
  process.env.FIRMAMENT_TEST_POSTGRES = server.url;
}

export async function globalTeardown(): Promise<void> {
  await server?.destroy();
  removeTemplates();
}
