import { after, before } from 'node:test';
import { company } from '../registry/gb-file.ts';
import { createDatabase, type TestDatabase } from './databases.ts';
import { importCompanies } from './entities.ts';
import { type HeldPostgres, holdPostgres } from './held-postgres.ts';
import { startService, type TestService } from './service.ts';

/** A service that reaches PostgreSQL, where it also searches, through a proxy that can hold statements. */
export interface HeldService {
  readonly held: HeldPostgres;
  readonly service: TestService;
  /** Not behind the proxy. */
  readonly database: TestDatabase;
}

/** Starts the service, with one company, before the tests of a suite and stops it after them. */
export function useHeldService(): () => HeldService {
  let started: HeldService | undefined;
  before(async () => {
    const database = await createDatabase('postgres');
    const held = await holdPostgres(database.databaseUrl ?? '');
    const proxied = { ...database, databaseUrl: held.url };
    const service = await startService('postgres', { database: proxied, env: { SEARCH_ENGINE: 'postgres' } });
    started = { held, service, database };
    await importCompanies(service, [company('00000001', 'ALPHA LTD')]);
  });
  after(async () => {
    await started?.service[Symbol.asyncDispose]();
    await started?.held.close();
  });
  return () => {
    if (started === undefined) throw new Error('the service has not started');
    return started;
  };
}
