import { once } from 'node:events';
import type { Config } from '../config.ts';
import { createDemo, type Demo } from '../demo/demo.ts';
import type { DemoAccess } from '../demo/demo-account.ts';
import { type AdminServer, listenAdmin } from '../http/admin.ts';
import { buildApp } from '../http/app.ts';
import { prepareDrain } from '../http/drain.ts';
import type { Services } from '../services.ts';
import { showFailure } from '../web/pages/problem.ts';
import { registerPages } from '../web/routes.ts';
import { type Command, CommandError } from './command.ts';
import { open } from './open.ts';

export const serve: Command = {
  name: 'serve',
  summary: 'Run the service.',
  options: {
    demo: { type: 'boolean', description: 'Run the offline demo, on loopback only.' },
  },
  help: `
Listens at once, answers /api/v1/health/ready when the databases are up and migrated, and stops on SIGTERM or SIGINT
after finishing the requests in flight (a second signal stops at once). Configured by environment variables: see
.env.example.`,
  async run({ values, signal }) {
    const demo = values.demo === true ? createDemo() : undefined;
    const { config, services, close } = open(demo && { demo: true, issuer: demo.issuer, payments: demo.payments });
    try {
      await runServer(config, services, signal, demo);
    } finally {
      await close();
    }
  },
};

async function runServer(config: Config, services: Services, signal: AbortSignal, demo?: Demo): Promise<void> {
  const { log } = services;
  let listeningAt = '';
  const publicUrl = () => config.publicUrl ?? listeningAt;
  const { app } = buildApp({ ...services, publicUrl, showFailure });
  registerPages(app, { ...services, publicUrl });
  await demo?.mount(app, { ...services, dataDir: config.dataDir, baseUrl: publicUrl });
  const drain = prepareDrain(app);

  listeningAt = await listen(`PORT ${config.port}`, () => app.listen({ host: config.host, port: config.port }));
  let admin: AdminServer | undefined;
  try {
    admin = await listen(`ADMIN_PORT ${config.adminPort}`, () => listenAdmin(services.metrics, config.adminPort));
    log.info({ version: services.version, metrics: admin.url }, 'starting');
    await services.prepare(signal);
    const filled = await demo?.fill({ ...services, dataDir: config.dataDir });
    if (filled !== undefined) {
      if (filled.samples.length > 0) log.info({ registers: filled.samples }, 'sample data imported');
      await services.search.refresh();
    }
    log.info('ready');
    if (filled !== undefined) process.stdout.write(renderWelcome(filled.access, admin.url, services.version));
    if (!signal.aborted) await once(signal, 'abort');
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    log.info('stopping');
    const clean = await drain({ lingerMs: 3_000, deadlineMs: 25_000 });
    await admin?.close();
    if (clean) log.info('stopped');
    else log.warn('stopped with requests cut off after 25 s');
  }
}

async function listen<T>(what: string, start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    const variable = what.split(' ', 1)[0];
    if (code === 'EADDRINUSE') {
      throw new CommandError(`${what} is already in use: stop what listens there, or set ${variable} to another port.`);
    }
    if (code === 'EACCES') {
      throw new CommandError(`${what} needs more rights than this user has: set ${variable} to 1024 or above.`);
    }
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new CommandError('HOST is not an address of this machine: use 127.0.0.1, or 0.0.0.0 for all interfaces.');
    }
    throw error;
  }
}

function renderWelcome({ baseUrl: url, apiKey }: DemoAccess, metricsUrl: string, version: string): string {
  return `
  Firmament ${version} is ready.

    Open      ${url}
    API       ${url}/api/v1
    Docs      ${url}/docs
    Sign in   ${url}/auth/login
    Metrics   ${metricsUrl}

  Try it:

    curl -H 'X-API-Key: ${apiKey}' '${url}/api/v1/entities?q=holdings&pageSize=3'

  Ctrl+C stops it.

`;
}
