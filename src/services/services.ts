import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAccounts, createSessions } from '../accounts/accounts.ts';
import { createGuesses, type Guesses } from '../accounts/charging/guess-throttle.ts';
import { createIssuer, createSignIn, createTokenVerifier, type ReadIssuerSettings } from '../accounts/issuer.ts';
import { createMeter } from '../accounts/metering/meter.ts';
import { createKeyChanges, createNamedSecrets, type KeyChanges } from '../accounts/named-secrets.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { type Config, version } from '../base/config/config.ts';
import type { Db, StoreName } from '../base/db/db.ts';
import { createLease, SHORT_LEASE_MS } from '../base/db/lease.ts';
import { createSchemas, requireSupported, SchemaError } from '../base/db/migrate.ts';
import { openReplica, openStore } from '../base/db/open.ts';
import { createSharedClock } from '../base/db/shared-clock.ts';
import { createFinishedWrites, type FinishedWrites } from '../base/db/sqlite.ts';
import { Failure, reasonOf } from '../base/errors.ts';
import type { Logger } from '../base/observability/log.ts';
import { createMetrics } from '../base/observability/metrics.ts';
import { createRequestLimit } from '../base/requests/visitor-limit.ts';
import { setAnswerTime } from '../base/system/deadline.ts';
import { type BillingOptions, createBilling } from '../billing/billing.ts';
import type { ReadPaymentSettings } from '../billing/provider.ts';
import { createExports } from '../exports/offered.ts';
import { createResultFiles } from '../exports/results/result-files.ts';
import { createProofs } from '../import/proof/proofs.ts';
import { registers } from '../registers/index.ts';
import { createJournalPruning } from '../registry/journal/journal.ts';
import { findPostcodes } from '../registry/records/records.ts';
import { createReplica, type Replica } from '../registry/records/replica.ts';
import { createRegistry } from '../registry/registry.ts';
import { createClickhouseSearch } from '../search/clickhouse/clickhouse.ts';
import { createMatcher } from '../search/match/matcher.ts';
import { createMemorySearch } from '../search/memory/memory-search.ts';
import type { Search } from '../search/search.ts';
import { createChangeFeed } from '../watch/feed/feed.ts';
import { createMailAlerts } from '../watch/mail/alerts.ts';
import { createMonitorChanges, createMonitorEvents, createMonitorPruning } from '../watch/monitors/events.ts';
import { createSavedSearches } from '../watch/monitors/monitor.ts';
import { createMonitors } from '../watch/monitors/monitors.ts';
import { createMonitorPass } from '../watch/monitors/pass.ts';
import { createWebhooks, type WebhookOptions } from '../watch/webhooks/webhooks.ts';
import { describeDeliveries, describeIndex, describePool, describeRegisters } from './gauges.ts';
import { checkPartyModes, createRemoval } from './parties.ts';
import { createReadiness } from './readiness.ts';
import { createStatusHistory } from './status/history.ts';

export interface ServiceOptions {
  readonly log: Logger;
  readonly clock?: Clock;
  /** Replaces the clock of this machine. On PostgreSQL, the database's clock corrects this clock. */
  readonly localClock?: Clock;
  readonly issuer?: ReadIssuerSettings;
  readonly payments?: ReadPaymentSettings;
  readonly providerLimits?: Partial<Pick<BillingOptions, 'providerTimeoutMs' | 'pageTimeoutMs'>>;
  /** Replaces settings of webhooks, for tests with receivers on this machine. */
  readonly webhooks?: Partial<Pick<WebhookOptions, 'rules' | 'keys' | 'timeoutMs' | 'lease'>>;
  /** A search index of fewer entities is built without a thread, for tests, which would start many threads. */
  readonly smallIndex?: number;
  /** Set in each of several serving threads. */
  readonly thread?: ServingThread;
}

/** The parts that a serving thread gets from its supervisor, which migrates and keeps the index up to date. */
interface ServingThread {
  readonly shared: SharedMemory;
  /** The engine that answers from the supervisor's index; undefined with ClickHouse. */
  readonly search: Search | undefined;
  readonly poolSize: number;
}

/** The allowed ports of receivers. On these ports there are web servers, but no databases or mail servers. */
const RECEIVER_PORTS = [443, 8443];

export type Services = ReturnType<typeof openServices>;

/**
 * The composition root: opens what the service needs and wires it once, top to bottom. Each closer is registered beside its opener, and closers run
 * in reverse order. Opening is instant and does not need the database to be up; `prepare` waits for the database.
 */
