import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Accounts, createAccounts } from './accounts/accounts.ts';
import { type ApiKeys, createApiKeys } from './accounts/api-keys.ts';
import { createIssuer, type IssuerSettings, type ReadIssuerSettings } from './accounts/issuer.ts';
import { createKeyChanges, type KeyChanges } from './accounts/key-cache.ts';
import { createSessions, type Sessions } from './accounts/sessions.ts';
import { createSignIn, type SignIn } from './accounts/sign-in.ts';
import { createTokenVerifier } from './accounts/token-verifier.ts';
import { type Billing, type BillingOptions, createBilling } from './billing/billing.ts';
import type { ReadPaymentSettings } from './billing/provider.ts';
import type { Config } from './config.ts';
import { type Clock, systemClock } from './core/clock.ts';
import { Failure, reasonOf } from './core/errors.ts';
import type { ReadBilling, ReadUsage, ReadUsageByKey } from './core/usage.ts';
import type { Db, StoreName } from './db/db.ts';
import { type Migration, migrate, readMigrations, readSchemaState, SchemaBehind, SchemaTooNew } from './db/migrate.ts';
import { openReplica, openStore } from './db/open.ts';
import { createWriterTurns, type WriterTurns } from './db/sqlite.ts';
import { createGuesses, type Guesses } from './http/guess-throttle.ts';
import { createMeter, type Meter } from './metering/meter.ts';
import type { Logger } from './observability/log.ts';
import { createMetrics, type Metrics } from './observability/metrics.ts';
import { registers } from './registers/index.ts';
import { createRegistry, type Registry } from './registry/registry.ts';
import { createReplica, type Replica } from './registry/replica.ts';
import { createMemorySearch } from './search/memory/memory-search.ts';
import { createPostgresSearch } from './search/postgres.ts';
import type { Search } from './search/search.ts';

/**
 * The composition root: opens what the service needs, wires it once from top to bottom, closes it in reverse. Opening
 * is instant and does not need the database to be up; `prepare` waits for it.
 */
export interface Services {
  readonly version: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly shared: Shared;
  readonly registryDb: Db;
  readonly accountsDb: Db;
  readonly registry: Registry;
  readonly search: Search;
  readonly accounts: Accounts;
  readonly apiKeys: ApiKeys;
  readonly sessions: Sessions;
  readonly signIn: SignIn;
  readonly meter: Meter;
  readonly billing: Billing;
  readonly readUsage: ReadUsage;
  readonly readUsageByKey: ReadUsageByKey;
  readonly readBilling: ReadBilling;
  /** Resolves when both databases answer, their schema is current, having been migrated where that is ours to do, and
   *  there is something to search in, which from then on follows the data. */
  prepare(signal?: AbortSignal): Promise<void>;
  /** For commands that cannot wait: a schema that is not current and not ours to migrate is an error. */
  requireSchema(): Promise<void>;
  /** Brings both schemas up to date; returns what was applied. */
  migrate(): Promise<string[]>;
  isReady(): Promise<boolean>;
  /** Whether `prepare` has resolved. */
  isPrepared(): boolean;
  close(): Promise<void>;
}

export interface Surroundings {
  readonly log: Logger;
  readonly clock?: Clock;
  /** Another identity provider than the configuration names: that of the demo. */
  readonly issuer?: ReadIssuerSettings;
  /** Another payment provider: the demo's sandbox. */
  readonly payments?: ReadPaymentSettings;
  /** How long the payment provider may take, where that is not as usual. */
  readonly patience?: Pick<BillingOptions, 'providerTimeoutMs' | 'patienceMs'>;
  /** Set in one of several serving threads. */
  readonly thread?: ServingThread;
}

/** What a serving thread is given: the thread that supervises it migrates, and keeps the index. */
export interface ServingThread {
  readonly shared: Shared;
  /** Where the index is in memory. */
  readonly search: Search | undefined;
  /** Connections to PostgreSQL for each store. */
  readonly poolSize: number;
}

/** Memory that all threads of the process see, for what one of them does and all must know at once. */
export interface Shared {
  readonly keyChanges: KeyChanges;
  readonly guesses: Guesses;
  /** Of each SQLite file. */
  readonly turns: Readonly<Record<StoreName, WriterTurns>>;
}

