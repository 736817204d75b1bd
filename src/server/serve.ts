import { once } from 'node:events';
import { join, relative } from 'node:path';
import { createDemo, type Demo } from '../../demo/demo.ts';
import type { DemoAccess } from '../../demo/demo-account.ts';
import { parseUpdateTimes } from '../base/config/update-times.ts';
import { createLease } from '../base/db/lease.ts';
import { takeLock } from '../base/db/lock.ts';
import { preparePrivateFolder } from '../base/db/open.ts';
import type { ExportFormat } from '../base/export-formats.ts';
import { createFileLog, createLog, createReadableLog } from '../base/observability/log.ts';
import { listenAdmin } from '../base/observability/metrics.ts';
import { type Command, CommandError } from '../base/terminal/command.ts';
import { parseVersion } from '../base/version.ts';
import { hasExport } from '../exports/folder.ts';
import {
  createUpdateSchedule,
  type KeptRegister,
  type ScheduledExports,
  type UpdateSchedule,
} from '../import/update/schedule/schedule.ts';
import { runExport, runUpdate } from '../import/update/schedule/update-process.ts';
import { chooseRegisters } from '../import/update/update.ts';
import { type Opened, open } from '../services/open.ts';
import { loadSourceSettings } from '../services/source-settings.ts';
import type { Front } from './front.ts';
import { claimSharedPort, serveInThreads } from './threads.ts';
import { watchMainThread } from './watchdog.ts';

export const command: Command = {
  options: {
    demo: { type: 'boolean', description: 'Run the offline demo with sample data, on loopback only.' },
    log: { type: 'boolean', description: 'In a terminal: show the log instead of writing it to DATA_DIR/server.log.' },
  },
  help: `
Starts listening immediately. /api/v1/health/ready answers 200 once the databases are up and migrated and the search
index is loaded; the demo then imports its sample data. On SIGTERM or SIGINT the service finishes the requests in flight
and stops; a second signal stops it immediately. Configuration comes from environment variables: see .env.example.

In a terminal, the log is written to DATA_DIR/server.log, and only warnings are shown. Otherwise, it is written to standard
output as JSON lines.`,
  examples: [
    ['serve --demo', 'Run the offline demo, as "npm start" does.'],
    ['serve --log', 'Run the service as configured, and show its log.'],
  ],
  async run({ values, signal }) {
    const demo = values.demo === true ? createDemo() : undefined;
    const isTerminal = process.stdout.isTTY === true;
    const logsToFile = isTerminal && values.log !== true;
    await using opened = open({
      ...(demo && { demo: true, issuer: demo.issuer, payments: demo.payments }),
      openLog({ logLevel, dataDir }) {
        if (!logsToFile) return isTerminal ? createReadableLog(logLevel, process.stdout) : createLog(logLevel);
        preparePrivateFolder(dataDir);
        return createFileLog(logLevel, join(dataDir, LOG_FILE), process.stdout);
      },
    });
    using _lock = demo && lockDemo(opened.config.dataDir);
    const show = (text: string) => {
      if (logsToFile) process.stdout.write(`  ${text}\n`);
    };
    const logFile = logsToFile ? shortenPath(join(opened.config.dataDir, LOG_FILE)) : undefined;
    await runServer(opened, { signal, demo, show, logFile, hasBanner: isTerminal || demo !== undefined });
  },
};

const LOG_FILE = 'server.log';

/** Two demos in the same folder would share keys and accounts, and the second demo would move the webhooks of the first to its own address. */
function lockDemo(dataDir: string): Disposable {
  preparePrivateFolder(dataDir);
  const lock = takeLock(join(dataDir, 'demo.lock'));
  if (lock !== null) return lock;
  throw new CommandError(
    `A demo is already running with the data in ${shortenPath(dataDir)}: use that one, or set DATA_DIR to another folder.`,
  );
}

function shortenPath(path: string): string {
  const below = relative('.', path);
  return below.startsWith('..') ? path : below;
}

