import { readConfig } from '../../src/config.ts';
import { type App, buildApp, defaultLimits, type Limits } from '../../src/http/app.ts';
import { createLog } from '../../src/http/log.ts';
import { openServices, type Services } from '../../src/services.ts';
import { registerPages } from '../../src/web/routes.ts';
import { type Client, createClient } from './client.ts';
import { type TestClock, testClock } from './clock.ts';
import { createDatabase, type Engine, type TestDatabase } from './databases.ts';

/** The whole service, listening on a free port of this machine, with a settable clock and a log to read. */
export interface TestService {
  readonly url: string;
  readonly app: App;
  readonly services: Services;
  readonly clock: TestClock;
  readonly client: Client;
  readonly database: TestDatabase;
  /** Lines of the log so far, as written. */
  readonly logLines: readonly string[];
  [Symbol.asyncDispose](): Promise<void>;
}

export interface TestServiceOptions {
  readonly limits?: Partial<Limits>;
  readonly env?: Readonly<Record<string, string>>;
  readonly database?: TestDatabase;
  /** Leaves the schema as it is. */
  readonly unprepared?: boolean;
  /** Adds routes that only a test needs, such as one that crashes. */
  readonly extend?: (app: App) => void;
}

export async function startService(engine: Engine, options: TestServiceOptions = {}): Promise<TestService> {
  const database = options.database ?? (await createDatabase(engine));
  const config = readConfig({
    DATA_DIR: database.dataDir,
    ...(database.databaseUrl && { DATABASE_URL: database.databaseUrl }),
    ...options.env,
  });
  const logLines: string[] = [];
  const { log } = createLog('info', { write: (line: string) => void logLines.push(line) });
  const clock = testClock();
  const services = openServices(config, { log, clock });
  if (options.unprepared !== true) await services.prepare();
  let url = '';
  const publicUrl = () => url;
  const { app, contract } = buildApp({ ...services, publicUrl }, { ...defaultLimits, ...options.limits });
  registerPages(app, { ...services, publicUrl });
  options.extend?.(app);
  url = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    url,
    app,
    services,
    clock,
    client: createClient(url, contract()),
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
