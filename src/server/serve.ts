import { once } from 'node:events';
import { join, relative } from 'node:path';
import { styleText } from 'node:util';
import { createDemo, type Demo } from '../../demo/demo.ts';
import type { DemoAccess } from '../../demo/demo-account.ts';
import { preparePrivateFolder } from '../base/db/open.ts';
import { createFileLog, createLog, createReadableLog } from '../base/observability/log.ts';
import { type AdminServer, listenAdmin } from '../base/observability/metrics.ts';
import { takeLock } from '../base/system/lock.ts';
import { type Command, CommandError } from '../base/terminal/command.ts';
import { cutText, findTextWidth } from '../base/terminal/table.ts';
import { type Opened, open } from '../services/open.ts';
import type { Front } from './front.ts';
import { openSchedule } from './scheduled-updates.ts';
import { claimSharedPort, serveInThreads } from './threads.ts';
import { watchMainThread } from './watchdog.ts';

export const command: Command = {
  name: 'serve',
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
      openLog: ({ logLevel, dataDir }) => {
        if (!isTerminal) return createLog(logLevel);
        return logsToFile ? openFileLog(logLevel, dataDir) : createReadableLog(logLevel, process.stdout);
      },
    });
    await using _lock = demo && (await lockDemo(opened));
    const display = logsToFile ? createTerminalDisplay(process.stdout) : createPlainDisplay(process.stdout);
    const logFile = logsToFile ? shortenPath(join(opened.config.dataDir, LOG_FILE)) : undefined;
    await runServer(opened, { signal, demo, display, logFile, hasBanner: isTerminal || demo !== undefined });
  },
};

/** Two demos in the same folder would share keys and accounts, and the second demo would move the webhooks of the first to its own address. */
async function lockDemo({ config: { dataDir }, services }: Opened): Promise<AsyncDisposable> {
  preparePrivateFolder(dataDir);
  const lock = await takeLock(join(dataDir, 'demo.lock'), services.clock);
  if (lock !== null) return { [Symbol.asyncDispose]: () => lock.release() };
  throw new CommandError(
    `A demo is already running with the data in ${shortenPath(dataDir)}: use that one, or set DATA_DIR to another folder. If it was killed, try again in a minute.`,
  );
}

const LOG_FILE = 'server.log';

function openFileLog(level: string, dataDir: string) {
  preparePrivateFolder(dataDir);
  return createFileLog(level, join(dataDir, LOG_FILE), process.stdout);
}

function shortenPath(path: string): string {
  const below = relative('.', path);
  return below.startsWith('..') ? path : below;
}

interface RunOptions {
  readonly signal: AbortSignal;
  readonly demo: Demo | undefined;
  readonly display: StartDisplay;
  readonly logFile: string | undefined;
  readonly hasBanner: boolean;
}

async function runServer(opened: Opened, { signal, demo, display, logFile, hasBanner }: RunOptions): Promise<void> {
  const { config, services } = opened;
  const { log, version } = services;
  const schedule = openSchedule(opened);
  const front = await listen(`PORT ${config.port}`, () => startFront(opened, demo));
  let admin: AdminServer | undefined;
  let watchdog: ReturnType<typeof watchMainThread> | undefined;
  try {
    admin = await listen(`ADMIN_PORT ${config.adminPort}`, () => {
      return listenAdmin(async () => services.metrics.render(await front.gatherMetrics()), config.adminPort);
    });
    log.info({ version, workers: config.workers, metrics: admin.url }, 'starting');
    if (ANY_ADDRESS.includes(config.host) && config.publicUrl === undefined) log.warn(NO_PUBLIC_URL);
    display.start(`Starting Firmament ${version}${demo === undefined ? '' : ', the offline demo'}`);
    display.begin('Preparing the databases and the search index');
    await services.prepare(signal);
    display.complete('Databases and search index');
    await front.open(signal);
    log.info('ready');
    const access = demo && (await fillDemo(opened, demo, display));
    // The watchdog starts here, because a migration of SQLite may keep the main thread busy for a long time before.
    watchdog = watchMainThread();
    schedule?.start();
    if (hasBanner) {
      const url = access?.baseUrl ?? config.publicUrl ?? front.url;
      const states = await services.registry.listRegisters(services.clock.now());
      const isEmpty = states.every(({ entities }) => entities === 0);
      const facts = { version, url, metricsUrl: admin.url, logFile, apiKey: access?.apiKey, isEmpty };
      display.print(renderBanner(facts, process.stdout));
    }
    if (!signal.aborted) await once(signal, 'abort');
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    log.info('stopping');
    display.begin('Stopping: finishing requests');
    const [clean] = await Promise.all([front.drain(), schedule?.stop()]);
    // The watchdog stops here, because closing SQLite may keep the main thread busy for a long time.
    await watchdog?.stop();
    await admin?.close();
    if (clean) log.info('stopped');
    else log.warn('stopped; requests still running after 25 s were cut off');
    display.complete('Stopped');
  }
}