interface RunOptions {
  readonly signal: AbortSignal;
  readonly demo: Demo | undefined;
  /** Shows a step to a person who watches the terminal. Programs read the log instead. */
  readonly show: (text: string) => void;
  /** The file that the log is written to; undefined if the log is printed. */
  readonly logFile: string | undefined;
  readonly hasBanner: boolean;
}

async function runServer(opened: Opened, { signal, demo, show, logFile, hasBanner }: RunOptions): Promise<void> {
  const { config, services } = opened;
  const { log, version } = services;
  const schedule = openSchedule(opened);
  const front = await listen('PORT', config.port, () => startFront(opened, demo));
  await using admin = await listen('ADMIN_PORT', config.adminPort, () =>
    listenAdmin(async () => services.metrics.render(await front.gatherMetrics()), config.adminPort),
  ).catch(async (error: unknown) => {
    await front.drain();
    throw error;
  });
  let watchdog: ReturnType<typeof watchMainThread> | undefined;
  try {
    log.info({ version, workers: config.workers, metrics: admin.url }, 'starting');
    if (ANY_ADDRESS.includes(config.host) && config.publicUrl === undefined) log.warn(NO_PUBLIC_URL);
    show(`Starting Firmament ${version}: preparing the databases and the search index …`);
    await services.prepare(signal);
    await front.open(signal);
    log.info('ready');
    const access = demo && (await fillDemo(opened, demo, show));
    // The watchdog starts here, because a migration of SQLite may keep the main thread busy for a long time before.
    watchdog = watchMainThread();
    schedule?.start();
    if (hasBanner) {
      const url = access?.baseUrl ?? config.publicUrl ?? front.url;
      const states = await services.registry.listRegisters(services.clock.now());
      const isEmpty = states.every(({ entities }) => entities === 0);
      const facts = { version, url, metricsUrl: admin.url, logFile, apiKey: access?.apiKey, isEmpty };
      process.stdout.write(renderBanner(facts));
    }
    if (!signal.aborted) await once(signal, 'abort');
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    log.info('stopping');
    show('Stopping: finishing requests …');
    const [clean] = await Promise.all([front.drain(), schedule?.stop()]);
    // The watchdog stops here, because closing SQLite may keep the main thread busy for a long time.
    await watchdog?.stop();
    if (clean) log.info('stopped');
    else log.warn('stopped; requests still running after 25 s were cut off');
    show('Stopped.');
  }
}

/** The banner waits for the sample data, so that a visitor who follows its link finds all companies. Readiness does not wait. */
async function fillDemo({ config, services }: Opened, demo: Demo, show: RunOptions['show']): Promise<DemoAccess> {
  const { samples, access } = await demo.fill({
    ...services,
    dataDir: config.dataDir,
    partyModes: config.parties,
    onSample: ({ name }, done, total) => show(`Importing sample data: ${name} (${done + 1} of ${total}) …`),
  });
  if (samples.length > 0) services.log.info({ registers: samples }, 'sample data imported');
  await services.search.refresh();
  return access;
}

/** On these hosts, other machines can connect, but browsers on these machines get no page. */
const ANY_ADDRESS = ['0.0.0.0', '::'];
const NO_PUBLIC_URL =
  'PUBLIC_URL is not set: pages and accounts are available under loopback names and ALLOWED_HOSTS only. Set it to the address ' +
  'that browsers use.';

async function startFront({ config, services, relayLog }: Opened, demo?: Demo): Promise<Front> {
  if (config.workers > 1) {
    const port = await claimSharedPort(config);
    if (port !== undefined) return serveInThreads({ config: { ...config, port }, services, relayLog });
    const { workers } = config;
    services.log.warn(
      { workers },
      'on this system only one thread can listen on a port: one thread serves all requests',
    );
  }
  const { dataDir } = config;
  // The API and the pages are a third of all modules: the thread that only supervises others does not load them.
  const { serveHere } = await import('./front.ts');
  return serveHere({
    config,
    services,
    extend: async (app, baseUrl) => demo?.mount(app, { ...services, dataDir, baseUrl }),
  });
}

