import { randomUUID } from 'node:crypto';
import type { Identity } from '../../src/accounts/accounts.ts';
import type { StartedSession } from '../../src/accounts/sessions.ts';
import { readConfig } from '../../src/config.ts';
import type { PlanId } from '../../src/core/plans.ts';
import { createApiKey } from '../../src/core/secrets.ts';
import { buildApp, defaultLimits, type Limits } from '../../src/http/app.ts';
import type { App } from '../../src/http/app-type.ts';
import { createLog } from '../../src/observability/log.ts';
import { openServices, type ServiceOptions, type Services } from '../../src/services.ts';
import { showFailure } from '../../src/web/pages/problem.ts';
import type { PreviewLimits } from '../../src/web/preview.ts';
import { registerPages } from '../../src/web/routes.ts';
import { type Client, createClient } from './client.ts';
import { type TestClock, testClock } from './clock.ts';
import { createDatabase, type Engine, type TestDatabase } from './databases.ts';
import { grantPlan, paymentEnv } from './payment-events.ts';

/** The whole service, listening on a free port of this machine, with a settable clock and a log to read. */
export interface TestService {
  readonly url: string;
  readonly app: App;
  readonly services: Services;
  readonly clock: TestClock;
  readonly client: Client;
  readonly database: TestDatabase;
  /** A new account on this plan, business unless told otherwise, and an API key of it. */
  createKey(options?: { plan?: PlanId }): Promise<string>;
  /** The key the client sends by itself, for those who speak HTTP without it. */
  findKey(): Promise<string>;
  /** A new account with a session in its browser: send `cookie`, and with a change also the `origin`. */
  signIn(options?: { plan?: PlanId } & Partial<Identity>): Promise<TestSession>;
  /** Lines of the log so far, as written. */
  readonly logLines: readonly string[];
  [Symbol.asyncDispose](): Promise<void>;
}

export interface TestSession extends StartedSession {
  /** Cookie and origin, as a page of ours would send them. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface TestServiceOptions {
  readonly limits?: Partial<Limits>;
  readonly env?: Readonly<Record<string, string>>;
  readonly database?: TestDatabase;
  readonly clock?: TestClock;
  readonly patience?: ServiceOptions['providerLimits'];
  /** Leaves the schema as it is. */
  readonly unprepared?: boolean;
  /** What visitors may search without an account. */
  readonly preview?: PreviewLimits;
  /** Adds routes that only a test needs, such as one that crashes. */
  readonly extend?: (app: App) => void;
}

export async function startService(engine: Engine, options: TestServiceOptions = {}): Promise<TestService> {
  const database = options.database ?? (await createDatabase(engine));
  const config = readConfig({
    ...paymentEnv,
    DATA_DIR: database.dataDir,
    ...(database.databaseUrl && { DATABASE_URL: database.databaseUrl }),
    ...options.env,
  });
  const logLines: string[] = [];
  const { log } = createLog('info', { write: (line: string) => void logLines.push(line) });
  const { clock = testClock(), patience } = options;
  const services = openServices(config, { log, clock, ...(patience && { providerLimits: patience }) });
  if (options.unprepared !== true) await services.prepare();
  let url = '';
  const publicUrl = () => config.publicUrl ?? url;
  const { app, contract } = buildApp({ ...services, publicUrl, showFailure }, { ...defaultLimits, ...options.limits });
  registerPages(app, { ...services, publicUrl }, options.preview);
  options.extend?.(app);
  url = await app.listen({ host: '127.0.0.1', port: 0 });

  async function signIn({ plan = 'business', ...identity }: { plan?: PlanId } & Partial<Identity> = {}) {
    const subject = randomUUID();
    const whole = { issuer: 'https://login.test', subject, email: `${subject}@example.com`, name: null, ...identity };
    const { account } = await services.accounts.signIn(whole);
    if (plan !== 'free') await grantPlan(services, account.accountId, plan);
    const session = await services.sessions.start(whole);
    return { ...session, headers: { cookie: `session=${session.token}`, origin: url } };
  }

  async function createKey(options: { plan?: PlanId } = {}): Promise<string> {
    const { account } = await signIn(options);
    return (await services.apiKeys.create(account.accountId, 'test')).secret;
  }

  let defaultKey: Promise<string> | undefined;
  /** Without a schema there can be no key: then one that nobody has. */
  const findKey = async () => {
    if (!services.isPrepared()) return createApiKey('live');
    defaultKey ??= createKey();
    return defaultKey;
  };

  return {
    url,
    app,
    createKey,
    findKey,
    signIn,
    services,
    clock,
    client: createClient(url, contract(), findKey),
    database,
    logLines,
    async [Symbol.asyncDispose]() {
      app.server.closeAllConnections();
      await app.close();
      await services.close();
      await database.remove();
    },
  };
}
