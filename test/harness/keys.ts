import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '../../src/base/config/config.ts';
import { createLog } from '../../src/base/observability/log.ts';
import { billingPeriod, findPlan, type PlanId } from '../../src/base/plans.ts';
import { openServices, type Services } from '../../src/services/services.ts';
import type { TestDatabase } from './databases.ts';
import { grantPlan, paymentEnv } from './payment-events.ts';

/** Creates an API key of a new account on the business plan, for servers that run in separate processes. */
export async function createKeyIn(database: TestDatabase): Promise<string> {
  await using office = openOffice(database);
  const { keys } = await office.createAccount();
  return keys[0] as string;
}

/** Manages accounts from outside the servers, like another machine on the same database. */
export interface Office {
  readonly services: Services;
  createAccount(options?: AccountOptions): Promise<TestAccount>;
  setPlan(accountId: string, plan: PlanId): Promise<void>;
  /** Reads the stored usage of the current period: of the account, and the sum of its keys per day. */
  readUsed(accountId: string): Promise<Used>;
  /** Waits until the usage does not change any more: responses do not wait for refunds to be written. */
  settle(accountId: string): Promise<Used>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface Used {
  readonly quota: number;
  readonly daily: number;
}

export interface AccountOptions {
  readonly plan?: PlanId;
  readonly keys?: number;
  /** The remaining requests of the quota; default: all. */
  readonly left?: number;
}

export interface TestAccount {
  readonly accountId: string;
  readonly keys: readonly string[];
  readonly keyIds: readonly string[];
  /** The session cookie of a signed-in browser. Changes need an `Origin` header as well. */
  readonly cookie: string;
  /** The usage stored at the start, to leave only `left` requests. */
  readonly usedBefore: number;
  readonly quota: number;
}

/** Migrates the schema when it creates the first account. */
export function openOffice({ dataDir, databaseUrl }: TestDatabase): Office {
  const config = readConfig({
    ...paymentEnv,
    PATIENCE: process.env.PATIENCE,
    DATA_DIR: dataDir,
    ...(databaseUrl && { DATABASE_URL: databaseUrl }),
  });
  const services = openServices(config, { log: createLog('silent').log });
  const { accountsDb, apiKeys, clock } = services;
  let migrated: Promise<unknown> | undefined;

  async function readUsed(accountId: string): Promise<Used> {
    // One statement, so that both values are from the same moment.
    const sum = (column: string, table: string) =>
      `(SELECT CAST(coalesce(sum(${column}), 0) AS BIGINT) FROM ${table} WHERE account_id = $1)`;
    const sql = `SELECT ${sum('used', 'quotas')} AS quota, ${sum('requests', 'usage_daily')} AS daily`;
    const { quota = 0, daily = 0 } = (await accountsDb.one<Used>(sql, [accountId])) ?? {};
    return { quota, daily };
  }

  return {
    services,
    setPlan: (accountId, plan) => grantPlan(services, accountId, plan),
    async createAccount({ plan = 'business', keys: count = 1, left } = {}) {
      migrated ??= services.migrate();
      await migrated;
      const identity = { issuer: 'https://login.test', subject: randomUUID(), email: null, name: null };
      const { account, token } = await services.sessions.start(identity);
      const { accountId } = account;
      if (plan !== 'free') await grantPlan(services, accountId, plan);
      const created = [];
      for (let at = 0; at < count; at++) created.push(await apiKeys.create(accountId, `test ${at}`));
      const quota = findPlan(plan).monthlyRequests;
      const usedBefore = left === undefined ? 0 : quota - left;
      if (usedBefore > 0) {
        const sql = 'INSERT INTO quotas (account_id, period_start, used, granted, most) VALUES ($1, $2, $3, 0, $4)';
        await accountsDb.run(sql, [accountId, billingPeriod(account, clock.now()).start, usedBefore, quota]);
      }
      const [keys, keyIds] = [created.map(({ secret }) => secret), created.map(({ id }) => id)];
      return { accountId, keys, keyIds, cookie: `session=${token}`, usedBefore, quota };
    },
    readUsed,
    async settle(accountId) {
      for (let before = await readUsed(accountId); ; ) {
        // Longer than the meter's pause between two attempts.
        await sleep(1_200);
        const now = await readUsed(accountId);
        if (now.quota === before.quota && now.daily === before.daily) return now;
        before = now;
      }
    },
    [Symbol.asyncDispose]: () => services.close(),
  };
}
