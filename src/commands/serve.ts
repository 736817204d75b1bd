import { once } from 'node:events';
import { createDemo, type Demo } from '../demo/demo.ts';
import type { DemoAccess } from '../demo/demo-account.ts';
import { type AdminServer, listenAdmin } from '../observability/admin-server.ts';
import { type Front, serveHere } from '../serving/front.ts';
import { serveInThreads } from '../serving/threads.ts';
import { type Watchdog, watchMainThread } from '../serving/watchdog.ts';
import { type Command, CommandError } from '../terminal/command.ts';
import { type Opened, open } from './open.ts';

export const serve: Command = {
  name: 'serve',
  summary: 'Run the service.',
  options: {
    demo: { type: 'boolean', description: 'Run the offline demo with sample data, on loopback only.' },
  },
  help: `
Starts listening immediately. /api/v1/health/ready answers 200 once the databases are up and migrated and the search
index is loaded. On SIGTERM or SIGINT the service finishes the requests in flight and stops; a second signal stops it
immediately. Configuration comes from environment variables: see .env.example.`,
  async run({ values, signal }) {
    const demo = values.demo === true ? createDemo() : undefined;
    const opened = open(demo && { demo: true, issuer: demo.issuer, payments: demo.payments });
    try {
      await runServer(opened, signal, demo);
    } finally {
      await opened.close();
    }
  },
};

async function runServer(opened: Opened, signal: AbortSignal, demo?: Demo): Promise<void> {
  const { config, services } = opened;
  const { log } = services;
  const front = await listen(`PORT ${config.port}`, () => startFront(opened, demo));
  let admin: AdminServer | undefined;
  let watchdog: Watchdog | undefined;
  try {
    admin = await listen(`ADMIN_PORT ${config.adminPort}`, () => {
      return listenAdmin(async () => services.metrics.render(await front.gatherMetrics()), config.adminPort);
    });
    log.info({ version: services.version, workers: config.workers, metrics: admin.url }, 'starting');
    if (ANY_ADDRESS.includes(config.host) && config.publicUrl === undefined) log.warn(NO_PUBLIC_URL);
    await services.prepare(signal);
    await front.open(signal);
    const filled = await demo?.fill({ ...services, dataDir: config.dataDir });
    if (filled !== undefined) {
      if (filled.samples.length > 0) log.info({ registers: filled.samples }, 'sample data imported');
      await services.search.refresh();
    }
    // Not earlier: a migration of SQLite may keep the main thread busy for a long time.
    watchdog = watchMainThread();
    log.info('ready');
    if (filled !== undefined) process.stdout.write(renderBanner(filled.access, admin.url, services.version));
    if (!signal.aborted) await once(signal, 'abort');
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    log.info('stopping');
    const clean = await front.drain();
    // Not later: closing SQLite may take a long time.
    await watchdog?.stop();
    await admin?.close();
    if (clean) log.info('stopped');
    else log.warn('stopped; requests still running after 25 s were cut off');
  }
}

/** Other machines can connect, but their browsers get no page. */
const ANY_ADDRESS = ['0.0.0.0', '::'];
const NO_PUBLIC_URL =
  'PUBLIC_URL is not set: pages and accounts are available under loopback names and ALLOWED_HOSTS only. Set it to the address ' +
  'that browsers use.';

function startFront({ config, services, relayLog }: Opened, demo?: Demo): Promise<Front> {
  if (config.workers > 1) return serveInThreads({ config, services, relayLog });
  const { dataDir } = config;
  return serveHere({
    config,
    services,
    extend: async (app, baseUrl) => demo?.mount(app, { ...services, dataDir, baseUrl }),
  });
}

async function listen<T>(what: string, start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    const variable = what.split(' ', 1)[0];
    if (code === 'EADDRINUSE') {
      throw new CommandError(
        `${what} is already in use: stop the program that listens there, or set ${variable} to another port.`,
      );
    }
    if (code === 'EACCES') {
      throw new CommandError(`${what} needs root privileges: set ${variable} to 1024 or above.`);
    }
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new CommandError('HOST is not an address of this machine: use 127.0.0.1, or 0.0.0.0 for all interfaces.');
    }
    throw error;
  }
}

function renderBanner({ baseUrl: url, apiKey }: DemoAccess, metricsUrl: string, version: string): string {
  return `
  Firmament ${version} is ready.

    Open      ${url}
    API       ${url}/api/v1
    Docs      ${url}/docs
    Sign in   ${url}/auth/login
    Metrics   ${metricsUrl}

  Try it:

    curl -H 'X-API-Key: ${apiKey}' '${url}/api/v1/entities?q=holdings&pageSize=3'

  Press Ctrl+C to stop.

`;
}
