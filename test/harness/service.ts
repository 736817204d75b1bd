import { randomUUID } from 'node:crypto';
import type { StartedSession } from '../../src/accounts/accounts.ts';
import type { Executor } from '../../src/accounts/charging/execute.ts';
import type { Identity } from '../../src/accounts/issuer.ts';
import { buildApp } from '../../src/api/app.ts';
import type { Clock } from '../../src/base/clock.ts';
import { readConfig } from '../../src/base/config/config.ts';
import { createLog } from '../../src/base/observability/log.ts';
import type { PlanId } from '../../src/base/plans.ts';
import { nameCookie, SESSION_COOKIE } from '../../src/base/requests/cookies.ts';
import { createApiKey } from '../../src/base/secrets.ts';
import { createSite } from '../../src/base/site.ts';
import type { App } from '../../src/http/app.ts';
import { defaultTransportLimits, type TransportLimits } from '../../src/http/connections.ts';
import { showFailure } from '../../src/portal/pages/messages.ts';
import { showPreview } from '../../src/portal/pages/reconcile-preview.ts';
import { type PageLimits, registerPages } from '../../src/portal/routes.ts';
import { openServices, type ServiceOptions, type Services } from '../../src/services/services.ts';
import { type Client, createClient } from './client.ts';
import { type TestClock, testClock } from './clock.ts';
import { createDatabase, type Engine, type TestDatabase } from './databases.ts';
import { runs } from './depth.ts';
import { grantPlan, paymentEnv } from './payment-events.ts';

/** A complete service that listens on a free local port, with a settable clock and a readable log. */
export interface TestService {
  readonly url: string;
  readonly app: App;
  readonly executor: Executor;
  readonly services: Services;
  readonly clock: TestClock;
  readonly client: Client;
  readonly database: TestDatabase;
  /** Creates an account (on the business plan by default) and returns an API key for it that may manage. */
  createKey(options?: { plan?: PlanId }): Promise<string>;
  /** The key that `client` sends by default, for tests that send requests without `client`. */
  findKey(): Promise<string>;
  /** Creates an account with a browser session. Requests send `cookie`, and changes also `origin`. */
  signIn(options?: { plan?: PlanId } & Partial<Identity>): Promise<TestSession>;
  /** The log lines so far. */
  readonly logLines: readonly string[];
  [Symbol.asyncDispose](): Promise<void>;
}

export interface TestSession extends StartedSession {
  /** Cookie and origin, as a browser would send them. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface TestServiceOptions {
  readonly limits?: Partial<TransportLimits>;
  readonly env?: Readonly<Record<string, string>>;
  readonly database?: TestDatabase;
  readonly clock?: TestClock;
  /** The clock of the machine, instead of a clock that the test controls completely. */
  readonly localClock?: Clock;
  readonly providerLimits?: ServiceOptions['providerLimits'];
  /** Such as rules that allow receivers on this machine. */
  readonly webhooks?: ServiceOptions['webhooks'];
  /** In `npm test`, a search index of fewer entities is built without a thread, which would take longer to start. */
  readonly smallIndex?: number;
  /** The payment provider's time can be moved ahead, as in the demo. */
  readonly movesTime?: boolean;
  /** Does not migrate the database. */
  readonly unprepared?: boolean;
  /** Rejects requests under other host names on every path, as the demo does. */
  readonly closed?: boolean;
  /** Limits for visitors without an account. */
  readonly visitors?: PageLimits;
  /** Adds routes for the test, such as one that throws. */
  readonly extend?: (app: App) => void;
}

export async function startService(engine: Engine, options: TestServiceOptions = {}): Promise<TestService> {
  const database = options.database ?? (await createDatabase(engine, { migrated: options.unprepared !== true }));
  const config = readConfig({
    PATIENCE: process.env.PATIENCE,
    ...paymentEnv,
    WEBHOOK_KEY: Buffer.alloc(32, 7).toString('base64'),
    // Raw requests in tests send `Host: x`, and `client` sends 127.0.0.1, even in tests that set PUBLIC_URL.
    ALLOWED_HOSTS: 'x,127.0.0.1',
    DATA_DIR: database.dataDir,
    ...(database.databaseUrl && { DATABASE_URL: database.databaseUrl }),
    ...options.env,
  });
  const logLines: string[] = [];
  const { log } = createLog('info', { write: (line: string) => void logLines.push(line) });
  const { localClock, providerLimits, webhooks } = options;
  const settable = options.clock ?? testClock();
  const time = localClock === undefined ? { clock: settable } : { localClock };
  const payments = options.movesTime === true && { payments: () => ({ ...config.stripe, movesTime: true }) };
  const services = openServices(config, {
    log,
    ...time,
    ...payments,
    ...(providerLimits && { providerLimits }),
    ...(webhooks && { webhooks }),
    smallIndex: options.smallIndex ?? runs(1_000, 1),
  });
  const clock = localClock === undefined ? settable : { ...settable, now: () => services.clock.now() };
  if (options.unprepared !== true) await services.prepare();
  let url = '';
  const publicUrl = () => config.publicUrl ?? url;
  const { corsOrigins, trustedProxies, allowedHosts, operator } = config;
  const site = createSite({ url: publicUrl, allowedHosts, isClosed: options.closed ?? false });
  const { app, contract, executor, userOperations } = buildApp(
    { ...services, publicUrl, site, corsOrigins, trustedProxies, showFailure, showPreview },
    { ...defaultTransportLimits, ...options.limits },
  );
  registerPages(app, { ...services, executor, userOperations, operator, publicUrl, site, contract }, options.visitors);
  options.extend?.(app);
  url = await app.listen({ host: '127.0.0.1', port: 0 });

  const cookieName = nameCookie(SESSION_COOKIE, publicUrl().startsWith('https:'));

  async function signIn({ plan = 'business', ...identity }: { plan?: PlanId } & Partial<Identity> = {}) {
    const subject = randomUUID();
    const completeIdentity = {
      issuer: 'https://login.test',
      subject,
      email: `${subject}@example.com`,
      name: null,
      ...identity,
    };
    const { account } = await services.accounts.signIn(completeIdentity);
    if (plan !== 'free') await grantPlan(services, account.accountId, plan);
    const session = await services.sessions.start(completeIdentity);
    return { ...session, headers: { cookie: `${cookieName}=${session.token}`, origin: new URL(publicUrl()).origin } };
  }

  async function createKey(options: { plan?: PlanId } = {}): Promise<string> {
    const { account } = await signIn(options);
    return (await services.apiKeys.create(account.accountId, 'test', true)).secret;
  }

  let defaultKey: Promise<string> | undefined;
  /** Without a schema no key can be stored, so the result is well formed but unknown. */
  const findKey = async () => {
    if (!services.isPrepared()) return createApiKey('live');
    defaultKey ??= createKey();
    return defaultKey;
  };

  return {
    url,
    app,
    executor,
    createKey,
    findKey,
    signIn,
    services,
    clock,
    client: createClient(url, contract, findKey),
    database,
    logLines,
    async [Symbol.asyncDispose]() {
      app.server.closeAllConnections();
      await app.close();
      await services.close();
      await database[Symbol.asyncDispose]();
    },
  };
}