async function listen<T>(variable: string, port: number, start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE') {
      throw new CommandError(
        `${variable} ${port} is already in use: stop the program that listens there, or set ${variable} to another port.`,
      );
    }
    if (code === 'EACCES') {
      throw new CommandError(`${variable} ${port} needs root privileges: set ${variable} to 1024 or above.`);
    }
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new CommandError('HOST is not an address of this machine: use 127.0.0.1, or 0.0.0.0 for all interfaces.');
    }
    throw error;
  }
}

interface BannerFacts {
  readonly version: string;
  readonly url: string;
  readonly metricsUrl: string;
  readonly logFile: string | undefined;
  readonly apiKey: string | undefined;
  readonly isEmpty: boolean;
}

function renderBanner({ version, url, metricsUrl, logFile, apiKey, isEmpty }: BannerFacts): string {
  const lines = [
    `Firmament ${version} is ready.`,
    '',
    `  Open      ${url}`,
    `  API       ${url}/api/v1`,
    `  Docs      ${url}/docs`,
  ];
  if (apiKey !== undefined) lines.push(`  Sign in   ${url}/auth/login`);
  lines.push(`  Metrics   ${metricsUrl}`);
  if (logFile !== undefined) lines.push(`  Log       ${logFile} (--log shows it here)`);
  if (apiKey !== undefined) {
    lines.push('', 'Try it:', '', `  curl -H 'X-API-Key: ${apiKey}' '${url}/api/v1/entities?q=holdings&pageSize=3'`);
  } else if (isEmpty) {
    lines.push('', 'The store is empty. Fill it with a register, for example: firmament update lv');
  }
  return `\n${[...lines, '', 'Press Ctrl+C to stop.'].map((line) => `  ${line}`.trimEnd()).join('\n')}\n\n`;
}

/** Opens the schedule of `serve`, if UPDATE is set. It covers the registers that `firmament update` would update. */
function openSchedule({ config, services }: Opened): UpdateSchedule | undefined {
  const times = config.update === undefined ? undefined : parseUpdateTimes(config.update);
  if (times === undefined) return undefined;
  const { registry, registryDb, accountsDb, clock, log, metrics } = services;
  const { folder, overrides } = loadSourceSettings(config);

  async function listRegisters(now: number): Promise<KeptRegister[]> {
    const chosen = new Set(await chooseRegisters(registry, folder, now));
    const states = (await registry.listRegisters(now)).filter(({ register }) => chosen.has(register));
    return states
      .filter(({ register: { id, fetch: plan } }) => plan.kind !== 'manual' || overrides.has(id))
      .map(({ register, freshness }) => ({ id: register.id, rhythm: register.updates, freshness }));
  }

  async function listMissing(): Promise<ExportFormat[]> {
    const version = await registry.version();
    if (parseVersion(version).generation === 0) return [];
    return config.exports.formats.filter((format) => !hasExport(config.exports.folder, version, format));
  }

  /** Makes the missing exports one after the other, so that only one needs memory at a time. */
  async function makeExports(signal: AbortSignal): Promise<void> {
    for (const format of await listMissing()) {
      if (signal.aborted) return;
      const started = performance.now();
      const problem = await runExport(format, { log, signal });
      const seconds = Math.round((performance.now() - started) / 1_000);
      if (problem === null) log.info({ format, seconds }, 'export made');
      else if (signal.aborted) log.info({ format }, 'export stopped');
      else log.warn({ format, problem }, 'an export could not be made: will retry at the next scheduled time');
    }
  }
  const areMissing = async () => (await listMissing()).length > 0;
  const exports: ScheduledExports = { areMissing, make: makeExports };

  return createUpdateSchedule({
    times,
    // The lease is not in the registry store: on SQLite, an import locks that store until it ends.
    lease: createLease({ db: accountsDb, name: 'updates' }),
    db: registryDb,
    clock,
    log,
    listRegisters,
    runUpdate: (id, signal) => runUpdate(id, { log, signal }),
    exports: config.exports.formats.length > 0 ? exports : undefined,
    count: (outcome) => metrics.count('register_updates_total', { outcome }),
  });
}
