import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { useServer } from '../harness/databases.ts';
import { importCompanies } from '../harness/entities.ts';
import { createPostgresServer, type PostgresServer, silence } from '../harness/postgres-server.ts';
import { startService, type TestService } from '../harness/service.ts';
import { company } from '../registry/gb-file.ts';
import { checkReadinessFollows } from './follow-readiness.ts';

describe('readiness on postgres follows', () => {
  let server: PostgresServer;
  let service: TestService;
  before(async () => {
    server = await createPostgresServer();
    service = await startService('postgres', { database: useServer(server), unprepared: true });
    await service.services.migrate();
    await service.services.prepare();
    await importCompanies(service, [company('00000001', 'ALPHA LTD')]);
  });
  after(async () => {
    await service[Symbol.asyncDispose]();
    await server.destroy();
  });

  /** Locks a table until the returned function is called. */
  async function lock(table: string): Promise<() => Promise<void>> {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    await client.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    return () => client.end();
  }

  test('a server that crashes', async () => {
    await checkReadinessFollows(service, { begin: () => server.stop('immediate'), end: () => server.start() });
  });

  test('a server that does not respond', async () => {
    let resume = () => {};
    await checkReadinessFollows(service, {
      begin: () => {
        resume = silence(server.pid);
      },
      end: () => resume(),
    });
  });

  test('a lock on the keys', async () => {
    let release = async () => {};
    await checkReadinessFollows(service, {
      begin: async () => {
        release = await lock('accounts.api_keys');
      },
      end: () => release(),
    });
  });
});
