import { readConfig } from '../../src/config.ts';
import { createLog } from '../../src/http/log.ts';
import { openServices } from '../../src/services.ts';
import type { TestDatabase } from './databases.ts';

/** An API key of a new account on the business plan, for servers that run as processes of their own. */
export async function createKeyIn({ dataDir, databaseUrl }: TestDatabase): Promise<string> {
  const config = readConfig({ DATA_DIR: dataDir, ...(databaseUrl && { DATABASE_URL: databaseUrl }) });
  const services = openServices(config, { log: createLog('silent').log });
  try {
    await services.requireSchema();
    const identity = { issuer: 'https://login.test', subject: crypto.randomUUID(), email: null, name: null };
    const { account } = await services.accounts.signIn(identity);
    await services.accountsDb.run("UPDATE accounts SET plan = 'business' WHERE id = $1", [account.accountId]);
    return (await services.apiKeys.create(account.accountId, 'test')).secret;
  } finally {
    await services.close();
  }
}
