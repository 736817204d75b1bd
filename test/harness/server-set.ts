import { after, before } from 'node:test';
import type { TestDatabase } from './databases.ts';
import { type Office, openOffice } from './keys.ts';
import { type ServerSet, startServers } from './load.ts';

export interface ServerSetOptions {
  readonly count: number;
  readonly createDatabase: () => Promise<TestDatabase>;
  /** Runs before the servers start. */
  readonly prepare?: (office: Office) => Promise<void>;
}

/** Starts servers on one database for the tests of the surrounding `describe`, with an office that manages accounts. */
export function useServers({ count, createDatabase, prepare }: ServerSetOptions) {
  let database: TestDatabase;
  let office: Office;
  let servers: ServerSet;
  before(async () => {
    database = await createDatabase();
    office = openOffice(database);
    await prepare?.(office);
    servers = await startServers(database, count);
  });
  // If `before` fails, only what it has started must be closed.
  after(async () => {
    await servers?.close();
    await office?.[Symbol.asyncDispose]();
    await database?.remove();
  });
  return {
    get database() {
      return database;
    },
    get office() {
      return office;
    },
    get servers() {
      return servers;
    },
  };
}
