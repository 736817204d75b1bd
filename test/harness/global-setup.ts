import { createTemplate } from './databases.ts';
import { createPostgresServer, type PostgresServer } from './postgres-server.ts';

let server: PostgresServer | undefined;

/** One PostgreSQL for the whole run; every test takes databases of its own from it. */
export async function globalSetup(): Promise<void> {
  server = await createPostgresServer();
  await createTemplate(server.url);
  process.env.FIRMAMENT_TEST_POSTGRES = server.url;
}

export async function globalTeardown(): Promise<void> {
  await server?.destroy();
}