export function openServices(config: Config, surroundings: Surroundings): Services {
  const { log, clock = systemClock, thread } = surroundings;
  const { databaseUrl, dataDir } = config;
  const metrics = createMetrics({ ofThread: thread !== undefined });
  const shared = thread?.shared ?? createShared();
  const registry = openWithMigrations('registry');
  const accounts = openWithMigrations('accounts');
  const stores = [registry, accounts];
  const search = thread?.search ?? openSearch();
  const replica = config.replicaUrl === undefined ? undefined : openWithFallback(config.replicaUrl);

  const identities = createAccounts(accounts.db, clock);
  const meter = createMeter(accounts.db, clock);
  const apiKeys = createApiKeys(accounts.db, clock, {
    mode: config.demo ? 'test' : 'live',
    readLastUsed: meter.readLastUsed,
    changes: shared.keyChanges,
  });
  const billing = createBilling({
    db: accounts.db,
    clock,
    log,
    version,
    settings: surroundings.payments ?? (() => config.stripe),
    ...surroundings.patience,
    onChange: (accountId) => apiKeys.forget(accountId),
  });
  const issuer = createIssuer(surroundings.issuer ?? (() => issuerOf(config)));
  const verifyToken = createTokenVerifier(issuer, clock);

  function openSearch(): Search {
    if (config.searchEngine === 'postgres') return createPostgresSearch(registry.db, log);
    return createMemorySearch({ db: registry.db, location: { databaseUrl, dataDir }, log });
  }

  function openWithMigrations(name: StoreName): Store {
    const onIdleError = (error: Error) => log.warn({ err: error }, `a connection to the ${name} database broke`);
    const turns = shared.turns[name];
    const db = openStore(name, {
      databaseUrl,
      dataDir,
      turns,
      onIdleError,
      ...(thread && { poolSize: thread.poolSize }),
    });
    metrics.watchPool(name, () => db.pool());
    return { name, db, migrations: readMigrations(name) };
  }

  function openWithFallback(url: string): Replica {
    const onIdleError = (error: Error) => log.debug({ err: error }, 'a connection to the replica broke');
    const db = openReplica(url, { onIdleError, ...(thread && { poolSize: thread.poolSize }) });
    metrics.watchPool('replica', () => db.pool());
    return createReplica({ db, primary: registry.db, log, count: metrics.countReplicaReads });
  }

  async function migrateStores(): Promise<string[]> {
    const applied: string[] = [];
    for (const { name, db, migrations } of stores) {
      for (const migration of await migrate(db, migrations, clock)) applied.push(`${name}/${migration}`);
    }
    return applied;
  }

  /** On PostgreSQL migrating is the operator's decision (`firmament migrate`), for other servers may be running. */
  const mayMigrate = thread === undefined && (databaseUrl === undefined || config.demo);

  /** Undefined once there is a schema and something to search in, else what is being waited for. */
  async function tryPrepare(): Promise<string | undefined> {
    const reason = await trySchema();
    if (reason !== undefined || search.isReady()) return reason;
    await search.refresh();
    search.start();
    return undefined;
  }

  async function trySchema(): Promise<string | undefined> {
    if (mayMigrate) {
      const applied = await migrateStores();
      if (applied.length > 0) log.info({ applied }, 'migrated');
      return undefined;
    }
    const states = await Promise.all(stores.map(({ db, migrations }) => readSchemaState(db, migrations)));
    if (states.includes('newer')) {
      throw new SchemaTooNew('the database was migrated by a newer release: run that release instead.');
    }
    return states.includes('behind') ? 'waiting for the schema: run "firmament migrate"' : undefined;
  }

  async function checkReady(): Promise<boolean> {
    try {
      const states = await Promise.all(stores.map(({ db, migrations }) => readSchemaState(db, migrations)));
      return states.every((state) => state === 'current') && search.isReady();
    } catch (error) {
      log.warn({ err: error }, 'not ready');
      return false;
    }
  }
  let readiness: Promise<boolean> | undefined;
  let prepared = false;

  return {
    version,
    clock,
    log,
    metrics,
    shared,
    registryDb: registry.db,
    accountsDb: accounts.db,
    registry: createRegistry(registry.db, registers, replica),
    search,
    accounts: identities,
    apiKeys,
    sessions: createSessions({ db: accounts.db, clock, accounts: identities, verifyToken }),
    signIn: createSignIn(issuer),
    meter,
    readUsage: meter.readUsage,
    readUsageByKey: meter.readUsageByKey,
    billing,
    readBilling: billing.readBilling,
    migrate: migrateStores,
    async requireSchema() {
      if ((await trySchema()) !== undefined)
        throw new SchemaBehind('the schema is not up to date: run "firmament migrate".');
    },
    async prepare(signal) {
      for (;;) {
        const reason = await tryPrepare().catch((error: unknown) => {
          if (error instanceof Failure) return `waiting for the database: ${reasonOf(error)}`;
          throw error;
        });
        if (reason === undefined) {
          prepared = true;
          // In one place only: serving threads leave it to the one that supervises them.
          if (thread === undefined) billing.start();
          return;
        }
        log.warn(reason);
        await sleep(1_000, undefined, { ...(signal && { signal }) });
      }
    },
    // Probes that come together share one answer, so that nobody can load the database through them.
    isReady() {
      readiness ??= checkReady().finally(() => {
        readiness = undefined;
      });
      return readiness;
    },
    isPrepared: () => prepared,
    async close() {
      await billing.stop();
      await search.close();
      await replica?.close();
      for (const { db } of stores.toReversed()) await db.close();
    },
  };
}

function createShared(): Shared {
  const turns = { registry: createWriterTurns(), accounts: createWriterTurns() };
  return { keyChanges: createKeyChanges(), guesses: createGuesses(), turns };
}

/** The configured provider; tokens are made for the audience, or for our client where none is named. */
function issuerOf({ oidc }: Config): IssuerSettings | undefined {
  const audience = oidc.audience ?? oidc.clientId;
  if (oidc.issuer === undefined || audience === undefined) return undefined;
  return { issuer: oidc.issuer, clientId: oidc.clientId, clientSecret: oidc.clientSecret, audience };
}

interface Store {
  readonly name: StoreName;
  readonly db: Db;
  readonly migrations: readonly Migration[];
}

export const version: string = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