/** The banner waits for the sample data, so that a visitor who follows its link finds all companies. Readiness does not wait. */
async function fillDemo({ config, services }: Opened, demo: Demo, display: StartDisplay): Promise<DemoAccess> {
  const { samples, access } = await demo.fill({
    ...services,
    dataDir: config.dataDir,
    partyModes: config.parties,
    onSample: ({ name }, done, total) => display.begin(`Importing sample data: ${name} (${done + 1} of ${total})`),
  });
  if (samples.length > 0) {
    services.log.info({ registers: samples }, 'sample data imported');
    display.complete(`Sample data: invented companies of ${samples.length} registers`);
  }
  display.begin('Updating the search index');
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

/** The output that a person sees while the service starts and stops. Programs read the log instead. */
interface StartDisplay {
  start(title: string): void;
  /** Shows the current step. The line replaces the previous step, unless that step was completed. */
  begin(text: string): void;
  /** Replaces the current step by a permanent line. */
  complete(text: string): void;
  print(text: string): void;
}

/** Shows each step in one line, which is overwritten until the step is complete. */
function createTerminalDisplay(terminal: NodeJS.WriteStream): StartDisplay {
  const paint = (format: Parameters<typeof styleText>[0], text: string) =>
    styleText(format, text, { stream: terminal });
  return {
    start: (title) => terminal.write(`\n  ${paint('bold', title)}\n\n`),
    begin(text) {
      // The line is cut, because a line that wraps could not be overwritten.
      const line = cutText(`  · ${text} …`, findTextWidth(terminal) - 1);
      terminal.write(`\r\x1b[K${paint('dim', line)}`);
    },
    complete: (text) => terminal.write(`\r\x1b[K  ${paint('green', '✓')} ${text}\n`),
    print: (text) => terminal.write(`\r\x1b[K${text}`),
  };
}

/** Prints only text. The steps are in the log. */
function createPlainDisplay(out: NodeJS.WritableStream): StartDisplay {
  const skip = () => undefined;
  return { start: skip, begin: skip, complete: skip, print: (text) => out.write(text) };
}

interface BannerFacts {
  readonly version: string;
  readonly url: string;
  readonly metricsUrl: string;
  /** The file that the log is written to; undefined if the log is printed. */
  readonly logFile: string | undefined;
  /** The key of the demo; undefined outside the demo. */
  readonly apiKey: string | undefined;
  readonly isEmpty: boolean;
}

function renderBanner(facts: BannerFacts, stream: NodeJS.WritableStream): string {
  const paint = (format: Parameters<typeof styleText>[0], text: string) => styleText(format, text, { stream });
  const { version, url, apiKey } = facts;
  const lines = listAddresses(facts).map(([name, value]) => `    ${paint('dim', name.padEnd(9))} ${value}`);
  const hint = apiKey === undefined ? describeEmpty(facts) : describeTrial(url, apiKey);
  return `\n  ${paint('bold', `Firmament ${version} is ready.`)}\n\n${lines.join('\n')}\n\n${hint}  Press Ctrl+C to stop.\n\n`;
}

function listAddresses({ url, metricsUrl, logFile, apiKey }: BannerFacts): (readonly [string, string])[] {
  return [
    ['Open', url],
    ['API', `${url}/api/v1`],
    ['Docs', `${url}/docs`],
    ...(apiKey === undefined ? [] : [['Sign in', `${url}/auth/login`] as const]),
    ['Metrics', metricsUrl],
    ...(logFile === undefined ? [] : [['Log', `${logFile} (--log shows it here)`] as const]),
  ];
}

function describeTrial(url: string, apiKey: string): string {
  const search = `${url}/api/v1/entities?q=holdings&pageSize=3`;
  return `  Try it:\n\n    curl -H 'X-API-Key: ${apiKey}' '${search}'\n\n`;
}

function describeEmpty({ isEmpty }: BannerFacts): string {
  if (!isEmpty) return '';
  return '  The store is empty. Fill it with a register, for example: firmament update lv\n\n';
}
