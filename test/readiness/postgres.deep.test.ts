import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { DETAIL } from '../api/metered-service.ts';
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

  async function connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    return client;
  }

  async function execute(sql: string): Promise<void> {
    const client = await connect();
    await client.query(sql);
    await client.end();
  }

  /** Locks a table until the returned function is called. */
  async function lock(table: string): Promise<() => Promise<void>> {
    const client = await connect();
    await client.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    return () => client.end();
  }

  test('a server that stops and starts again', async () => {
    await checkReadinessFollows(service, { begin: () => server.stop('fast'), end: () => server.start() });
  });

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

  test('a server that is read-only', async () => {
    const set = (value: string) => async () => {
      // The session itself may be read-only, which does not apply to settings.
      await execute(`ALTER SYSTEM SET default_transaction_read_only = ${value}`);
      await execute('SELECT pg_reload_conf()');
    };
    await checkReadinessFollows(service, { begin: set('on'), end: set('off') });
  });

  test('a statement that the server rejects', async () => {
    // PostgreSQL counts requests with one statement, which reads them with this function. Open connections have it prepared.
    const rename = async (from: string, to: string) => {
      await execute(`ALTER FUNCTION pg_catalog.${from}(json) RENAME TO ${to}`);
      await execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'firmament%'");
    };
    await checkReadinessFollows(service, {
      begin: () => rename('json_to_recordset', 'renamed'),
      end: () => rename('renamed', 'json_to_recordset'),
      status: 500,
    });
  });

  for (const [table, path] of [
    ['accounts.api_keys'],
    ['accounts.quotas'],
    ['registry.entities', DETAIL],
    ['registry.generation', DETAIL],
  ] as const) {
    test(`a lock on ${table}`, async () => {
      let release = async () => {};
      await checkReadinessFollows(service, {
        begin: async () => {
          release = await lock(table);
        },
        end: () => release(),
        ...(path !== undefined && { path }),
      });
    });
  }
});