export function openServices(config: Config, options: ServiceOptions) {
  const { log, thread } = options;
  const { databaseUrl, dataDir, replicaUrl, timeLimits } = config;
  const place = { databaseUrl, dataDir, timeLimits };
  setAnswerTime(timeLimits.answerMs);
  const poolSize = thread && { poolSize: thread.poolSize };
  const metrics = createMetrics({ ofThread: thread !== undefined });
  const shared = thread?.shared ?? createSharedMemory();
  const closers = new AsyncDisposableStack();

  function openDb(name: StoreName): Db {
    const onIdleError = (error: Error) => log.warn({ err: error }, `a connection to the ${name} database broke`);
    const db = openStore(name, { ...place, turns: shared.turns[name], onIdleError, ...poolSize });
    closers.defer(() => db.close());
    metrics.watch(() => describePool(name, db.pool()));
    return db;
  }
  const registryDb = openDb('registry');
  const accountsDb = openDb('accounts');
  const sharedClock = createSharedClock({ db: accountsDb, log, local: options.localClock ?? systemClock });
  closers.defer(() => sharedClock.stop());
  const clock = options.clock ?? sharedClock;
  const schemas = createSchemas({ registry: registryDb, accounts: accountsDb }, clock);

  let replica: Replica | undefined;
  if (replicaUrl !== undefined) {
    const onIdleError = (error: Error) => log.debug({ err: error }, 'a connection to the replica broke');
    const db = openReplica(replicaUrl, { onIdleError, timeLimits, ...poolSize });
    metrics.watch(() => describePool('replica', db.pool()));
    replica = createReplica({
      db,
      primary: registryDb,
      log,
      count: (outcome, records) => metrics.count('registry_replica_reads_total', { outcome }, records),
    });
    closers.adopt(replica, (opened) => opened.close());
  }
  const { parties: modes, exports: exportSettings } = config;
  checkPartyModes(modes, registers);
  const registry = createRegistry(registryDb, registers, { replica, partyModes: modes });
  const removal = createRemoval({ db: registryDb, place, registers, modes, exportsFolder: exportSettings.folder, log });
  closers.defer(() => removal.stop());
  const changes = createChangeFeed(registryDb);
  closers.defer(() => changes.endWaits());
  const proofs = createProofs({ location: place, folder: join(dataDir, 'sources'), samples: join(dataDir, 'samples') });
  closers.defer(() => proofs.close());
  const pruning = createJournalPruning(registryDb, clock, log, config.journalDays);

  const clickhouse =
    config.clickhouse &&
    createClickhouseSearch({ place: config.clickhouse, registryDb, accountsDb, log, publishes: thread === undefined });
  const { smallIndex: small } = options;
  const search: Search =
    thread?.search ?? clickhouse ?? createMemorySearch({ db: registryDb, location: place, log, small });
  closers.defer(() => search.close());
  metrics.watch(() => describeIndex(search.readFigures?.()));

  const matcher = createMatcher(search.candidates, (ids) => findPostcodes(registryDb, ids));
  const accounts = createAccounts(accountsDb, clock);
  const meter = createMeter(accountsDb, clock, timeLimits);
  const resultFiles = createResultFiles(search, log);
  const searches = createSavedSearches(search, registryDb);
  const monitors = createMonitors({ db: accountsDb, clock, changes, searches, version });
  const monitorChanges = createMonitorChanges(accountsDb, changes);
  closers.defer(() => monitorChanges.endWaits());
  const monitorEvents = createMonitorEvents(accountsDb, changes);
  const monitorPass = createMonitorPass({
    db: accountsDb,
    changes,
    searches,
    lease: createLease({ db: accountsDb, name: 'monitors', leaseMs: SHORT_LEASE_MS }),
    log,
    onEvents(count) {
      metrics.count('monitor_events_total', {}, count);
      webhooks.wake();
    },
    onBacklog: (imports) => metrics.set('monitor_backlog_imports', imports),
  });
  const monitorPruning = createMonitorPruning(accountsDb, changes, log);
  const webhooks = createWebhooks({
    db: accountsDb,
    clock,
    log,
    version,
    keys: config.webhookKeys,
    rules: { ports: RECEIVER_PORTS, allowsLoopback: config.demo },
    timeoutMs: timeLimits.webhookMs,
    events: monitorEvents,
    readTerms: accounts.findTerms,
    async hasMonitors(accountId, ids) {
      const own = new Set((await monitors.list(accountId)).map(({ id }) => id));
      return ids.every((id) => own.has(id));
    },
    count: (outcome) => metrics.count('webhook_attempts_total', { outcome }),
    ...options.webhooks,
  });
  const mailAlerts = createMailAlerts({
    db: accountsDb,
    clock,
    log,
    lease: createLease({ db: accountsDb, name: 'mail', leaseMs: SHORT_LEASE_MS }),
    events: monitorEvents,
    settings: config.mail,
    publicUrl: config.publicUrl ?? `http://${config.host}:${config.port}`,
  });
  // These metrics come from the database, so all machines of a cluster report the same values.
  if (thread === undefined) {
    metrics.watchStore(async () => describeDeliveries(await webhooks.findFigures(), clock.now()));
    metrics.watchStore(async () => describeRegisters(await registry.listRegisters(clock.now())));
  }
  const mode = config.demo ? 'test' : 'live';
  const secrets = { mode, readLastUsed: meter.findLastUsed, changes: shared.keyChanges } as const;
  const apiKeys = createNamedSecrets(accountsDb, clock, 'api_key', secrets);
  const reconcileLinks = createNamedSecrets(accountsDb, clock, 'reconcile_link', secrets);
  const issuer = createIssuer(options.issuer ?? (() => config.oidc), timeLimits);
  const sessions = createSessions({ db: accountsDb, clock, accounts, verifyToken: createTokenVerifier(issuer, clock) });
  const billing = createBilling({
    db: accountsDb,
    clock,
    log,
    version,
    settings: options.payments ?? (() => config.stripe),
    keepDays: config.webhookDays,
    providerTimeoutMs: timeLimits.paymentMs,
    pageTimeoutMs: timeLimits.paymentPageMs,
    ...options.providerLimits,
    onChange: apiKeys.forget,
    onCompared: (differences) => metrics.set('billing_differences', differences),
  });

  const isReady = createReadiness({ schemas, apiKeys, meter, search, registry, log, timeLimits });
  const incidentsFile = join(dataDir, 'incidents.md');
  const statusHistory = createStatusHistory({ db: accountsDb, clock, log, registry, isReady, incidentsFile });

  /** Work that runs once per process: serving threads leave it to their supervisor. */
  const background = [billing, pruning, monitorPass, monitorPruning, webhooks, mailAlerts, statusHistory];
  for (const work of background) closers.defer(() => work.stop());

  /** Whether this process migrates. On PostgreSQL only the operator does (`firmament migrate`): other servers may use the old schema. */
  const mayMigrate = thread === undefined && (databaseUrl === undefined || config.demo);

  async function bringSchemaUpToDate(): Promise<'current' | 'behind'> {
    if (clock === sharedClock) await sharedClock.measure();
    if (mayMigrate) {
      const applied = await schemas.migrate();
      if (applied.length > 0) log.info({ applied }, 'migrated');
      return 'current';
    }
    const state = await schemas.readState();
    requireSupported(state);
    return state;
  }

  /** Returns the reason why the service has to wait, or undefined when it is prepared. */
  async function tryPrepare(): Promise<string | undefined> {
    try {
      if ((await bringSchemaUpToDate()) === 'behind') return 'waiting for the schema: run "firmament migrate"';
      if (thread === undefined) await removal.begin();
      if (search.isReady()) return undefined;
      await search.refresh();
      search.start();
      return undefined;
    } catch (error) {
      if (error instanceof Failure) return `waiting for the database: ${reasonOf(error)}`;
      throw error;
    }
  }

  let prepared = false;
  return {
    version,
    clock,
    log,
    metrics,
    shared,
    registryDb,
    accountsDb,
    registry,
    removal,
    changes,
    monitors,
    monitorChanges,
    monitorEvents,
    monitorPass,
    mailAlerts,
    webhooks,
    search,
    /** The search of the field `search`, if the engine is ClickHouse. */
    clickhouse,
    matcher,
    exports: createExports(exportSettings.folder, exportSettings.baseUrl, log),
    accounts,
    apiKeys,
    reconcileLinks,
    sessions,
    countRequest: createRequestLimit(clock),
    signIn: createSignIn(issuer, accountsDb, clock),
    meter,
    resultFiles,
    proofs,
    billing,
    /** Brings both schemas up to date, and checks ClickHouse if it is used. Returns the migrations applied. */
    async migrate(): Promise<string[]> {
      const applied = await schemas.migrate();
      await clickhouse?.prepare();
      return applied;
    },
    /** For commands, which do not wait. Throws if the schema is not current and this process may not migrate it. */
    async requireSchema(): Promise<void> {
      if ((await bringSchemaUpToDate()) === 'behind') {
        throw new SchemaError('the schema is not up to date: run "firmament migrate".');
      }
    },
    /** Waits until both databases have a current schema and the search index is loaded. Migrates first if this process may migrate. */
    async prepare(signal?: AbortSignal): Promise<void> {
      let logged: string | undefined;
      for (let reason = await tryPrepare(); reason !== undefined; reason = await tryPrepare()) {
        if (reason !== logged) log.warn(reason);
        logged = reason;
        await sleep(1_000, undefined, { ...(signal && { signal }) });
      }
      prepared = true;
      if (clock === sharedClock) sharedClock.start();
      if (thread === undefined) {
        for (const work of background) work.start();
        await removal.start();
      }
    },
    isReady,
    statusHistory,
    isPrepared: () => prepared,
    close: () => closers.disposeAsync(),
  };
}

/** Memory shared by all threads of the process: a change that one thread makes is visible to all of them immediately. */
export interface SharedMemory {
  readonly keyChanges: KeyChanges;
  readonly guesses: Guesses;
  readonly turns: Readonly<Record<StoreName, FinishedWrites>>;
}

function createSharedMemory(): SharedMemory {
  const turns = { registry: createFinishedWrites(), accounts: createFinishedWrites() };
  return { keyChanges: createKeyChanges(), guesses: createGuesses(), turns };
}
